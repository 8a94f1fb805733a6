"""Several tests at once: adjusted p values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import overload

__all__ = ["benjamini_hochberg", "holm"]


@overload
def holm(p_values: Sequence[float]) -> list[float]: ...
@overload
def holm(p_values: Sequence[float | None]) -> list[float | None]: ...
def holm(p_values: Sequence[float | None]) -> Sequence[float | None]:
    """Return p values that control the chance of any false finding in a family (Holm 1979).

    Valid whatever the dependence of the tests (S. Holm, A simple sequentially rejective
    multiple test procedure, Scandinavian Journal of Statistics 6:65-70).

    Args:
        p_values: of one family, each from 0 to 1; None is no test and stays None.
    """
    return _adjusted(p_values, _step_down)


@overload
def benjamini_hochberg(p_values: Sequence[float]) -> list[float]: ...
@overload
def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]: ...
def benjamini_hochberg(p_values: Sequence[float | None]) -> Sequence[float | None]:
    """Return p values that control the share of false ones among the findings.

    Valid for independent or positively dependent tests (Benjamini and Hochberg 1995,
    doi:10.1111/j.2517-6161.1995.tb02031.x).

    Args:
        p_values: of one family, each from 0 to 1; None is no test and stays None.
    """
    return _adjusted(p_values, _false_discoveries)


def _adjusted(
    p_values: Sequence[float | None], adjust: Callable[[list[float]], list[float]]
) -> list[float | None]:
    tested = [p for p in p_values if p is not None]
    if not all(0 <= p <= 1 for p in tested):
        raise ValueError("a p value lies outside 0 to 1")
    adjusted = iter(adjust(tested) if tested else ())
    return [None if p is None else next(adjusted) for p in p_values]


def _step_down(p_values: list[float]) -> list[float]:
    # Not from statsmodels, whose multipletests collects garbage in every call.
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, largest = [0.0] * len(p_values), 0.0
    for left, at in zip(range(len(order), 0, -1), order, strict=True):
        largest = max(largest, min(1.0, left * p_values[at]))
        adjusted[at] = largest
    return adjusted


def _false_discoveries(p_values: list[float]) -> list[float]:
    from scipy import stats

    found: list[float] = stats.false_discovery_control(p_values).tolist()
    return found
