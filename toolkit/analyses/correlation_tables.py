"""Tables and figures of correlations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.families import family_note
from toolkit.analyses.names import file_name
from toolkit.figures.base import Figure, Scatter

if TYPE_CHECKING:
    from toolkit.analyses.correlation import Correlation, Panel

__all__ = ["correlation_tables"]

_SIGNS: Final = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}
_A_PAGE: Final = 12
"""Panels of one figure."""

_HEAD: Final = (
    AnalysisColumn("column", "string", "column", 0),
    AnalysisColumn("score", "string", "score", 0),
    AnalysisColumn("model", "string", "model", 0),
    AnalysisColumn("prompt", "string", "prompt", 0),
)

_COEFFICIENTS: Final = (
    *_HEAD,
    AnalysisColumn("method", "string", "coefficient", 0),
    AnalysisColumn("n", "int64", "n", 0),
    AnalysisColumn("n_clusters", "int64", "independent rows", 0),
    AnalysisColumn("coefficient", "double", "value, -1 to 1", 3),
    AnalysisColumn("coefficient_low", "double", "low end of the 95 % interval", 3),
    AnalysisColumn("coefficient_high", "double", "high end of the 95 % interval", 3),
    AnalysisColumn("stars", "string", "stars", 0),
    AnalysisColumn("p", "double", "p, two-sided", 4),
    AnalysisColumn("p_adjusted", "double", "p adjusted for all panels", 4),
    AnalysisColumn("stars_adjusted", "string", "stars of the adjusted p", 0),
    AnalysisColumn("reason", "string", "why a number is missing", 0),
)

_LEFT_OUT: Final = (
    *_HEAD,
    AnalysisColumn("n", "int64", "rows correlated", 0),
    AnalysisColumn("n_items", "int64", "items with both numbers", 0),
    AnalysisColumn("without_column", "int64", "scored items without the column", 0),
    AnalysisColumn("undated", "int64", "items without a date before the counts", 0),
    AnalysisColumn("without_group", "int64", "items in no group", 0),
    AnalysisColumn("small_groups", "int64", "groups with too few items", 0),
    AnalysisColumn("items_in_small_groups", "int64", "items in these groups", 0),
    AnalysisColumn("shared_items", "int64", "items in several groups", 0),
    AnalysisColumn("outliers", "int64", "rows left out as outliers", 0),
)


def correlation_tables(
    panels: Sequence[Panel],
    rows: list[dict[str, Any]],
    analysis: Correlation,
    inputs: AnalysisInputs,
) -> list[AnalysisTable]:
    """Return the table of coefficients with its figures, and that of what was left out.

    Args:
        panels: what was correlated.
        rows: of the first table, adjusted.
        analysis: with its parameters.
        inputs: definitions of the scores.
    """
    p = analysis.params
    signature = (
        f"correlation|version:{analysis.version}|with:{'+'.join(p.with_)}"
        f"|level:{p.level or 'item'}|minimum:{p.minimum}|outliers:{p.outliers}"
        f"|cluster:{p.cluster or 'none'}|correction:{p.correction}"
        + (f"|per_day_since:{p.per_day_since}|as_of:{p.as_of}" if p.per_day_since else "")
    )
    what = f"means of each {p.level}" if p.level else "items"
    name = file_name("correlation", *p.with_)
    coefficients = AnalysisTable(
        name=name,
        title=f"Scores against {', '.join(_called(column, analysis) for column in p.with_)} "
        f"({what})",
        columns=_COEFFICIENTS,
        rows=rows,
        notes=_notes(panels, analysis),
        signature=signature,
        figures=_figures(panels, rows, analysis, inputs),
    )
    left_out = AnalysisTable(
        name=f"{name}_left_out",
        title="What was correlated and what was left out",
        columns=_LEFT_OUT,
        rows=[_left_out(panel) for panel in panels],
        notes=(),
        signature=signature,
    )
    return [coefficients, left_out]


def _left_out(panel: Panel) -> dict[str, Any]:
    found = panel.points
    return {
        **panel.head,
        "n": len(found.x),
        "n_items": found.n_items,
        "without_column": found.without_x,
        "undated": found.undated,
        "without_group": found.without_group,
        "small_groups": found.small,
        "items_in_small_groups": found.in_small,
        "shared_items": found.shared,
        "outliers": found.outliers,
    }


def _called(column: str, analysis: Correlation) -> str:
    since = analysis.params.per_day_since
    return f"{column} per day since {since}" if since else column


def _notes(panels: Sequence[Panel], analysis: Correlation) -> tuple[str, ...]:
    p = analysis.params
    notes = ["Each line is one competitor; repeated answers are averaged first."]
    if p.pool:
        notes = list(dict.fromkeys(panel.note for panel in panels))
    if p.level is not None:
        notes.append(
            f"A row is one {p.level} with at least {p.minimum} items that have both numbers; its "
            f"score and its {' and '.join(p.with_)} are means over these items."
        )
    if p.outliers == "iqr":
        taken = sorted({panel.points.outliers for panel in panels}) or [0]
        count = str(taken[0]) if len(taken) == 1 else f"{taken[0]} to {taken[-1]}"
        notes.append(
            "Outliers: rows of which a number lies more than 1.5 interquartile ranges outside the "
            f"quartiles of all rows are left out: {count} a panel."
        )
    if any(panel.points.shared for panel in panels):
        notes.append(
            "Some items belong to several groups, so that rows are not independent: p values are "
            "too small and intervals too narrow."
        )
    if p.per_day_since is not None:
        notes.append(f"Counts of {p.as_of} are divided by the days since {p.per_day_since}.")
    notes += [
        "Stars belong to each coefficient's own p value: * below .05, ** below .01, *** below "
        f".001. Intervals: {analysis.describe()}.",
        family_note(p.correction, "all panels of one coefficient"),
    ]
    return tuple(notes)


def _figures(
    panels: Sequence[Panel],
    rows: Sequence[dict[str, Any]],
    analysis: Correlation,
    inputs: AnalysisInputs,
) -> tuple[Figure, ...]:
    p = analysis.params
    figures = []
    for column in p.with_:
        own = [panel for panel in panels if panel.column == column]
        pages = [own[at : at + _A_PAGE] for at in range(0, len(own), _A_PAGE)]
        for number, page in enumerate(pages):
            part = f" ({number + 1} of {len(pages)})" if len(pages) > 1 else ""
            counts = sorted({len(panel.points.x) for panel in page})
            n = f"{counts[0]:,}" + (f" to {counts[-1]:,}" if len(counts) > 1 else "")
            what = f"means of each {p.level} with n ≥ {p.minimum} items" if p.level else "items"
            figures.append(
                Figure(
                    name=file_name("correlation", column, str(number + 1) if number else ""),
                    title=f"Scores against {_called(column, analysis)}{part}: {what}, n = {n}"
                    f"{_rule(analysis)}; own p: * below .05, ** .01, *** .001",
                    alt=_alt(page, rows, column, inputs),
                    panels=tuple(
                        _scatter(panel, at + number * _A_PAGE, rows, analysis, inputs)
                        for at, panel in enumerate(page)
                    ),
                    columns=min(3, len(page)),
                )
            )
    return tuple(figures)


def _rule(analysis: Correlation) -> str:
    if analysis.params.outliers == "iqr":
        return " without what lies 1.5 interquartile ranges outside the quartiles"
    return ""


def _of(panel: Panel, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if all(row[key] == value for key, value in panel.head.items())]


def _scatter(
    panel: Panel,
    at: int,
    rows: Sequence[dict[str, Any]],
    analysis: Correlation,
    inputs: AnalysisInputs,
) -> Scatter:
    import numpy as np

    x, y = panel.points.x, panel.points.y
    line = None
    if len(x) > 2 and np.ptp(x) > 0:
        slope = float(np.cov(x, y, ddof=0)[0, 1] / x.var())
        line = (float(y.mean()) - slope * float(x.mean()), slope)
    letter = f"({chr(ord('a') + at)}) " if at < 26 else ""
    title = inputs.definition(panel.score).title
    whose = "" if analysis.params.pool else f" · {panel.model} {panel.prompt}".rstrip()
    return Scatter(
        xs=tuple(x.tolist()),
        ys=tuple(y.tolist()),
        x=_called(panel.column, analysis),
        y="mean score" if analysis.params.level else "score",
        title=f"{letter}{title}{whose}",
        note="\n".join([*(_written(row) for row in _of(panel, rows)), f"n = {len(x):,}"]),
        line=line,
    )


def _written(row: dict[str, Any]) -> str:
    if row["coefficient"] is None:
        return f"{_SIGNS[row['method']]}: none"
    value = f"{row['coefficient']:.3f}".replace("-", "−")
    return f"{_SIGNS[row['method']]} = {value}{row['stars']}"


def _alt(
    page: Sequence[Panel], rows: Sequence[dict[str, Any]], column: str, inputs: AnalysisInputs
) -> str:
    parts = []
    for panel in page:
        written = ", ".join(_written(row) for row in _of(panel, rows))
        whose = f" of {panel.model} {panel.prompt}".rstrip() if len(page) > 1 else ""
        parts.append(f"{inputs.definition(panel.score).title}{whose}: {written}")
    return f"A point for each pair of a score and {column}. " + "; ".join(parts) + "."
