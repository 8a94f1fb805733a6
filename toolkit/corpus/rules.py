"""The rules a PubMed record must pass to become an item, in the order they are asked.

A record is rejected by the first rule it breaks, under that rule's name. The rules up to
``no_conclusion`` are those of arXiv 2604.06505; the later ones keep rows usable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from toolkit.corpus.article import Article, Section
from toolkit.corpus.sections import (
    Division,
    Vocabulary,
    divide,
    fold_label,
    looks_like_conclusion,
    undouble,
)

__all__ = ["RULES", "RecordRules", "Verdict", "Where", "apply_rules"]

RULES: Final[dict[str, str]] = {
    "no_pmid": "the record has no PMID",
    "book": "a book or a chapter, not an article",
    "no_abstract": "there is no abstract, or its sections are empty",
    "not_structured": "no section of the abstract has a label",
    "unlabelled_section": "a section of the abstract has no label",
    "year": "published outside the wanted years",
    "language": "not in the wanted language",
    "min_sections": "fewer sections with text than wanted",
    "merged_conclusion_label": "results and conclusion stand in one section",
    "no_conclusion": "no section's label is a conclusion's",
    "empty_conclusion": "the conclusion section has no text",
    "empty_input": "nothing is left to show a model",
    "missing_field": "title, journal or year is missing",
    "retracted": "the article was retracted",
    "leak_risk": "a section left in the input restates conclusions",
    "not_returned": "PubMed did not return the record",
    "older_version": "the same file holds a higher version of the record",
    "duplicate_pmid": "the same file holds the same version of the record again",
    "replaced_by_revision": "a later file holds the record again",
    "deleted": "the record was deleted by its file or a later one",
    "duplicate_doi": "another article has the same DOI",
    "duplicate_title": "another article has the same title",
}
"""Every reason of a PubMed reject, in the order of the funnel, and what it means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Which records become items.

    Attributes:
        years: first and last publication year; None for all.
        language: three-letter code; None for all.
        language_match: the language is among the article's, or is its only one.
        min_sections: least number of sections with text, the conclusion included.
        conclusion_labels: a file of labels; None for the shipped list.
        all_labelled: every section with text must have a label.
        structured_only: skip records without a labelled section before parsing them; quicker,
            the same items, and ``no_abstract`` is not told from ``not_structured``.
    """

    years: tuple[int, int] | None = field(
        default=None, metadata={"about": "first and last publication year"}
    )
    language: str | None = field(
        default=None, metadata={"about": "three-letter language code, e.g. eng"}
    )
    language_match: Literal["any", "only"] = field(
        default="any", metadata={"about": "the language is among the article's, or the only one"}
    )
    min_sections: int = field(
        default=3, metadata={"about": "least number of sections with text", "minimum": 1}
    )
    conclusion_labels: str | None = field(
        default=None, metadata={"about": "file of conclusion labels, one a line", "path": True}
    )
    all_labelled: bool = field(default=True, metadata={"about": "every section must have a label"})
    structured_only: bool = field(
        default=True, metadata={"about": "skip unstructured records before parsing them"}
    )


@dataclass(frozen=True, slots=True)
class RecordRules:
    """Everything that decides about one record."""

    where: Where
    vocabulary: Vocabulary
    conclusions: Literal["join", "first"] = "join"
    leak_risk: Literal["keep", "drop", "reject"] = "keep"
    retracted: Literal["keep", "reject"] = "keep"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say about one record.

    Attributes:
        reason: the rule that rejects it; empty when it is kept.
        detail: what was found.
        division: input and conclusion; None when a rule before ``empty_conclusion`` rejects.
        notes: what was seen on the way, to be counted; ``label:X`` is a label that speaks of
            a conclusion and is not in the list.
    """

    reason: str = ""
    detail: str = ""
    division: Division | None = None
    notes: tuple[str, ...] = ()


def apply_rules(record: Article, rules: RecordRules) -> Verdict:
    """Ask the rules about one record.

    Args:
        record: the record as it was read.
        rules: what to ask.
    """
    given = [
        section if _speaks(section.label) else section._replace(label=None)
        for section in record.sections
    ]
    sections = undouble(given)
    notes = ["doubled_abstract"] if len(sections) < len(given) else []
    fault = _record_fault(record, sections, rules.where)
    if fault:
        return Verdict(*fault, notes=tuple(notes))
    notes += _near_misses(sections, rules.vocabulary)
    fault = _conclusion_fault(sections, rules.vocabulary)
    if fault:
        return Verdict(*fault, notes=tuple(notes))
    division = divide(
        sections, rules.vocabulary, conclusions=rules.conclusions, leak_risk=rules.leak_risk
    )
    fault = _item_fault(record, division, rules)
    if fault:
        return Verdict(*fault, division=division, notes=tuple(notes))
    return Verdict(division=division, notes=(*notes, *_kept_notes(record, division)))


def _speaks(label: str | None) -> bool:
    return label is not None and any(character.isalpha() for character in label)


def _record_fault(
    record: Article, sections: Sequence[Section], where: Where
) -> tuple[str, str] | None:
    full = [section for section in sections if section.text.strip()]
    if not full:
        return "no_abstract", ""
    labelled = sum(section.label is not None for section in full)
    if not labelled:
        return "not_structured", ""
    if where.all_labelled and labelled < len(full):
        return "unlabelled_section", f"{len(full) - labelled} of {len(full)} sections"
    if where.years and not _in_years(record.year, where.years):
        return "year", str(record.year or "no year")
    languages = record.languages
    if where.language and not _speaks_language(languages, where):
        return "language", ", ".join(languages) or "no language"
    if len(full) < where.min_sections:
        return "min_sections", f"{len(full)} sections"
    return None


def _in_years(year: int | None, years: tuple[int, int]) -> bool:
    return year is not None and years[0] <= year <= years[1]


def _speaks_language(languages: Sequence[str], where: Where) -> bool:
    if where.language_match == "only":
        return list(languages) == [where.language]
    return where.language in languages


def _near_misses(sections: Sequence[Section], vocabulary: Vocabulary) -> list[str]:
    return sorted(
        {
            f"label:{fold_label(section.label)}"
            for section in sections
            if section.label is not None
            and looks_like_conclusion(section.label)
            and not vocabulary.is_conclusion(section.label)
        }
    )


def _conclusion_fault(
    sections: Sequence[Section], vocabulary: Vocabulary
) -> tuple[str, str] | None:
    merged = [s.label for s in sections if s.text.strip() and vocabulary.is_merged(s.label)]
    if merged:
        return "merged_conclusion_label", str(merged[0])
    if not any(vocabulary.is_conclusion(section.label) for section in sections):
        near = [s.label for s in sections if looks_like_conclusion(s.label)]
        return "no_conclusion", f"nearest label: {near[0]}" if near else ""
    return None


def _item_fault(record: Article, division: Division, rules: RecordRules) -> tuple[str, str] | None:
    if not division.conclusion:
        return "empty_conclusion", ""
    if not division.input:
        return "empty_input", ", ".join(division.leak_labels)
    missing = [name for name in ("title", "journal", "year") if not getattr(record, name)]
    if missing:
        return "missing_field", ", ".join(missing)
    if record.retracted and rules.retracted == "reject":
        return "retracted", ""
    if division.leak_risk and rules.leak_risk == "reject":
        return "leak_risk", ", ".join(division.leak_labels)
    return None


def _kept_notes(record: Article, division: Division) -> list[str]:
    notes = [f"leak_{cause}" for cause in division.leak_causes]
    notes += ["leak_sections"] if division.leak_labels else []
    notes += ["retracted_kept"] if record.retracted else []
    notes += ["several_conclusions"] if division.conclusion_sections > 1 else []
    notes += ["malformed_label_removed"] if division.malformed else []
    return notes
