"""Columns and figure of the edits that a judge's lists lack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolkit.analyses.base import AnalysisColumn
from toolkit.figures.base import Dots, Figure, Series

__all__ = ["ALL_CATEGORIES", "CARRIED", "EXTRA", "columns_by", "miss_figure"]

ALL_CATEGORIES: Final = "all categories"

_TERMS_SHOWN: Final = 20


def _share(n: str, count: str, share: str) -> tuple[AnalysisColumn, ...]:
    return (
        AnalysisColumn("n", "int64", n, 0),
        AnalysisColumn("clusters", "int64", "original items behind them", 0),
        AnalysisColumn("count", "int64", count, 0),
        AnalysisColumn("share", "double", share),
        AnalysisColumn("share_low", "double", "low end of its 95 % interval"),
        AnalysisColumn("share_high", "double", "high end of its 95 % interval"),
        AnalysisColumn("reason", "string", "why something is missing; else empty", 0),
    )


def columns_by(*names: str) -> tuple[AnalysisColumn, ...]:
    """Return the columns of a table of misses by some columns."""
    return (
        *(AnalysisColumn(name, "string", name, 0) for name in names),
        *_share("substitutions in judged answers", "missed by the judge's list", "miss rate"),
    )


EXTRA: Final = (
    AnalysisColumn("model", "string", "model", 0),
    AnalysisColumn("level", "string", "level", 0),
    AnalysisColumn("read", "int64", "replies with a list", 0),
    AnalysisColumn("unread", "int64", "replies without one, left out", 0),
    *_share("alterations listed", "that are none of the edits", "share that is none"),
)

CARRIED: Final = (
    AnalysisColumn("model", "string", "model", 0),
    AnalysisColumn("level", "string", "level", 0),
    AnalysisColumn("n", "int64", "answers with a score", 0),
    AnalysisColumn("clusters", "int64", "original items behind them", 0),
    AnalysisColumn("share", "double", "mean share of substitutions carried"),
    AnalysisColumn("share_low", "double", "low end of its 95 % interval"),
    AnalysisColumn("share_high", "double", "high end of its 95 % interval"),
    AnalysisColumn("reason", "string", "why something is missing; else empty", 0),
)


def miss_figure(
    by_model: Sequence[dict[str, Any]], by_term: Sequence[dict[str, Any]]
) -> tuple[Figure, ...]:
    """Return a panel of categories, one series a model, and one of the most frequent terms.

    Args:
        by_model: lines with ``model`` and ``category``; those of all categories are left out.
        by_term: lines with ``term`` of all models together.
    """
    held = [row for row in by_model if row["category"] != ALL_CATEGORIES]
    if not held:
        return ()
    categories = tuple(sorted({row["category"] for row in held}))
    panels = [
        Dots(
            labels=categories,
            series=tuple(
                _series(model, [_line(held, model, name) for name in categories])
                for model in dict.fromkeys(row["model"] for row in held)
            ),
            x="miss rate",
            title="by category",
        )
    ]
    frequent = sorted(by_term, key=lambda row: (-row["n"], row["category"], row["term"]))
    frequent = sorted(
        frequent[:_TERMS_SHOWN], key=lambda row: (-row["share"], row["category"], row["term"])
    )
    if frequent:
        labels = tuple(f"{row['term']} ({row['n']:,})" for row in frequent)
        title = f"the {len(frequent)} most frequent terms, all models"
        panels.append(
            Dots(labels=labels, series=(_series("", frequent),), x="miss rate", title=title)
        )
    n = sum(row["n"] for row in held)
    missed = sum(row["count"] for row in held)
    return (
        Figure(
            name="edit_misses",
            title=f"Edits that the judge's lists lack, with 95 % Wilson intervals (n = {n:,})",
            alt=f"Miss rates of {len(categories)} categories by model. Of {n:,} substitutions in "
            f"judged answers {missed:,} are missed.",
            panels=tuple(panels),
        ),
    )


def _line(rows: Sequence[dict[str, Any]], model: str, category: str) -> dict[str, Any]:
    found = [row for row in rows if (row["model"], row["category"]) == (model, category)]
    return found[0] if found else {}


def _series(name: str, rows: Sequence[dict[str, Any]]) -> Series:
    return Series(
        name=name,
        values=tuple(row.get("share") for row in rows),
        lows=tuple(row.get("share_low") for row in rows),
        highs=tuple(row.get("share_high") for row in rows),
    )
