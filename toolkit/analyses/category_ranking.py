"""Which categories score highest and lowest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.category_means import CategoryEndsParams, CategoryMeans, Ends
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import Weight
from toolkit.figures.base import Dots, Figure, Series

__all__ = ["CategoryRanking", "CategoryRankingParams", "counts_note", "interval_note"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryRankingParams(CategoryEndsParams):
    """Categories with the highest and lowest scores."""


_COLUMNS: Final = (
    AnalysisColumn("by", "string", "score", 0),
    AnalysisColumn("end", "string", "end", 0),
    AnalysisColumn("place", "int64", "place", 0),
    AnalysisColumn("category", "string", "category", 0),
    AnalysisColumn("n", "int64", "n items", 0),
    AnalysisColumn("n_clusters", "int64", "n clusters", 0),
    AnalysisColumn("mean", "double", "mean", 3),
    AnalysisColumn("mean_low", "double", "low end of the 95 % interval", 3),
    AnalysisColumn("mean_high", "double", "high end of the 95 % interval", 3),
    AnalysisColumn("reason", "string", "what is unusual about the interval", 0),
)


class CategoryRanking:
    """One table of the ends of each score, one figure."""

    name: ClassVar[str] = "category_ranking"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = CategoryRankingParams

    def __init__(self, params: CategoryRankingParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns of categories and clusters."""
        return tuple(dict.fromkeys((self.params.column, self.params.cluster)))

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "models", "prompts")

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        return f"95 % intervals by Student's t, robust to clusters by {self.params.cluster}"

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the table.

        Held in memory: the scores, 8 bytes an item and competitor, 16 bytes an item and category.

        Raises:
            UserError: the items lack the column, or a scored item.
        """
        p = self.params
        means = CategoryMeans(
            inputs, owner=self.name, column=p.column, cluster=p.cluster, weight=p.weight,
            models=p.models, prompts=p.prompts,
        )  # fmt: skip
        ends = {score: means.ends(score, p.minimum, p.top, p.bottom) for score in p.by}
        rows = [row for score in p.by for row in _rows(score, ends[score], means)]
        notes = [
            *dict.fromkeys(means.note(score) for score in p.by),
            *(counts_note(score, ends[score], p.column, p.minimum) for score in p.by),
            interval_note(means, p.cluster, p.weight),
            "The ends of a long ranking are partly chance: of many means, the highest are those "
            "that chance raised and the lowest those that it lowered, the more so the fewer items.",
        ]
        table = AnalysisTable(
            name=self.name,
            title=f"Highest and lowest {p.column}",
            columns=_COLUMNS,
            rows=rows,
            notes=tuple(notes),
            signature=(
                f"{self.name}|version:{self.version}|column:{p.column}|minimum:{p.minimum}"
                f"|weight:{p.weight}|cluster:{p.cluster if means.clustered else 'item'}"
            ),
            figures=_figures(rows, ends, p.column, p.minimum, inputs),
        )
        return [table]


def _rows(score: str, ends: Ends, means: CategoryMeans) -> list[dict[str, Any]]:
    place = dict(ends.eligible)
    found = means.of(score)
    return [
        {
            "by": score,
            "end": end,
            "place": place[name],
            "category": means.shown[name],
            "n": found[name].n,
            "n_clusters": found[name].n_clusters,
            "mean": found[name].mean,
            "mean_low": found[name].low,
            "mean_high": found[name].high,
            "reason": found[name].reason,
        }
        for end, names in (("top", ends.top), ("bottom", tuple(reversed(ends.bottom))))
        for name in names
    ]


def counts_note(score: str, ends: Ends, column: str, minimum: int) -> str:
    """Return how many categories are eligible, in words."""
    return (
        f"By {score}: {len(ends.eligible)} of {ends.known} {column} have at least {minimum} items "
        "with a value."
    )


def interval_note(means: CategoryMeans, cluster: str, weight: Weight) -> str:
    """Return how intervals were found and what an item of several categories counts."""
    whole = f"whole {cluster}s" if means.clustered else "items"
    counted = "1" if weight == "whole" else "1/k"
    return (
        f"Intervals are 95 % ones by Student's t over {whole} (Liang and Zeger 1986, "
        f"doi:10.1093/biomet/73.1.13). An item of k categories counts {counted} in each."
    )


def _figures(
    rows: list[dict[str, Any]],
    ends: dict[str, Ends],
    column: str,
    minimum: int,
    inputs: AnalysisInputs,
) -> tuple[Figure, ...]:
    panels, words = [], []
    for score, found in ends.items():
        own = [row for row in rows if row["by"] == score]
        title = inputs.definition(score).title
        panels.append(
            Dots(
                labels=tuple(f"{row['place']}. {row['category']}" for row in own),
                series=(
                    Series(
                        values=tuple(row["mean"] for row in own),
                        lows=tuple(row["mean_low"] for row in own),
                        highs=tuple(row["mean_high"] for row in own),
                    ),
                ),
                x=f"mean {title}",
                title=f"{title}: {len(found.eligible)} of {found.known} {column}",
            )
        )
        if own:
            words.append(
                f"By {title}, {own[0]['category']} is first ({own[0]['mean']:.3g}) and "
                f"{own[-1]['category']} last ({own[-1]['mean']:.3g})."
            )
    return (
        Figure(
            name="category_ranking",
            title=f"Highest and lowest {column}, each with n ≥ {minimum} items",
            alt=f"Mean scores with 95 % intervals of {column} by rank. {' '.join(words)}",
            panels=tuple(panels),
            columns=min(2, max(1, len(panels))),
        ),
    )
