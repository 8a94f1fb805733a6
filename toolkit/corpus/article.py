"""What a PubMed record is once it is read: typed fields, before any rule.

Authors, affiliations, investigators and grants are not among them, on purpose: no later step
needs personal data, and what is never read cannot leak into a published dataset.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

__all__ = ["MAX_KEYWORD", "Article", "Correction", "OtherAbstract", "Section", "clean_keywords"]

MAX_KEYWORD: Final = 100
"""Longest keyword kept, in characters."""


class Section(NamedTuple):
    """One ``AbstractText``: label and NLM category as given (null when absent), and its text."""

    label: str | None
    category: str | None
    text: str


class OtherAbstract(NamedTuple):
    """An abstract outside the article itself: plain-language summaries, translations."""

    type: str
    language: str
    sections: list[Section]


class Correction(NamedTuple):
    """A linked comment, erratum or retraction: its RefType and PMID (null when not given)."""

    type: str
    item_id: str | None


class Article(NamedTuple):
    """One record, in the columns of ``toolkit.records.ARTICLE`` and their order."""

    item_id: str
    version: int
    status: str | None
    title: str | None
    vernacular_title: str | None
    journal: str | None
    journal_abbreviation: str | None
    medline_ta: str | None
    nlm_unique_id: str | None
    issn_print: str | None
    issn_electronic: str | None
    issn_linking: str | None
    volume: str | None
    issue: str | None
    pages: str | None
    doi: str | None
    pii: str | None
    pmcid: str | None
    languages: list[str]
    year: int | None
    month: int | None
    day: int | None
    season: str | None
    medline_date: str | None
    article_date: str | None
    date_revised: str | None
    publication_types: list[str]
    keywords: list[str]
    mesh: list[str]
    sections: list[Section]
    other_abstracts: list[OtherAbstract]
    copyright: str | None
    corrections: list[Correction]
    retracted: bool
    source_file: str

    @property
    def structured(self) -> bool:
        """Whether any section of the abstract has a label."""
        return any(section.label for section in self.sections)

    def row(self) -> dict[str, Any]:
        """Return the record as plain dictionaries and lists, as ``records.to_arrow`` takes it."""
        row = self._asdict()
        row["sections"] = [section._asdict() for section in self.sections]
        row["other_abstracts"] = [
            {**other._asdict(), "sections": [section._asdict() for section in other.sections]}
            for other in self.other_abstracts
        ]
        row["corrections"] = [correction._asdict() for correction in self.corrections]
        return row


def clean_keywords(keywords: Iterable[str]) -> list[str]:
    """Drop keywords that are empty, overlong or not ASCII, and repeated ones; keep the order."""
    return list(
        dict.fromkeys(
            keyword
            for keyword in keywords
            if keyword and len(keyword) <= MAX_KEYWORD and keyword.isascii()
        )
    )
