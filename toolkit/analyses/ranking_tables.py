"""Columns and figures of how the ranking depends on what was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs
from toolkit.figures.base import Dots, Figure, Grid, Series
from toolkit.figures.pages import in_pages

__all__ = ["ALIKE", "RANKS", "SWAPS", "rank_text", "ranking_figures"]

_GRIDS: Final = 5
"""Grids on one page, one below the other."""


def ranking_figures(
    ranks: Sequence[dict[str, Any]], alike: Sequence[dict[str, Any]], inputs: AnalysisInputs
) -> tuple[Figure, ...]:
    """Return a grid of ranks, a panel a score, and the likeness of each order to the headline."""
    if not alike:
        return ()
    panels = [
        _grid([row for row in ranks if row["score"] == score], inputs.definition(score).title)
        for score in dict.fromkeys(row["score"] for row in alike)
    ]
    n = max(row["n"] for row in ranks)
    moved = sum(1 for row in ranks if row["moved"])
    varied = sum(1 for row in ranks if row["varied"] != "headline" and row["moved"] is not None)
    grid = Figure(
        name="ranking_dependence",
        title=f"Rank of each model under each variation, n up to {n} items",
        alt=f"Ranks of the models, one column a variation. {moved} of {varied} ranks differ from "
        "the headline's.",
        panels=tuple(panels),
    )
    known = [row for row in alike if row["kendall"] is not None]
    return (*in_pages(grid, _GRIDS), *([_likeness(known, inputs, n)] if known else []))


def _grid(rows: Sequence[dict[str, Any]], title: str) -> Grid:
    columns = list(dict.fromkeys(_variation(row) for row in rows))
    headline = [row for row in rows if row["varied"] == "headline"]
    headline.sort(key=lambda row: (row["rank"] is None, row["rank"], row["model"]))
    models = [row["model"] for row in headline]
    cells = {(row["model"], _variation(row)): row for row in rows}
    lines = [[cells[model, column] for column in columns] for model in models]
    return Grid(
        rows=tuple(models),
        columns=tuple(columns),
        values=tuple(tuple(cell["rank"] for cell in line) for line in lines),
        texts=tuple(
            tuple(
                rank_text(*(cell[key] for key in ("rank", "rank_low", "rank_high")))
                for cell in line
            )
            for line in lines
        ),
        legend="rank, 1 is best",
        title=title,
    )


def rank_text(rank: int | None, low: int | None, high: int | None) -> str:
    """Return what a cell of a grid of ranks says: the rank, and its range where it has one."""
    if rank is None:
        return ""
    return str(rank) if low == high else f"{rank} ({low}-{high})"


def _variation(row: dict[str, Any]) -> str:
    return str(row["varied"]) + (f" {row['variation']}" if row["variation"] else "")


def _likeness(rows: Sequence[dict[str, Any]], inputs: AnalysisInputs, n: int) -> Figure:
    labels = list(dict.fromkeys(_variation(row) for row in rows))
    series = []
    for score in dict.fromkeys(row["score"] for row in rows):
        by_label = {_variation(row): row for row in rows if row["score"] == score}
        lines: list[dict[str, Any]] = [by_label.get(label, {}) for label in labels]
        series.append(
            Series(
                name=inputs.definition(score).title,
                values=tuple(line.get("kendall") for line in lines),
                lows=tuple(line.get("kendall_low") for line in lines),
                highs=tuple(line.get("kendall_high") for line in lines),
            )
        )
    least = min(rows, key=lambda row: row["kendall"])
    return Figure(
        name="ranking_likeness",
        title=f"Likeness of each order to the headline's, n up to {n} items",
        alt="Kendall's tau b between the headline ranking and each variation, with 95 % "
        f"intervals. The least is {least['kendall']:.2f}: {inputs.definition(least['score']).title}"
        f", {_variation(least)}.",
        panels=(Dots(labels=tuple(labels), series=tuple(series), x="Kendall's tau b", line=1.0),),
    )


def _columns(*columns: tuple[str, Any, str, int]) -> tuple[AnalysisColumn, ...]:
    return tuple(AnalysisColumn(*column) for column in columns)


_HEAD: Final = (
    ("score", "string", "score", 0),
    ("varied", "string", "what is varied", 0),
    ("variation", "string", "variation", 0),
)

RANKS: Final = _columns(
    *_HEAD,
    ("model", "string", "model", 0),
    ("n", "int64", "items with a value", 0),
    ("mean", "double", "mean", 3),
    ("rank", "int64", "rank", 0),
    ("rank_low", "int64", "best rank that is left open", 0),
    ("rank_high", "int64", "worst rank that is left open", 0),
    ("moved", "int64", "rank minus the headline's", 0),
    ("reason", "string", "why a number is missing", 0),
)

ALIKE: Final = _columns(
    *_HEAD,
    ("n", "int64", "items with a value", 0),
    ("n_models", "int64", "models", 0),
    ("kendall", "double", "Kendall's tau b with the headline", 3),
    ("kendall_low", "double", "low end of the 95 % interval", 3),
    ("kendall_high", "double", "high end of the 95 % interval", 3),
    ("n_swaps", "int64", "pairs in another order", 0),
    ("n_pairs", "int64", "pairs of models", 0),
    ("reason", "string", "why a number is missing", 0),
)

SWAPS: Final = _columns(
    *_HEAD,
    ("first", "string", "first model", 0),
    ("second", "string", "second model", 0),
    ("n", "int64", "items behind the smaller of both means", 0),
    ("headline_difference", "double", "difference in the headline", 3),
    ("headline_difference_low", "double", "low end of the 95 % interval", 3),
    ("headline_difference_high", "double", "high end of the 95 % interval", 3),
    ("difference", "double", "difference under the variation", 3),
    ("difference_low", "double", "low end of the 95 % interval", 3),
    ("difference_high", "double", "high end of the 95 % interval", 3),
)
