"""Probabilities that a logistic model says of each level of a factor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolkit.analyses.base import AnalysisColumn
from toolkit.analyses.factor_rows import FactorTable
from toolkit.analyses.names import file_name
from toolkit.figures.base import Dots, Figure, Series
from toolkit.statistics.linear_model import LinearFit
from toolkit.statistics.standardised import standardised

__all__ = ["MARGINS", "margin_figure", "margin_rows"]

MARGINS: Final = (
    AnalysisColumn("outcome", "string", "outcome"),
    AnalysisColumn("factor", "string", "factor"),
    AnalysisColumn("level", "string", "level"),
    AnalysisColumn("n", "int64", "n answers that have it", 0),
    AnalysisColumn("observed", "double", "share observed"),
    AnalysisColumn("probability", "double", "standardised probability"),
    AnalysisColumn("probability_low", "double", "low end of its 95 % interval"),
    AnalysisColumn("probability_high", "double", "high end of its 95 % interval"),
    AnalysisColumn("reason", "string", "why there is none; else empty"),
)


def margin_rows(table: FactorTable, fit: LinearFit, factors: Sequence[str]) -> list[dict[str, Any]]:
    """Return a line of :data:`MARGINS` for each level of some factors."""
    rows = []
    for name in factors:
        factor = table.design.names.index(name)
        for level, shown in enumerate(table.design.levels[factor]):
            found = standardised(fit, table.design, table.codes, factor, level)
            values = table.values[table.codes[:, factor] == level]
            rows.append(
                {
                    "outcome": table.score,
                    "factor": name,
                    "level": shown,
                    "n": len(values),
                    "observed": float(values.mean()),
                    "probability": found.value,
                    "probability_low": found.low,
                    "probability_high": found.high,
                    "reason": found.reason,
                }
            )
    return rows


def margin_figure(title: str, rows: Sequence[dict[str, Any]]) -> tuple[Figure, ...]:
    """Return a panel a factor; none where the model says nothing.

    Args:
        title: of the outcome.
        rows: its lines.
    """
    held = [row for row in rows if row["probability"] is not None]
    if not held:
        return ()
    panels = []
    for factor in dict.fromkeys(row["factor"] for row in held):
        lines = [row for row in held if row["factor"] == factor]
        series = Series(
            values=tuple(row["probability"] for row in lines),
            lows=tuple(row["probability_low"] for row in lines),
            highs=tuple(row["probability_high"] for row in lines),
        )
        labels = tuple(row["level"] for row in lines)
        panels.append(Dots(labels=labels, series=(series,), x="probability", title=factor))
    low = min(held, key=lambda row: row["probability"])
    high = max(held, key=lambda row: row["probability"])
    n = sum(row["n"] for row in held if row["factor"] == held[0]["factor"])
    return (
        Figure(
            name=file_name("gee_margins", held[0]["outcome"]),
            title=f"{title}: standardised probabilities with 95 % intervals (n = {n:,})",
            alt=f"Probabilities of {title} by {len(panels)} factors: from "
            f"{low['probability']:.3f} for {low['level']} to {high['probability']:.3f} for "
            f"{high['level']}.",
            panels=tuple(panels),
            columns=min(2, len(panels)),
        ),
    )
