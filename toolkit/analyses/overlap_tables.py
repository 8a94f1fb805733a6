"""Columns and figures of items found in a training corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs
from toolkit.analyses.item_halves import half_columns
from toolkit.figures.base import Dots, Figure, Histogram, Series

__all__ = ["ITEMS", "SCORES", "SUMMARY", "overlap_figures"]

_BINS: Final = 20


def overlap_figures(
    shares: Mapping[str, Sequence[float]],
    rows: Sequence[dict[str, Any]],
    flagged: int,
    inputs: AnalysisInputs,
) -> tuple[Figure, ...]:
    """Return how shares of n-grams are distributed, and what flagged items change.

    Args:
        shares: by column, the share of each text's n-grams that were found.
        rows: lines of the table of scores.
        flagged: how many items are flagged.
        inputs: definitions of the scores.
    """
    found = []
    if any(shares.values()):
        found.append(_shares(shares))
    known = [row for row in rows if row["difference"] is not None]
    if known:
        found.append(_differences(known, flagged, inputs))
    return tuple(found)


def _shares(shares: Mapping[str, Sequence[float]]) -> Figure:
    panels = []
    for column, values in shares.items():
        counts = [0.0] * _BINS
        for value in values:
            counts[min(int(value * _BINS), _BINS - 1)] += 1
        panels.append(
            Histogram(
                edges=tuple(at / _BINS for at in range(_BINS + 1)),
                counts=tuple(counts),
                x="share of n-grams found",
                y="items",
                title=f"{column} (n = {len(values)})",
            )
        )
    n = max(len(values) for values in shares.values())
    some = max(sum(value > 0 for value in values) for values in shares.values())
    return Figure(
        name="training_overlap",
        title=f"Share of each item's n-grams found in the training corpus, n up to {n} items",
        alt=f"Histograms of the share of n-grams found, one a text column. At most {some} items "
        "of a column share any.",
        panels=tuple(panels),
        columns=min(2, len(panels)),
    )


def _differences(rows: Sequence[dict[str, Any]], flagged: int, inputs: AnalysisInputs) -> Figure:
    panels = []
    for score in dict.fromkeys(row["score"] for row in rows):
        held = [row for row in rows if row["score"] == score]
        title = inputs.definition(score).title
        panels.append(
            Dots(
                labels=tuple(_label(row) for row in held),
                series=(
                    Series(
                        values=tuple(row["difference"] for row in held),
                        lows=tuple(row["difference_low"] for row in held),
                        highs=tuple(row["difference_high"] for row in held),
                    ),
                ),
                x=f"flagged minus others, {title}",
                title=title,
                line=0.0,
            )
        )
    tested = [row for row in rows if row["p_adjusted"] is not None]
    sure = sum(row["p_adjusted"] < 0.05 for row in tested)
    return Figure(
        name="training_overlap_scores",
        title=f"Scores of {flagged} items found in the training corpus minus the others'",
        alt=f"Differences of mean scores with 95 % intervals; {sure} of {len(tested)} have an "
        "adjusted p below 0.05.",
        panels=tuple(panels),
        columns=min(2, len(panels)),
    )


def _label(row: dict[str, Any]) -> str:
    return f"{row['model']} {row['prompt']}" if row["prompt"] else str(row["model"])


def _columns(*columns: tuple[str, Any, str, int]) -> tuple[AnalysisColumn, ...]:
    return tuple(AnalysisColumn(*column) for column in columns)


SUMMARY: Final = _columns(
    ("column", "string", "text column", 0),
    ("n", "int64", "items with a text", 0),
    ("n_short", "int64", "too short for an n-gram", 0),
    ("n_exact", "int64", "copies", 0),
    ("n_near", "int64", "near-duplicates beside them", 0),
    ("n_any", "int64", "with an n-gram found", 0),
    ("n_flagged", "int64", "flagged", 0),
    ("flagged", "double", "share flagged", 3),
    ("flagged_low", "double", "low end of the 95 % interval", 3),
    ("flagged_high", "double", "high end of the 95 % interval", 3),
    ("mean_share", "double", "mean share of n-grams found", 3),
    ("longest", "int64", "longest run of words found", 0),
)

ITEMS: Final = _columns(
    ("item_id", "string", "item", 0),
    ("column", "string", "text column", 0),
    ("exact", "bool", "copy", 0),
    ("jaccard", "double", "similarity of its near-duplicate", 3),
    ("where", "string", "file and line of the copy or near-duplicate", 0),
    ("ngrams", "int64", "n-grams", 0),
    ("share", "double", "share of them found", 3),
    ("longest", "int64", "longest run of words found", 0),
)

SCORES: Final = (
    *_columns(
        ("score", "string", "score", 0),
        ("model", "string", "model", 0),
        ("prompt", "string", "prompt", 0),
        ("n", "int64", "items with a value", 0),
        ("mean", "double", "mean of all", 3),
    ),
    *half_columns("flagged", "clean", ("flagged", "not flagged")),
)
