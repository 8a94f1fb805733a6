"""The sentences of a dataset card that depend on what is released; all are Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote

from toolkit.gate.base import Level
from toolkit.gate.nlm import ACKNOWLEDGEMENT, CURRENCY
from toolkit.gate.recipe import License
from toolkit.recipe.publish_section import Rights
from toolkit.release.markdown import escape
from toolkit.release.withheld import HIDDEN, UNDER_COPYRIGHT
from toolkit.report.text import count, plural

__all__ = [
    "REASONS",
    "SOURCES",
    "biases",
    "build_notes",
    "kind",
    "license_line",
    "limits",
    "missing_texts",
    "personal",
    "rebuilding",
    "row_notes",
    "source",
    "split_notes",
    "terms",
]

SOURCES: Final = {
    "pubmed_xml": "PubMed XML files",
    "eutils": "PubMed records fetched with NLM's E-utilities",
    "hub": "a dataset of the Hugging Face Hub",
    "jsonl": "JSON Lines files",
    "parquet": "Parquet files",
}
"""Kinds of source in words."""

REASONS: Final = {
    "not_sampled": "the splits were full",
    "no_date": "without a date",
    "outside_dates": "dated outside the splits' years",
    "linked_across_dates": "linked to items of another split's years",
    "duplicate_of_released": "near-duplicates of an item released earlier",
    "links_released_splits": "near-duplicates of released items in two splits",
}
"""Why an item is in no split, in words."""

_LOOKED: Final = (
    "Every text was searched for e-mail addresses, telephone numbers, affiliations and marks of "
    "clinical records (`publish_gate.json` counts what was let through); nothing else was done to "
    "find or remove what might identify a person."
)
_LEAKS: Final = {
    "exact_duplicates": "equal texts",
    "near_duplicates": "near-duplicate texts",
}


def kind(level: Level, rows: int) -> str:
    """Return what the dataset is, in one sentence."""
    what = {
        "ids_only": "identifiers and checksums",
        "metadata": "metadata and checksums",
        "full_text": "texts and metadata",
    }[level]
    return f"{plural(rows, 'item')}: {what}."


def rebuilding(*, pubmed: bool) -> str:
    """Return what the command that stands first on the card does."""
    if pubmed:
        return (
            "brings the texts that are not in this dataset back from PubMed, or from PubMed files "
            "that you have, and proves each by its sha256. Records revised since are left out and "
            "listed; `--revised keep` takes them as they are now."
        )
    return "says where the texts come from that are not in this dataset."


def missing_texts(level: Level, *, pubmed: bool) -> str:
    """Return how the texts are found again; empty when they are there."""
    if level == "full_text":
        return ""
    if pubmed:
        return (
            "`item_id` is the PMID: fetch the record from PubMed, and compare the sha256 of its "
            "`input` and `conclusion` with `input_sha256` and `conclusion_sha256`. A difference "
            "means that the record was revised, or was read by other rules."
        )
    return (
        "`item_id` names the item in its source; `content_sha256` tells whether what you hold is "
        "what the benchmark was made from."
    )


def source(name: str) -> str:
    """Return the kind of source for people."""
    return SOURCES.get(name) or escape(name)


def build_notes(unsplit: Mapping[str, int], *, sjr: bool, sjr_withheld: bool) -> list[str]:
    """Return what else happened on the way."""
    notes = [
        f"{plural(rows, 'item')} in no split: {escape(REASONS.get(reason, reason))}."
        for reason, rows in sorted(unsplit.items())
    ]
    if sjr:
        notes.append(
            "Journals were joined by ISSN, then by title, with SCImago Journal Rank values of a "
            "year not later than the article's."
        )
    if sjr_withheld:
        notes.append(
            "SCImago Journal Rank values were joined and are left out here: they "
            "are third-party data. ISSN and year are given, so that you can join your own copy."
        )
    return notes


def row_notes(withheld: Mapping[str, int], retracted: int, hidden: str) -> list[str]:
    """Return what is special of single rows: texts left out, retractions."""
    notes = []
    held = sum(rows for reason, rows in withheld.items() if UNDER_COPYRIGHT in reason)
    if held:
        notes.append(
            f"Texts of {plural(held, 'record')} are left out: a copyright statement came with the "
            "record, and nothing says that its text may be passed on. Ids and checksums of these "
            "rows are there, and `withheld` says `copyright`."
        )
    unseen = sum(rows for reason, rows in withheld.items() if HIDDEN in reason)
    if unseen:
        notes.append(
            f"The references of the split {escape(hidden)} ({plural(unseen, 'item')}) are not "
            "released; `withheld` says `hidden`."
        )
    if retracted:
        notes.append(
            f"{plural(retracted, 'article')} had been retracted when the data were made: see "
            "`retracted`."
        )
    return notes


def split_notes(assignment: str, leaks: Sequence[tuple[str, int]]) -> list[str]:
    """Return what is known of the splits."""
    notes = [
        escape(assignment)
        or "The recipe makes no splits: all items stand in one, which is for evaluation."
    ]
    if leaks:
        found = "; ".join(
            f"{_LEAKS.get(name) or escape(name)}: {count(clusters)}" for name, clusters in leaks
        )
        notes.append(
            f"Sets of items that stand in more than one split, by what links them: {found}."
        )
    return notes


def license_line(license: License) -> str:
    """Return the licence in a sentence."""
    if license.name and license.link:
        link = quote(license.link, safe=":/?#@!$&'*+,;=%~-._")
        return f"Licence: [{escape(license.name)}]({link})."
    return f"Licence: {escape(license.id)}."


def terms(level: Level, *, pubmed: bool, sjr: bool, rights: Rights | None = None) -> list[str]:
    """Return whose data it is and on what terms."""
    found = []
    if pubmed:
        found.append(
            f"Data that come from PubMed are {ACKNOWLEDGEMENT} (NLM). NLM has not reviewed or "
            "endorsed this dataset."
        )
        found.append(
            f"**This dataset {CURRENCY}.** Records are revised, retracted and withdrawn after a "
            "dataset is made; look an article up by its PMID before relying on it."
        )
    if pubmed and level == "full_text":
        found.append(
            "Abstracts may be protected by copyright, whose holder need not be NLM; `copyright` "
            "holds the statement that came with a record. Whoever uses or passes on the texts is "
            "responsible for doing so lawfully."
        )
    if rights is not None and level == "full_text":
        found.append(
            "The publisher states a right to release every text. Stated by: "
            f"{escape(rights.acknowledged_by)}. Reason given: {escape(rights.reason)}."
        )
    if sjr:
        found.append(
            "SCImago Journal Rank values are SCImago's and are published by right of this "
            "dataset's publisher."
        )
    return found


def personal(level: Level, *, pubmed: bool) -> str:
    """Return what is known of personal data."""
    if level == "ids_only":
        return "There is no text here: identifiers and checksums only." + (
            " A checksum of a short value can be guessed by trying values."
        )
    if pubmed:
        return (
            "Names, affiliations and e-mail addresses of authors were not taken over from the "
            "records. Titles and abstracts are published texts; some describe single patients. "
            f"{_LOOKED}"
        )
    return f"The columns are as in the source. {_LOOKED}"


def biases(*, pubmed: bool) -> list[str]:
    """Return how what is in the dataset differs from what there is."""
    if not pubmed:
        return ["Rows are those of the source: who or what it leaves out is left out here."]
    return [
        "Structured abstracts only: journals and study types that use them are overrepresented.",
        "Mostly in English, from journals that MEDLINE or PubMed Central take up.",
        "Conclusions are their authors' own; published research favours positive findings.",
    ]


def limits(level: Level, *, pubmed: bool) -> list[str]:
    """Return what the dataset is not."""
    found = []
    if pubmed:
        found += [
            "The sections of an abstract are as its authors labelled them: where results and "
            "conclusion share a section, or a section restates the conclusion, rules decided.",
            "Models may have read these articles in training; a score on them need not be a "
            "score on new ones.",
            "This is a benchmark for text systems, and no source of medical advice.",
        ]
    else:
        found.append(
            "Rows are as the source gave them; only what the table above lists was removed."
        )
    if level != "full_text":
        found.append("Without the texts the scores of a leaderboard cannot be computed again.")
    return found
