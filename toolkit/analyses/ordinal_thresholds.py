"""Odds ratios of an ordered score at each threshold, and whether they are the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.base import AnalysisColumn
from toolkit.analyses.factor_contrasts import CONTRASTS, FAMILY, Planned, contrast_rows
from toolkit.analyses.factor_rows import FactorTable
from toolkit.analyses.factor_tests import unit_rows
from toolkit.analyses.names import file_name
from toolkit.figures.base import Dots, Figure, Series
from toolkit.statistics.factorial import Factorial, Term
from toolkit.statistics.linear_model import LinearFit, odds_ratio, wald_test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "THRESHOLDS",
    "THRESHOLD_FAMILY",
    "proportionality",
    "threshold_figure",
    "threshold_rows",
]

THRESHOLD_FAMILY: Final = (*FAMILY, "threshold")

THRESHOLDS: Final = (
    *CONTRASTS[:6],
    AnalysisColumn("threshold", "double", "reaching this value or a higher one", 1),
    *CONTRASTS[6:-4],
    AnalysisColumn("ratio", "double", "ratio to the odds ratio of the lowest threshold"),
    AnalysisColumn("ratio_low", "double", "low end of its 95 % interval"),
    AnalysisColumn("ratio_high", "double", "high end of its 95 % interval"),
    AnalysisColumn("ratio_p", "double", "p of a ratio of 1, two-sided", 4),
    *CONTRASTS[-4:],
)


def threshold_rows(
    table: FactorTable, joint: LinearFit, plan: Sequence[Planned], steps: Sequence[float]
) -> list[dict[str, Any]]:
    """Return a line of :data:`THRESHOLDS` for each contrast and threshold.

    Args:
        table: the rows of the models.
        joint: the models of all thresholds together.
        plan: the contrasts.
        steps: the values above the lowest, ascending.
    """
    design = table.design
    lines = []
    for at, step in enumerate(steps):
        fit = joint.reaching[at]
        tested = {term: wald_test(fit, unit_rows(design, term)).p for term in design.terms}
        rows = contrast_rows(table, fit, plan, tested)
        for each, row in zip(plan, rows, strict=True):
            lines.append(row | {"threshold": step} | _ratio(each, joint, design, at))
    order = {id(row): (place % len(plan), place) for place, row in enumerate(lines)}
    return sorted(lines, key=lambda row: order[id(row)])


def proportionality(
    joint: LinearFit, design: Factorial, steps: int, terms: Sequence[Term]
) -> dict[str, Any]:
    """Test that the coefficients of terms are the same at all thresholds.

    Args:
        joint: the models of all thresholds together.
        design: the factors.
        steps: number of thresholds; with one there is nothing to test.
        terms: which terms.
    """
    import numpy as np

    nothing = {"proportional_chi2": None, "proportional_df": None, "proportional_p": None}
    if joint.reason or steps < 2 or not terms:
        return nothing
    picked = np.vstack([unit_rows(design, term) for term in terms])
    blank = np.zeros_like(picked)
    rows = np.vstack(
        [
            np.hstack([-picked if at == 0 else picked if at == step else blank
                       for at in range(steps)])
            for step in range(1, steps)
        ]
    )  # fmt: skip
    found = wald_test(joint, rows)
    return {
        "proportional_chi2": found.chi2,
        "proportional_df": found.df,
        "proportional_p": found.p,
    }


def threshold_figure(title: str, rows: Sequence[dict[str, Any]]) -> tuple[Figure, ...]:
    """Return a panel a factor: odds ratios over all cells, a series a threshold.

    Args:
        title: of the outcome.
        rows: its lines.
    """
    held = [row for row in rows if not row["within"] and row.get("odds_ratio_low") is not None]
    if not held:
        return ()
    panels = []
    steps = sorted({row["threshold"] for row in held})
    for factor in dict.fromkeys(row["factor"] for row in held):
        members = {
            (row["first"], row["second"], row["threshold"]): row
            for row in held
            if row["factor"] == factor
        }
        sides = list(dict.fromkeys((first, second) for first, second, _ in members))
        series = []
        for step in steps:
            lines = [members.get((*side, step), {}) for side in sides]
            series.append(
                Series(
                    name=f"{step:g} or more",
                    values=tuple(row.get("odds_ratio") for row in lines),
                    lows=tuple(row.get("odds_ratio_low") for row in lines),
                    highs=tuple(row.get("odds_ratio_high") for row in lines),
                )
            )
        labels = tuple(f"{first} / {second}" for first, second in sides)
        panels.append(
            Dots(labels=labels, series=tuple(series), x="odds ratio", title=factor, line=1.0,
                 scale="log")
        )  # fmt: skip
    return (
        Figure(
            name=file_name("ordinal_thresholds", held[0]["outcome"]),
            title=f"{title}: odds ratios of reaching each value, 95 % intervals "
            f"({held[0]['clusters']:,} clusters)",
            alt=f"Odds ratios of {title} at {len(steps)} thresholds between levels of "
            f"{len(panels)} factors. Where the dots of a line part, one odds ratio for all "
            "thresholds means nothing.",
            panels=tuple(panels),
            columns=min(2, len(panels)),
        ),
    )


def _ratio(each: Planned, joint: LinearFit, design: Factorial, at: int) -> dict[str, Any]:
    import numpy as np

    if at == 0 or each.absent:
        return {"ratio": None, "ratio_low": None, "ratio_high": None, "ratio_p": None}
    row: NDArray[np.float64] = np.zeros(len(joint.params))
    weights = each.row(design)
    row[at * design.size : (at + 1) * design.size] = weights
    row[: design.size] = -weights
    found = odds_ratio(joint, row)
    return {
        "ratio": found.value,
        "ratio_low": found.low,
        "ratio_high": found.high,
        "ratio_p": found.p,
    }
