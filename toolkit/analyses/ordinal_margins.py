"""Probabilities of reaching each value of an ordered score, by level of a factor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolkit.analyses.base import AnalysisColumn
from toolkit.analyses.factor_rows import FactorTable
from toolkit.analyses.names import file_name
from toolkit.figures.base import Dots, Figure, Series
from toolkit.statistics.linear_model import LinearFit
from toolkit.statistics.standardised import standardised

__all__ = ["ORDERED_MARGINS", "ordered_margin_figures", "ordered_margin_rows"]

_KINDS: Final = {"probability": "the value's own model", "proportional": "proportional odds"}

ORDERED_MARGINS: Final = (
    AnalysisColumn("outcome", "string", "outcome"),
    AnalysisColumn("factor", "string", "factor"),
    AnalysisColumn("level", "string", "level"),
    AnalysisColumn("threshold", "double", "reaching this value or a higher one", 1),
    AnalysisColumn("n", "int64", "n answers that have the level", 0),
    AnalysisColumn("observed", "double", "share observed"),
    AnalysisColumn("probability", "double", "standardised probability, the value's own model"),
    AnalysisColumn("probability_low", "double", "low end of its 95 % interval"),
    AnalysisColumn("probability_high", "double", "high end of its 95 % interval"),
    AnalysisColumn("proportional", "double", "standardised probability, proportional odds"),
    AnalysisColumn("proportional_low", "double", "low end of its 95 % interval"),
    AnalysisColumn("proportional_high", "double", "high end of its 95 % interval"),
    AnalysisColumn("reason", "string", "why the value's own model says nothing; else empty"),
    AnalysisColumn(
        "proportional_reason", "string", "why the proportional odds model says nothing; else empty"
    ),
)


def ordered_margin_rows(
    table: FactorTable,
    fit: LinearFit,
    joint: LinearFit,
    factors: Sequence[str],
    steps: Sequence[float],
) -> list[dict[str, Any]]:
    """Return a line of :data:`ORDERED_MARGINS` for each level of some factors and threshold.

    Args:
        table: the rows of the models.
        fit: the proportional odds model.
        joint: the models of all thresholds together.
        factors: whose levels.
        steps: the values above the lowest, ascending.
    """
    reaching = fit.reaching or (fit,) * len(steps)
    rows = []
    for name in factors:
        factor = table.design.names.index(name)
        for level, shown in enumerate(table.design.levels[factor]):
            values = table.values[table.codes[:, factor] == level]
            for at, step in enumerate(steps):
                one, other = (
                    standardised(each, table.design, table.codes, factor, level)
                    for each in (joint.reaching[at], reaching[at])
                )
                rows.append(
                    {
                        "outcome": table.score,
                        "factor": name,
                        "level": shown,
                        "threshold": step,
                        "n": len(values),
                        "observed": float((values >= step).mean()),
                        "probability": one.value,
                        "probability_low": one.low,
                        "probability_high": one.high,
                        "proportional": other.value,
                        "proportional_low": other.low,
                        "proportional_high": other.high,
                        "reason": one.reason,
                        "proportional_reason": other.reason,
                    }
                )
    return rows


def ordered_margin_figures(title: str, rows: Sequence[dict[str, Any]]) -> tuple[Figure, ...]:
    """Return a figure a threshold with a panel a factor; none where no model says anything.

    Args:
        title: of the outcome.
        rows: its lines.
    """
    held = [row for row in rows if any(row[kind] is not None for kind in _KINDS)]
    steps = sorted({row["threshold"] for row in held})
    return tuple(_figure(title, [row for row in held if row["threshold"] == s]) for s in steps)


def _figure(title: str, rows: Sequence[dict[str, Any]]) -> Figure:
    panels = []
    for factor in dict.fromkeys(row["factor"] for row in rows):
        lines = [row for row in rows if row["factor"] == factor]
        labels = tuple(row["level"] for row in lines)
        panels.append(
            Dots(labels=labels, series=tuple(_series(lines)), x="probability", title=factor)
        )
    kind = next(kind for kind in _KINDS if any(row[kind] is not None for row in rows))
    told = [row for row in rows if row[kind] is not None]
    low, high = min(told, key=lambda row: row[kind]), max(told, key=lambda row: row[kind])
    step = rows[0]["threshold"]
    n = sum(row["n"] for row in rows if row["factor"] == rows[0]["factor"])
    return Figure(
        name=file_name("ordinal_margins", rows[0]["outcome"], f"{step:g}"),
        title=f"{title}: standardised probabilities of {step:g} or more with 95 % intervals "
        f"(n = {n:,})",
        alt=f"Probabilities that {title} is {step:g} or more, by {len(panels)} factors: from "
        f"{low[kind]:.3f} for {low['level']} to {high[kind]:.3f} for {high['level']} by "
        f"{_KINDS[kind]}. Where the dots of a line part, odds are not proportional.",
        panels=tuple(panels),
        columns=min(2, len(panels)),
    )


def _series(lines: Sequence[dict[str, Any]]) -> Iterator[Series]:
    for kind, name in _KINDS.items():
        if any(row[kind] is not None for row in lines):
            yield Series(
                name=name,
                values=tuple(row[kind] for row in lines),
                lows=tuple(row[f"{kind}_low"] for row in lines),
                highs=tuple(row[f"{kind}_high"] for row in lines),
            )
