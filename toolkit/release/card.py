"""The dataset card: front matter for programs, the page for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toolkit.data import data_dir
from toolkit.gate.column_types import features, type_name
from toolkit.gate.front_matter import faults
from toolkit.gate.recipe import License
from toolkit.recipe.publish_section import Rights
from toolkit.release import card_texts as texts
from toolkit.release.by_hand import filled, hand_parts
from toolkit.release.columns import Level, ReleaseColumn, release_schema
from toolkit.release.examples import Example
from toolkit.release.front_matter import ConfigInfo, SplitInfo, build_front_matter, yaml_text
from toolkit.release.history import Version
from toolkit.release.history_table import history_lines
from toolkit.release.markdown import code, escape
from toolkit.release.withdrawn import Withdrawn
from toolkit.report.text import count, printable

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
        withheld: rows whose texts are left out, by reason.
        retracted: rows flagged as retracted.
        rights: who answers for texts under other people's copyright; None for nobody.
        hidden: split whose references are not released; empty for none.
        examples: items to show, as (column, value) pairs.
        board: the leaderboard in Markdown, already safe; empty for none.
        history: the versions so far, oldest first.
        withdrawn: items that were taken down.
        citation: how to cite it; a sentence is made where it is empty.
        extra: further configurations, e.g. the leaderboard.
        previous: the card at the head of the repository, whose parts by hand survive.
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
    withheld: Mapping[str, int] = field(default_factory=dict)
    retracted: int = 0
    rights: Rights | None = None
    hidden: str = ""
    examples: Sequence[Example] = ()
    board: str = ""
    history: Sequence[Version] = ()
    withdrawn: Sequence[Withdrawn] = ()
    citation: str = ""
    extra: Sequence[ConfigInfo] = ()
    previous: str = ""

    @property
    def incomplete(self) -> bool:
        """Whether texts are missing that a rebuild brings back."""
        return self.level != "full_text" or bool(self.withheld)


def card_text(inputs: CardInputs) -> str:
    """Return ``README.md``.

    Raises:
        UserError: the markers of a part by hand do not pair up.
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
        configs=[
            ConfigInfo(
                name=inputs.config,
                features=features(release_schema(inputs.columns)),
                splits=inputs.splits,
            ),
            *inputs.extra,
        ],
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
    environment.filters["by_hand"] = Markup
    view = {key: _ours(value, Markup) for key, value in _wording(inputs).items()}
    places, others = filled(hand_parts(inputs.previous))
    parts = {"places": places, "other_parts": others}
    return environment.get_template("dataset_card.md.j2").render(view | _values(inputs) | parts)


def _ours(value: Any, mark: Any) -> Any:
    return mark(value) if isinstance(value, str) else [mark(text) for text in value]


def _wording(inputs: CardInputs) -> dict[str, str | list[str]]:
    """Return the texts of ours, in Markdown; what stands in them of others is escaped."""
    level, pubmed = inputs.level, inputs.pubmed
    return {
        "kind": texts.kind(level, sum(split.rows for split in inputs.splits)),
        "load_lines": _load_lines(inputs),
        "rebuild": _rebuild(inputs) if inputs.incomplete else "",
        "missing_texts": texts.missing_texts(level, pubmed=pubmed),
        "source": texts.source(inputs.source),
        "notes": texts.build_notes(
            inputs.unsplit, sjr=inputs.sjr, sjr_withheld=inputs.sjr_withheld
        ),
        "row_notes": texts.row_notes(inputs.withheld, inputs.retracted, inputs.hidden),
        "split_notes": texts.split_notes(inputs.assignment, inputs.leaks),
        "license_line": texts.license_line(inputs.license),
        "terms": texts.terms(level, pubmed=pubmed, sjr=inputs.sjr, rights=inputs.rights),
        "personal": texts.personal(level, pubmed=pubmed),
        "limits": texts.limits(level, pubmed=pubmed),
        "board": inputs.board.strip(),
        "changes": history_lines(inputs.history),
        "bibtex": _bibtex(inputs.citation),
    }


def _bibtex(citation: str) -> str:
    # Inside a fence nothing is a construct but the fence's own end.
    text = printable(citation).strip()
    return text if text.startswith("@") and "```" not in text else ""


def _rebuild(inputs: CardInputs) -> str:
    place = inputs.dataset or "path/to/this/folder"
    if inputs.dataset and inputs.version:
        place = f"{place}@v{inputs.version.removeprefix('v')}"
    line = f"toolkit rebuild {place}"
    command = f"`{line}`" if "`" not in line and line.isprintable() else escape(line)
    return f"{command} {texts.rebuilding(pubmed=inputs.pubmed)}"


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
        "examples": inputs.examples,
        "withdrawn": inputs.withdrawn,
        "citation": inputs.citation or f"{inputs.title}{version}. Data set.{where}",
    }
