"""The files that a person reviews: the proposed dictionary, and the terms left out of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final

from toolkit.lexicon.build import Left, Proposed
from toolkit.perturb.dictionary import COLUMNS, Entry

__all__ = ["REVIEW_COLUMNS", "entry_cells", "left_text", "review_text"]

REVIEW_COLUMNS: Final = (*COLUMNS, "texts", "found_by", "concept", "cosine")
"""Columns of a dictionary, and four that tell a reviewer where an entry comes from."""


def review_text(proposed: Iterable[Proposed]) -> str:
    """Return the file for review as CSV; it is read as a dictionary as it is."""
    return _csv(
        REVIEW_COLUMNS,
        (
            (*entry_cells(one.entry), str(one.texts), one.found_by, one.concept,
             f"{one.cosine:.3f}")
            for one in proposed
        ),
    )  # fmt: skip


def left_text(left: Iterable[Left]) -> str:
    """Return the terms that were left out, with the reason, as CSV."""
    columns = ("term", "texts", "reason", "concept", "cosine")
    return _csv(
        columns,
        ((one.term, str(one.texts), one.reason, one.concept, f"{one.cosine:.3f}") for one in left),
    )


def entry_cells(entry: Entry) -> tuple[str, ...]:
    """Return the cells of an entry, in the order of a dictionary's columns."""
    return (
        entry.term,
        entry.category,
        "; ".join(entry.alternatives),
        entry.source,
        "yes" if entry.mutual_opposite else "no",
        "yes" if entry.approved else "no",
        entry.approved_by,
        entry.approved_on,
    )


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()
