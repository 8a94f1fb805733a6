"""Parameters of analyses that are not built yet: tables, figures and comparisons of scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = [
    "CategoryRadar",
    "CategoryRanking",
    "Correlation",
    "Distribution",
    "ModelTable",
    "PairedTests",
    "RankRanges",
    "ScoreByCount",
    "TextStatistics",
]


def _about(text: str, **more: Any) -> dict[str, Any]:
    return {"about": text, **more}


_SCORES = _about("names of scores; all by default", scalar=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """Correlation of scores with columns, each coefficient with its own significance."""

    with_: tuple[str, ...] = field(metadata=_about("numeric columns", scalar=True))
    scores: tuple[str, ...] = field(default=(), metadata=_SCORES)
    answers: tuple[str, ...] = field(
        default=(), metadata=_about("prompts whose numbers or rankings are correlated as well")
    )
    level: str | None = field(default=None, metadata=_about("column whose groups are averaged"))
    methods: tuple[Literal["pearson", "spearman", "kendall"], ...] = field(
        default=("pearson", "spearman"), metadata=_about("coefficients")
    )
    minimum: int = field(default=1, metadata=_about("fewest items in a group", minimum=1))
    outliers: Literal["keep", "iqr"] = field(
        default="keep",
        metadata=_about("iqr leaves out what lies 1.5 quartile distances outside the quartiles"),
    )
    per_day_since: str | None = field(
        default=None, metadata=_about("date column; the columns count per day since it")
    )
    as_of: str | None = field(
        default=None,
        metadata=_about("date of the counts, in quotes", pattern=r"^\d{4}-\d{2}-\d{2}$"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryRanking:
    """Categories with the highest and lowest scores."""

    top: int = field(default=5, metadata=_about("categories from the top", minimum=0))
    bottom: int = field(default=5, metadata=_about("categories from the bottom", minimum=0))
    by: tuple[str, ...] = field(metadata=_about("scores that rank", scalar=True))
    column: str = field(default="categories", metadata=_about("column of the categories"))
    minimum: int = field(default=30, metadata=_about("fewest items in a category", minimum=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryRadar:
    """Radar charts of the highest and lowest categories, min-max over all eligible ones."""

    by: tuple[str, ...] = field(metadata=_about("scores that choose the categories", scalar=True))
    axes: tuple[str, ...] = field(metadata=_about("scores on the axes"))
    top: int = field(default=5, metadata=_about("categories from the top", minimum=0))
    bottom: int = field(default=5, metadata=_about("categories from the bottom", minimum=0))
    column: str = field(default="categories", metadata=_about("column of the categories"))
    minimum: int = field(default=30, metadata=_about("fewest items in a category", minimum=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """How a column of the items is distributed: median, mean, peak, a figure."""

    column: str = field(metadata=_about("column"))
    top: int | None = field(default=None, metadata=_about("most frequent values shown", minimum=1))
    axis: Literal["linear", "log"] = field(default="linear", metadata=_about("axis of the figure"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTable:
    """How each model was asked: group, access, scale, sampling, versions, dates."""

    columns: tuple[
        Literal[
            "group", "access", "scale", "cutoff", "max_tokens", "temperature", "served", "dates"
        ],
        ...,
    ] = field(
        default=("group", "access", "scale", "max_tokens", "temperature"),
        metadata=_about("columns of the table"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedTests:
    """Differences between all pairs of models, paired by item."""

    scores: tuple[str, ...] = field(default=(), metadata=_SCORES)
    method: Literal["permutation", "t", "wilcoxon", "mcnemar"] = field(
        default="permutation", metadata=_about("test")
    )
    n: int = field(default=20000, metadata=_about("permutations", minimum=100))
    cluster: str | None = field(default=None, metadata=_about("column permuted as a whole"))
    correction: Literal["holm", "none"] = field(
        default="holm", metadata=_about("for several tests")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRanges:
    """Ranks as ranges over resamples; models that no test tells apart share a rank."""

    scores: tuple[str, ...] = field(default=(), metadata=_SCORES)
    resamples: int = field(default=2000, metadata=_about("resamples", minimum=100))
    cluster: str | None = field(default=None, metadata=_about("column resampled as a whole"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreByCount:
    """Mean scores against how many claims, citations or phrases there are."""

    scores: tuple[str, ...] = field(metadata=_about("names of scores", scalar=True))
    count: Literal["reference_claims", "output_claims", "citations", "phrases", "sentences"] = (
        field(metadata=_about("what is counted"))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TextStatistics:
    """Length of text columns: mean, spread, median."""

    columns: tuple[str, ...] = field(metadata=_about("text columns", scalar=True))
    units: tuple[Literal["points", "words", "sentences"], ...] = field(
        default=("words",), metadata=_about("what is counted", scalar=True)
    )
    by: str | None = field(default=None, metadata=_about("column for subgroups"))
