"""How the highest and lowest categories look on several scores at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.category_means import CategoryEndsParams, CategoryMeans, Ends
from toolkit.analyses.category_ranking import counts_note, interval_note
from toolkit.analyses.identity import identity
from toolkit.analyses.names import file_name
from toolkit.errors import UserError
from toolkit.figures.base import Figure, Radar, Series

__all__ = ["CategoryRadar", "CategoryRadarParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryRadarParams(CategoryEndsParams):
    """Radar charts of the highest and lowest categories, min-max over all eligible ones."""

    axes: tuple[str, ...] = field(metadata={"about": "scores on the axes"})


_COLUMNS: Final = (
    AnalysisColumn("by", "string", "chosen by", 0),
    AnalysisColumn("end", "string", "end", 0),
    AnalysisColumn("category", "string", "category", 0),
    AnalysisColumn("score", "string", "axis", 0),
    AnalysisColumn("n", "int64", "n items", 0),
    AnalysisColumn("n_clusters", "int64", "n clusters", 0),
    AnalysisColumn("mean", "double", "mean", 3),
    AnalysisColumn("mean_low", "double", "low end of the 95 % interval", 3),
    AnalysisColumn("mean_high", "double", "high end of the 95 % interval", 3),
    AnalysisColumn("smallest", "double", "smallest mean of all eligible categories", 3),
    AnalysisColumn("largest", "double", "largest mean of all eligible categories", 3),
    AnalysisColumn("scaled", "double", "on the axis, 0 to 1", 3),
    AnalysisColumn("reason", "string", "why a number is missing", 0),
)


class CategoryRadar:
    """One table; a figure of two radar charts for each score that chooses."""

    name: ClassVar[str] = "category_radar"
    version: ClassVar[int] = 3
    Params: ClassVar[type] = CategoryRadarParams

    def __init__(self, params: CategoryRadarParams) -> None:
        """Take the parameters.

        Raises:
            UserError: fewer than three axes, or one of them twice.
        """
        if len(params.axes) < 3 or len(set(params.axes)) != len(params.axes):
            raise UserError(
                f"category_radar.axes is {list(params.axes)}",
                hint="name three scores or more, each once",
            )
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns of categories and clusters."""
        return tuple(dict.fromkeys((self.params.column, self.params.cluster)))

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "models", "prompts")

    def describe(self) -> str:
        """Return how the numbers were found, for people."""
        return (
            "each axis from the smallest to the largest mean of all eligible categories; 95 % "
            f"intervals by Student's t, robust to clusters by {self.params.cluster}"
        )

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
        rows: list[dict[str, Any]] = []
        figures, counts = [], []
        for score in p.by:
            ends = means.ends(score, p.minimum, p.top, p.bottom)
            own = self._rows(score, ends, means)
            rows += own
            counts.append(counts_note(score, ends, p.column, p.minimum))
            figures.append(self._figure(score, ends, own, inputs))
        table = AnalysisTable(
            name=self.name,
            title=f"Highest and lowest {p.column} on {len(p.axes)} scores",
            columns=_COLUMNS,
            rows=rows,
            notes=(
                *dict.fromkeys(means.note(score) for score in p.axes),
                *counts,
                "On an axis, 0 is the smallest and 1 the largest mean of all eligible categories. "
                "Farther out is a larger mean, not a better one: ratios and scores of which less "
                "is better stand as they are.",
                interval_note(means, p.cluster, p.weight),
            ),
            signature=(
                f"{self.name}|version:{self.version}|column:{p.column}|minimum:{p.minimum}"
                f"|weight:{p.weight}|cluster:{p.cluster if means.clustered else 'item'}"
                "|scale:min-max of eligible"
            ),
            figures=tuple(figures),
        )
        return [table]

    def _rows(self, by: str, ends: Ends, means: CategoryMeans) -> list[dict[str, Any]]:
        eligible = [name for name, _ in ends.eligible]
        span = {}
        for axis in self.params.axes:
            found = means.of(axis)
            known = [
                mean
                for name in eligible
                if name in found and (mean := found[name].mean) is not None
            ]
            span[axis] = (min(known), max(known)) if known else None
        chosen = (("top", ends.top), ("bottom", tuple(reversed(ends.bottom))))
        return [
            {"by": by, "end": end, "category": means.shown[name], "score": axis}
            | _cell(axis, name, means, span[axis])
            for end, names in chosen
            for name in names
            for axis in self.params.axes
        ]

    def _figure(
        self, by: str, ends: Ends, rows: Sequence[Mapping[str, Any]], inputs: AnalysisInputs
    ) -> Figure:
        p = self.params
        title = inputs.definition(by).title
        panels = []
        for end, words in (("top", "Highest"), ("bottom", "Lowest")):
            names = list(dict.fromkeys(row["category"] for row in rows if row["end"] == end))
            if end == "bottom" and not names:
                # With few eligible categories, all are among the highest.
                continue
            panels.append(
                Radar(
                    axes=tuple(inputs.definition(axis).title for axis in p.axes),
                    series=tuple(
                        Series(
                            name=name,
                            values=tuple(
                                row["scaled"]
                                for row in rows
                                if row["end"] == end and row["category"] == name
                            ),
                        )
                        for name in names
                    ),
                    title=f"{words} {len(names)}",
                )
            )
        listed = {
            end: ", ".join(dict.fromkeys(row["category"] for row in rows if row["end"] == end))
            for end in ("top", "bottom")
        }
        scale = (
            f"each axis from the smallest to the largest mean of {len(ends.eligible)} eligible of "
            f"{ends.known}, n ≥ {p.minimum} items each"
        )
        if not ends.eligible:
            scale = f"none of {ends.known} has n ≥ {p.minimum} items with a value"
        return Figure(
            name=file_name("category_radar", by),
            title=f"{p.column.capitalize()} highest and lowest by {title}: {scale}",
            alt=f"Radar charts on {len(p.axes)} scores. Highest by {title}: {listed['top']}. "
            f"Lowest: {listed['bottom']}.",
            panels=tuple(panels),
            columns=len(panels),
        )


def _cell(
    axis: str, name: str, means: CategoryMeans, span: tuple[float, float] | None
) -> dict[str, Any]:
    found = means.of(axis).get(name)
    if found is None or found.mean is None or span is None:
        return {
            "n": 0, "n_clusters": 0, "mean": None, "mean_low": None, "mean_high": None,
            "smallest": span[0] if span else None, "largest": span[1] if span else None,
            "scaled": None, "reason": "no item has a value",
        }  # fmt: skip
    low, high = span
    return {
        "n": found.n,
        "n_clusters": found.n_clusters,
        "mean": found.mean,
        "mean_low": found.low,
        "mean_high": found.high,
        "smallest": low,
        "largest": high,
        "scaled": (found.mean - low) / (high - low) if high > low else None,
        "reason": found.reason if high > low else "all eligible categories have the same mean",
    }
