"""Parameters of analyses that are not built yet: hypothesis tests and models."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = [
    "Anova",
    "Gee",
    "Icc",
    "Ordinal",
    "PairedT",
    "Permutation",
    "Proportions",
    "Regression",
    "TwoSample",
]


def _about(text: str, **more: Any) -> dict[str, Any]:
    return {"about": text, **more}


_SCORES = _about("names of scores; all by default", scalar=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedT:
    """Paired t tests of outputs against references."""

    by: str | None = field(default=None, metadata=_about("column for subgroups, overall as well"))
    scores: tuple[str, ...] = field(default=(), metadata=_SCORES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Anova:
    """One-way analysis of variance: between-group sum of squares, F, p."""

    by: str = field(metadata=_about("column that groups"))
    scores: tuple[str, ...] = field(default=(), metadata=_SCORES)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoSample:
    """Two sets of human scores: Cohen's d, Levene, Kolmogorov-Smirnov."""

    judges: tuple[str, str] = field(metadata=_about("names of two judges"))
    tests: tuple[Literal["cohen_d", "levene", "ks"], ...] = field(
        default=("cohen_d", "levene", "ks"), metadata=_about("what is computed", scalar=True)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """Ordinary least squares of a rater's mean score on what raters said of themselves."""

    judge: str = field(metadata=_about("name of a human judge"))
    covariates: tuple[str, ...] = field(metadata=_about("questions of the raters' profile"))
    log: tuple[str, ...] = field(
        default=(), metadata=_about("covariates taken as logarithms", scalar=True)
    )
    covariance: Literal["HC3", "classical"] = field(
        default="HC3", metadata=_about("covariance of the estimates")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportions:
    """Proportions with Wilson intervals."""

    scores: tuple[str, ...] = field(default=(), metadata=_SCORES)
    by: tuple[str, ...] = field(
        default=("model", "prompt"), metadata=_about("columns", scalar=True)
    )
    at_least: float | None = field(
        default=None, metadata=_about("values from here on count; the highest value by default")
    )
    ci: Literal["wilson"] = field(default="wilson", metadata=_about("interval"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Permutation:
    """Two-sided permutation tests between the two levels of a factor, p = (b + 1) / (n + 1)."""

    factor: str = field(metadata=_about("column with two levels"))
    scores: tuple[str, ...] = field(default=(), metadata=_SCORES)
    within: tuple[str, ...] = field(
        default=(), metadata=_about("columns; one test in each of their cells", scalar=True)
    )
    n: int = field(default=20000, metadata=_about("permutations", minimum=100))
    paired: bool = field(default=True, metadata=_about("pair by item"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Gee:
    """Logistic GEE with exchangeable correlation and Type III Wald tests."""

    outcomes: tuple[str, ...] = field(metadata=_about("binary scores", scalar=True))
    factors: tuple[str, ...] = field(metadata=_about("columns"))
    cluster: str = field(default="item_id", metadata=_about("column of clusters"))
    interactions: int = field(default=2, metadata=_about("highest order", minimum=1, maximum=3))
    contrasts: tuple[str, ...] = field(
        default=(), metadata=_about("factors whose levels are compared; all by default")
    )
    correction: Literal["holm", "none"] = field(
        default="holm", metadata=_about("within each family of contrasts")
    )
    sensitivity: tuple[Literal["three_way", "random_intercept"], ...] = field(
        default=(), metadata=_about("further models fitted beside it", scalar=True)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordinal:
    """Proportional odds with clustered covariance and threshold odds ratios."""

    outcomes: tuple[str, ...] = field(metadata=_about("ordered scores", scalar=True))
    factors: tuple[str, ...] = field(metadata=_about("columns"))
    cluster: str = field(default="item_id", metadata=_about("column of clusters"))
    interactions: int = field(default=2, metadata=_about("highest order", minimum=1, maximum=3))
    correction: Literal["holm", "none"] = field(
        default="holm", metadata=_about("within each family of contrasts")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Icc:
    """Intraclass correlation: how much of a score's variance lies between clusters."""

    scores: tuple[str, ...] = field(default=(), metadata=_SCORES)
    cluster: str = field(default="item_id", metadata=_about("column of clusters"))
