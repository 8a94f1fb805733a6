"""Parameters of analyses that are not built yet: hypothesis tests and models."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = [
    "Regression",
]


def _about(text: str, **more: Any) -> dict[str, Any]:
    return {"about": text, **more}


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
