"""``rebuild.json``: what a stranger needs to make the missing texts again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from toolkit.corpus.pubmed_xml import ArticleParams
from toolkit.corpus.sections import load_vocabulary, vocabulary_files
from toolkit.errors import UserError
from toolkit.recipe.recipe import Recipe
from toolkit.store.canonical import file_digest

__all__ = [
    "REBUILD_FILE",
    "SectionRules",
    "read_rules",
    "rules_fact",
    "rules_text",
    "section_rules",
]

REBUILD_FILE: Final = "rebuild.json"

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "conclusions": ("join", "first"),
    "leak_risk": ("keep", "drop", "reject"),
    "rendering": ("default", "paper"),
}
_DAMAGED: Final = "take the file from the Hub again; if it is so there, tell the maintainers"


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionRules:
    """What decides ``input`` and ``conclusion`` of a PubMed record.

    Attributes:
        conclusions: several conclusion sections are joined, or the first is taken.
        leak_risk: sections that restate conclusions are dropped from the input, or not.
        rendering: how superscripts after numbers are written.
        conclusion_labels: folded labels of conclusion sections, sorted.
        sections_sha256: digest of the shipped table of labels that was used.
    """

    conclusions: str
    leak_risk: str
    rendering: str
    conclusion_labels: tuple[str, ...]
    sections_sha256: str


def section_rules(recipe: Recipe) -> SectionRules | None:
    """Return the rules of a recipe; None where its items are no PubMed records.

    Raises:
        SourceError: a list of labels cannot be read.
    """
    params = recipe.corpus.params
    if not isinstance(params, ArticleParams):
        return None
    own = params.where.conclusion_labels
    labels = Path(recipe.folder, own) if own else None
    return SectionRules(
        conclusions=params.conclusions,
        leak_risk=params.leak_risk,
        rendering=params.rendering,
        conclusion_labels=tuple(sorted(load_vocabulary(labels).conclusions)),
        sections_sha256=file_digest(vocabulary_files(labels)[1]),
    )


def rules_text(facts: Mapping[str, Any]) -> str:
    """Return ``rebuild.json`` of a release whose facts are as the release step notes them."""
    names = ("source", "pubmed", "dataset", "version", "config", "splits", "level", "input")
    data = {"schema": 1, **{name: facts[name] for name in names}, "rules": facts["rules"]}
    return json.dumps(data, sort_keys=True, indent=1, ensure_ascii=False) + "\n"


def read_rules(text: str) -> tuple[dict[str, Any], SectionRules | None]:
    """Return what ``rebuild.json`` says of the release, and its section rules.

    The file comes from others: every value is checked before it is used.

    Raises:
        UserError: the file is damaged, or of a later version of this program.
    """
    try:
        data = json.loads(text)
        if data["schema"] != 1:
            raise UserError(
                f"{REBUILD_FILE} has the schema {data['schema']!r}; this program knows 1",
                hint="upgrade leaderboard-toolkit",
            )
        rules = None if data["rules"] is None else _rules(data["rules"])
        words = [data["config"], *data["splits"]]
        if not all(isinstance(word, str) and word.isidentifier() for word in words):
            raise ValueError("a name that is none")
        return data, rules
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{REBUILD_FILE} cannot be read: {error}", hint=_DAMAGED) from error


def rules_fact(rules: SectionRules | None) -> dict[str, Any] | None:
    """Return rules as JSON."""
    return None if rules is None else json.loads(json.dumps(asdict(rules)))


def _rules(data: Mapping[str, Any]) -> SectionRules:
    for name, known in _CHOICES.items():
        if data[name] not in known:
            raise ValueError(f"{name} is {data[name]!r}, and none of {', '.join(known)}")
    labels = data["conclusion_labels"]
    if not labels or not all(isinstance(label, str) for label in labels):
        raise ValueError("conclusion_labels holds no labels")
    chosen = {name: str(data[name]) for name in (*_CHOICES, "sections_sha256")}
    return SectionRules(conclusion_labels=tuple(labels), **chosen)
