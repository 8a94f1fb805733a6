"""The dataset card: front matter for programs, the page for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toolkit.data import data_dir
from toolkit.release import card_texts as texts
from toolkit.release.column_types import features, type_name
from toolkit.release.columns import Level, ReleaseColumn, release_schema
from toolkit.release.front_matter import SplitInfo, build_front_matter, faults, yaml_text
from toolkit.release.gate import License
from toolkit.release.markdown import code, escape
from toolkit.report.text import count

__all__ = ["CardInputs", "FunnelLine", "card_text"]

_FILES_SHOWN: Final = 50


@dataclass(frozen=True, slots=True)
class FunnelLine:
    """One line of the funnel: a rule, what it means, rows removed, rows left after it."""

    rule: str
    meaning: str
    removed: int
    remaining: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CardInputs:
    """Everything a card says; no time, host or folder is in it.

    Attributes:
        recipe: name of the recipe.
        title: title of the benchmark.
        pretty_name: title of the dataset.
        description: what the benchmark measures; may be empty.
        version: version of the benchmark; may be empty.
        dataset: ``org/name`` on the Hub; None when the recipe names none.
        config: name of the configuration.
        languages: ISO 639-1 codes.
        license: the licence.
        level: ``ids_only``, ``metadata`` or ``full_text``.
        source: kind of source.
        pubmed: its records are in the PubMed format.
        sjr: SCImago values are released.
        sjr_withheld: SCImago values were joined and are left out.
        columns: the released columns.
        splits: the released splits in order.
        funnel: from the input to the corpus, rule by rule.
        files: names of the source files.
        skipped: names of the source files that were left out as a whole.
        pinned: what a remote source was resolved to, as sentences.
        unsplit: items in no split, by reason.
        leaks: (kind, clusters in more than one split) of what was looked for.
        assignment: how the items were assigned to splits, one sentence; empty when the recipe
            makes no splits.
    """

    recipe: str
    title: str
    pretty_name: str
    config: str
    languages: Sequence[str]
    license: License
    level: Level
    source: str
    pubmed: bool
    columns: Sequence[ReleaseColumn]
    splits: Sequence[SplitInfo]
    description: str = ""
    version: str = ""
    dataset: str | None = None
    sjr: bool = False
    sjr_withheld: bool = False
    funnel: Sequence[FunnelLine] = ()
    files: Sequence[str] = ()
    skipped: Sequence[str] = ()
    pinned: Sequence[str] = ()
    unsplit: Mapping[str, int] = field(default_factory=dict)
    leaks: Sequence[tuple[str, int]] = ()
    assignment: str = ""


def card_text(inputs: CardInputs) -> str:
    """Return ``README.md``.

    Raises:
        ValueError: the front matter breaks its own schema, which is a fault of this program.
    """
    front = _front_matter(inputs)
    wrong = faults(front)
    if wrong:
        raise ValueError(f"the card's front matter is wrong: {'; '.join(wrong)}")
    return yaml_text(front) + "\n" + _body(inputs)


def _front_matter(inputs: CardInputs) -> dict[str, Any]:
    tags = ["benchmark", *(["pubmed", "medical", "biology"] if inputs.pubmed else [])]
    if inputs.level != "full_text":
        tags.append(inputs.level.replace("_", "-"))
    return build_front_matter(
        pretty_name=inputs.pretty_name,
        license=inputs.license,
        languages=inputs.languages,
        tags=tags,
        config=inputs.config,
        features=features(release_schema(inputs.columns)),
        splits=inputs.splits,
    )


def _body(inputs: CardInputs) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def safe(value: Any) -> Any:
        if isinstance(value, Markup | bool):
            return value
        if isinstance(value, int):
            return count(value)
        return Markup(escape(value))  # noqa: S704 - escape made it harmless

    environment = Environment(
        loader=FileSystemLoader(data_dir("cards")),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        # Every expression of the template passes here: nothing reaches the card unescaped
        # but what is marked as Markup, which is our own wording.
        finalize=safe,
    )
    environment.filters["code"] = lambda text: Markup(code(str(text)))  # noqa: S704
    view = {key: _ours(value, Markup) for key, value in _wording(inputs).items()}
    return environment.get_template("dataset_card.md.j2").render(view | _values(inputs))


def _ours(value: Any, mark: Any) -> Any:
    return mark(value) if isinstance(value, str) else [mark(text) for text in value]


def _wording(inputs: CardInputs) -> dict[str, str | list[str]]:
    """Return the texts of ours, in Markdown; what stands in them of others is escaped."""
    return {
        "kind": texts.kind(inputs.level, sum(split.rows for split in inputs.splits)),
        "load_lines": _load_lines(inputs),
        "missing_texts": texts.missing_texts(inputs.level, pubmed=inputs.pubmed),
        "source": texts.source(inputs.source),
        "notes": texts.build_notes(
            inputs.unsplit, sjr=inputs.sjr, sjr_withheld=inputs.sjr_withheld
        ),
        "split_notes": texts.split_notes(inputs.assignment, inputs.leaks),
        "license_line": texts.license_line(inputs.license),
        "terms": texts.terms(inputs.level, pubmed=inputs.pubmed, sjr=inputs.sjr),
        "personal": texts.personal(inputs.level, pubmed=inputs.pubmed),
        "limits": texts.limits(inputs.level, pubmed=inputs.pubmed),
    }


def _load_lines(inputs: CardInputs) -> str:
    # JSON's strings are Python's, and hold neither a line break nor the end of the fence.
    place = json.dumps(inputs.dataset or "path/to/this/folder")
    config = "" if inputs.config == "default" else f", {json.dumps(inputs.config)}"
    split = json.dumps(inputs.splits[-1].name)
    return (
        f"from datasets import load_dataset\n\nitems = load_dataset({place}{config}, split={split})"
    )


def _values(inputs: CardInputs) -> dict[str, Any]:
    shown = sorted(inputs.files)[:_FILES_SHOWN]
    version = f", version {inputs.version}" if inputs.version else ""
    where = f" {inputs.dataset}" if inputs.dataset else ""
    return {
        "title": inputs.pretty_name,
        "description": inputs.description,
        "version": inputs.version,
        "level": inputs.level,
        "pinned": inputs.pinned,
        "funnel": inputs.funnel,
        "files": shown,
        "file_count": len(inputs.files),
        "per_item": any(column.name == "source_file" for column in inputs.columns),
        "skipped": sorted(inputs.skipped),
        "recipe": inputs.recipe,
        "config": inputs.config,
        "splits": inputs.splits,
        "columns": [
            {"name": column.name, "type": type_name(column.type), "about": column.about}
            for column in inputs.columns
        ],
        "citation": f"{inputs.title}{version}. Data set.{where}",
    }
