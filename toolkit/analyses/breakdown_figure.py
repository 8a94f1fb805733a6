"""The figure of scores by subgroup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolkit.analyses.base import AnalysisInputs
from toolkit.analyses.units import ALL_MODELS, size_range
from toolkit.figures.base import Dots, Figure, Series

__all__ = ["breakdown_figure"]

_GROUPS: Final = 20
_SERIES: Final = 5


def breakdown_figure(
    rows: Sequence[dict[str, Any]], columns: Sequence[str], inputs: AnalysisInputs
) -> tuple[Figure, ...]:
    """Return a panel a score: the largest groups, the mean of all models where there is one.

    Args:
        rows: lines of the table of cells.
        columns: the columns whose values name a group.
        inputs: definitions of the scores.
    """
    if not rows:
        return ()
    panels = []
    for score in dict.fromkeys(row["score"] for row in rows):
        shown = _shown([row for row in rows if row["score"] == score])
        labels = _largest(shown, columns)
        units = list(dict.fromkeys((row["model"], row["prompt"]) for row in shown))
        by_key = {(row["model"], row["prompt"], _label(row, columns)): row for row in shown}
        panels.append(
            Dots(
                labels=tuple(labels),
                series=tuple(
                    _series(unit, [by_key.get((*unit, label), {}) for label in labels])
                    for unit in units
                ),
                x=inputs.definition(score).title,
                title=inputs.definition(score).title,
            )
        )
    sizes = [row["n"] for row in rows]
    groups = len({_label(row, columns) for row in rows})
    by = " and ".join(columns)
    return (
        Figure(
            name="breakdown",
            title=f"Scores by {by}: {groups} groups, n = {size_range(sizes)} items each",
            alt=f"Mean scores with 95 % intervals for the largest of {groups} groups by {by}; "
            + _extremes(rows, columns, inputs),
            panels=tuple(panels),
            columns=min(2, len(panels)),
        ),
    )


def _shown(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    pooled = [row for row in rows if row["model"] == ALL_MODELS]
    if pooled:
        return pooled
    units = list(dict.fromkeys((row["model"], row["prompt"]) for row in rows))[:_SERIES]
    return [row for row in rows if (row["model"], row["prompt"]) in units]


def _largest(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> list[str]:
    sizes: dict[str, int] = {}
    for row in rows:
        label = _label(row, columns)
        sizes[label] = max(sizes.get(label, 0), row["n"])
    kept = set(sorted(sizes, key=lambda label: (-sizes[label], label))[:_GROUPS])
    # Bands stay in their order.
    return [label for label in sizes if label in kept]


def _series(unit: tuple[str, str], rows: Sequence[dict[str, Any]]) -> Series:
    return Series(
        name=" ".join(part for part in unit if part),
        values=tuple(row.get("mean") for row in rows),
        lows=tuple(row.get("mean_low") for row in rows),
        highs=tuple(row.get("mean_high") for row in rows),
    )


def _label(row: dict[str, Any], columns: Sequence[str]) -> str:
    return ", ".join(row[name] for name in columns)


def _extremes(
    rows: Sequence[dict[str, Any]], columns: Sequence[str], inputs: AnalysisInputs
) -> str:
    first = [row for row in _shown([r for r in rows if r["score"] == rows[0]["score"]])]
    low, high = (pick(first, key=lambda row: row["mean"]) for pick in (min, max))
    title = inputs.definition(rows[0]["score"]).title
    return (
        f"{title} is lowest for {_label(low, columns)} ({low['mean']:.3g}, n {low['n']}) and "
        f"highest for {_label(high, columns)} ({high['mean']:.3g}, n {high['n']})."
    )
