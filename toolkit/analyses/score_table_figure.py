"""The figure of scores side by side, a panel for each score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from toolkit.figures.base import Dots, Figure, Series
from toolkit.metrics.base import ScoreDefinition

__all__ = ["score_table_figure", "with_arrow"]

_Rows = Literal["model", "prompt", "both"]


def with_arrow(definition: ScoreDefinition) -> str:
    """Return the title of a score with an arrow towards its better end."""
    arrow = {"higher": " ↑", "lower": " ↓", "none": ""}.get(
        definition.direction, f" → {definition.target:g}" if definition.target is not None else ""
    )
    return f"{definition.title}{arrow}"


def score_table_figure(
    rows: Sequence[dict[str, Any]],
    definitions: Sequence[ScoreDefinition],
    *,
    rows_are: _Rows,
    name: str,
    title: str,
) -> Figure:
    """Return the means of each score with their intervals.

    Args:
        rows: of the table, with ``kind``, ``n_most`` and ``prompt`` though it may not show them.
        definitions: its scores, in order.
        rows_are: what a row stands for.
        name: of the figure.
        title: of the table.
    """
    labels = tuple(_label(row, rows_are) for row in rows)
    counts = [row["n"] for row in rows] + [row["n_most"] for row in rows]
    n = f"{min(counts):,}" + (f" to {max(counts):,}" if min(counts) != max(counts) else "")
    best = []
    for definition in definitions:
        first = [
            label
            for label, row in zip(labels, rows, strict=True)
            if row[f"{definition.name}_rank"] == 1
        ]
        if first:
            best.append(f"{definition.title}: {' and '.join(first)}")
    return Figure(
        name=name,
        title=f"{title}, n = {n}",
        alt="Means with intervals, a panel for each score."
        + (f" Best by {'; '.join(best)}." if best else ""),
        panels=tuple(_panel(labels, rows, definition) for definition in definitions),
        columns=min(2, len(definitions)),
    )


def _panel(
    labels: Sequence[str], rows: Sequence[dict[str, Any]], definition: ScoreDefinition
) -> Dots:
    """Return the means of one score.

    A reference that scores the same on every item is a number by its making, often far from all
    others: it stands in the title, for on the axis it would press them into one point.
    """
    name = definition.name
    constant = [_constant(row, name) for row in rows]
    if all(constant):
        constant = [False] * len(rows)
    kept = [at for at, away in enumerate(constant) if not away]
    shown = [rows[at] for at in kept]
    said = "; ".join(
        f"{labels[at]}: {row[name]:.{definition.digits}f}"
        for at, row in enumerate(rows)
        if constant[at]
    )
    return Dots(
        labels=tuple(labels[at] for at in kept),
        series=(
            Series(
                values=tuple(row[name] for row in shown),
                lows=tuple(row[f"{name}_low"] for row in shown),
                highs=tuple(row[f"{name}_high"] for row in shown),
            ),
        ),
        x=with_arrow(definition),
        title=f"{definition.title} ({said})" if said else definition.title,
    )


def _constant(row: dict[str, Any], name: str) -> bool:
    mean, low, high = row[name], row[f"{name}_low"], row[f"{name}_high"]
    if row["kind"] != "reference" or mean is None or row["n"] < 2:
        return False
    # A cosine of a vector with itself misses 1 by its last bits.
    return low is None or high - low < 1e-6


def _label(row: dict[str, Any], rows_are: _Rows) -> str:
    if rows_are == "prompt":
        return str(row["prompt"] or "no prompt")
    return f"{row['model']} {row['prompt']}".strip() if rows_are == "both" else str(row["model"])
