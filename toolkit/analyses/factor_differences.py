"""Observed differences between levels of a factor, whatever a model says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisTable
from toolkit.analyses.factor_contrasts import Planned, adjusted, planned
from toolkit.analyses.factor_params import FactorParams
from toolkit.analyses.factor_rows import FactorTable
from toolkit.analyses.families import family_note
from toolkit.analyses.names import file_name
from toolkit.figures.base import Dots, Figure, Series
from toolkit.statistics.bootstrap import generator
from toolkit.statistics.level_differences import (
    FactorCells,
    LevelDifference,
    between_clusters,
    factor_cells,
    within_clusters,
)
from toolkit.statistics.permutation import enough_permutations, paired_permutations

if TYPE_CHECKING:
    import numpy as np

__all__ = ["DIFFERENCES", "difference_rows", "difference_table"]

_PERMUTATIONS: Final = 20_000
_FAMILY: Final = ("outcome", "factor")

DIFFERENCES: Final = (
    AnalysisColumn("outcome", "string", "outcome"),
    AnalysisColumn("factor", "string", "factor"),
    AnalysisColumn("first", "string", "first"),
    AnalysisColumn("second", "string", "second"),
    AnalysisColumn("compared", "string", "within clusters, or between them"),
    AnalysisColumn("n", "int64", "n answers of both sides", 0),
    AnalysisColumn("cells", "int64", "cells of the other factors, summed over clusters", 0),
    AnalysisColumn("clusters", "int64", "clusters", 0),
    AnalysisColumn("first_mean", "double", "mean over clusters of the first"),
    AnalysisColumn("second_mean", "double", "mean over clusters of the second"),
    AnalysisColumn("difference", "double", "difference, first minus second"),
    AnalysisColumn("difference_low", "double", "low end of its 95 % interval"),
    AnalysisColumn("difference_high", "double", "high end of its 95 % interval"),
    AnalysisColumn("p", "double", "p of no difference, two-sided", 4),
    AnalysisColumn("p_adjusted", "double", "p adjusted within its family", 4),
    AnalysisColumn("tests", "int64", "tests in the family", 0),
    AnalysisColumn("method", "string", "of p: exact, monte carlo or welch"),
    AnalysisColumn("arrangements", "int64", "of how many p is a share", 0),
    AnalysisColumn("reason", "string", "why something is missing; else empty"),
)

_NOTE: Final = (
    "No model is behind these. Within clusters: the difference of a cluster is the mean over the "
    "cells of the other factors in which it has both sides, and clusters weigh the same; "
    "Student's interval over clusters, and a permutation test that flips the signs of whole "
    "clusters, exact where arrangements can be counted, else p = (b + 1) / (n + 1). A factor of "
    "which no cluster has two levels is compared between clusters: the difference of the means "
    "of their means, with Welch's interval and test (1947, doi:10.1093/biomet/34.1-2.28), other "
    "factors that vary between clusters not held equal."
)


def difference_rows(
    name: str, table: FactorTable, params: FactorParams, seed: int
) -> list[dict[str, Any]]:
    """Return a line of :data:`DIFFERENCES` for each contrast over all cells.

    Args:
        name: of the analysis.
        table: the rows of an outcome.
        params: whose levels are compared, and how p values are adjusted.
        seed: the recipe's.
    """
    plan = planned(table, params, within=False)
    rows: list[dict[str, Any]] = []
    for factor in dict.fromkeys(each.factor for each in plan):
        members = [each for each in plan if each.factor == factor]
        levels = len(table.design.levels[factor])
        cells = factor_cells(table.values, table.codes, table.clusters, factor, levels)
        label = table.design.names[factor]
        rng = generator(seed, name, "differences", table.score, label)
        for each, found in zip(members, _found(cells, members, rng), strict=True):
            head = {"outcome": table.score, "factor": label}
            rows.append(head | {"first": each.names[0], "second": each.names[1]} | found)
    return adjusted(rows, params, _FAMILY)


def _found(
    cells: FactorCells, contrasts: Sequence[Planned], rng: np.random.Generator
) -> list[dict[str, Any]]:
    compared = "between" if cells.between else "within"
    present = [each for each in contrasts if not each.absent]
    found = iter((_between if cells.between else _within)(cells, present, rng))
    return [
        {"compared": compared, "p": None, "reason": f"no row has {each.absent}"}
        if each.absent
        else {"compared": compared} | next(found)
        for each in contrasts
    ]


def _between(
    cells: FactorCells, contrasts: Sequence[Planned], _: np.random.Generator
) -> Iterator[dict[str, Any]]:
    for each in contrasts:
        found = between_clusters(cells, each.first, each.second)
        method = "" if found.p is None else "welch"
        yield _line(found) | {"p": found.p, "method": method, "arrangements": None}


def _within(
    cells: FactorCells, contrasts: Sequence[Planned], rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    import numpy as np

    if not contrasts:
        return
    found = [within_clusters(cells, each.first, each.second) for each in contrasts]
    gaps = np.column_stack([one.by_cluster for one in found if one.by_cluster is not None])
    count = enough_permutations(len(found), _PERMUTATIONS)
    tests = paired_permutations(gaps, rng, permutations=count)
    for one, test in zip(found, tests, strict=True):
        more = {"p": test.p, "method": test.method, "arrangements": test.arrangements or None}
        yield _line(one) | more


def _line(found: LevelDifference) -> dict[str, Any]:
    return {
        "n": found.n,
        "cells": found.cells,
        "clusters": found.clusters,
        "first_mean": found.first,
        "second_mean": found.second,
        "difference": found.difference,
        "difference_low": found.low,
        "difference_high": found.high,
        "reason": found.reason,
    }


def difference_table(
    name: str,
    rows: list[dict[str, Any]],
    params: FactorParams,
    titles: Sequence[tuple[str, str]],
    signature: str,
) -> AnalysisTable:
    """Return the table of differences with its figures.

    Args:
        name: of the analysis.
        rows: lines of :data:`DIFFERENCES`.
        params: how p values are adjusted.
        titles: name and title of each outcome.
        signature: of the analysis, with the seed.
    """
    figures: list[Figure] = []
    for score, title in titles:
        held = [row for row in rows if row["outcome"] == score]
        figures += _figure(name, title, [r for r in held if r.get("difference") is not None])
    family = "the comparisons of one factor of one outcome"
    return AnalysisTable(
        name=f"{name}_differences",
        title="Observed differences between levels, cluster by cluster",
        columns=DIFFERENCES,
        rows=rows,
        notes=(_NOTE, family_note(params.correction, family)),
        signature=f"{signature}|differences:clusters|permutations:{_PERMUTATIONS}",
        figures=tuple(figures),
    )


def _figure(name: str, title: str, rows: Sequence[dict[str, Any]]) -> tuple[Figure, ...]:
    if all(row["difference_low"] is None for row in rows):
        return ()
    panels = []
    for factor in dict.fromkeys(row["factor"] for row in rows):
        lines = [row for row in rows if row["factor"] == factor]
        series = Series(
            values=tuple(row["difference"] for row in lines),
            lows=tuple(row["difference_low"] for row in lines),
            highs=tuple(row["difference_high"] for row in lines),
        )
        labels = tuple(f"{row['first']} - {row['second']}" for row in lines)
        panels.append(
            Dots(labels=labels, series=(series,), x=f"difference of {title}",
                 title=f"{factor}, {lines[0]['compared']} clusters", line=0.0)
        )  # fmt: skip
    tested = [row["p_adjusted"] for row in rows if row["p_adjusted"] is not None]
    sure = sum(p < 0.05 for p in tested)
    return (
        Figure(
            name=file_name(f"{name}_differences", rows[0]["outcome"]),
            title=f"{title}: observed differences with 95 % intervals "
            f"(up to {max(row['clusters'] for row in rows):,} clusters)",
            alt=f"Mean differences of {title} between levels of {len(panels)} factors. {sure} of "
            f"{len(tested)} have an adjusted p below 0.05.",
            panels=tuple(panels),
            columns=min(2, len(panels)),
        ),
    )
