"""Parameters of analyses that are not built yet: hypothesis tests and models."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = [
    "Gee",
    "Ordinal",
    "Regression",
]


def _about(text: str, **more: Any) -> dict[str, Any]:
    return {"about": text, **more}


_SCORES = _about("names of scores; all by default", scalar=True)


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
