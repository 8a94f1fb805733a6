"""Scores of two kinds of items compared: before and after a date, seen and unseen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.base import AnalysisColumn
from toolkit.statistics.cluster_robust import difference, joint_means
from toolkit.statistics.label_permutation import label_permutations
from toolkit.statistics.limits import Limits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Halves", "half_columns", "halves_rows", "halves_test"]


@dataclass(frozen=True, slots=True)
class Halves:
    """How items are divided.

    Attributes:
        first: (items,) whether an item is of the first kind.
        second: (items,) whether it is of the second; an item may be of neither.
        clusters: (items,) the cluster of each item.
        clustered: whether clusters are more than single items.
    """

    first: NDArray[np.bool_]
    second: NDArray[np.bool_]
    clusters: NDArray[np.int64]
    clustered: bool


def halves_test(clustered: bool, cluster: str | None, permutations: int) -> str:
    """Return what the p values of :func:`halves_rows` are of, for people."""
    if clustered:
        return f"Welch's t test with errors clustered by {cluster}"
    return (
        f"two-sided permutation tests, at least {permutations:,} permutations of the items' labels"
    )


def halves_rows(
    columns: Sequence[NDArray[np.float64]],
    limits: Sequence[Limits],
    halves: Halves,
    rng: np.random.Generator,
    *,
    names: tuple[str, str],
    permutations: int,
) -> list[dict[str, Any]]:
    """Return a line for each column: both means, their difference, its interval and test.

    Independent items are tested by permuting which of them are of the first kind. Where clusters
    hold items of both kinds no permutation of items or clusters is valid; then Welch's t test
    with cluster-robust errors is used. Intervals are of the latter kind in both cases.

    Args:
        columns: k arrays of (items,) scores; NaN where there is none.
        limits: k pairs, the smallest and the largest value that a column can hold.
        halves: how the items are divided.
        rng: source of the permutations, the same for all columns.
        names: what the two kinds are called in the columns of the table.
        permutations: how many.
    """
    import numpy as np

    one, other = (np.flatnonzero(half) for half in (halves.first, halves.second))
    groups = [(rows, np.ones(len(rows))) for rows in (one, other)]
    rows: list[dict[str, Any]] = []
    for values, ends_of_scale in zip(columns, limits, strict=True):
        joint = joint_means(values, groups, halves.clusters, ends_of_scale)
        row: dict[str, Any] = {}
        for at, name in enumerate(names):
            ends = joint.interval(at)
            row |= {
                f"n_{name}": int(joint.rows[at]),
                name: float(joint.means[at]) if joint.rows[at] else None,
                f"{name}_low": ends[0] if ends else None,
                f"{name}_high": ends[1] if ends else None,
            }
        contrast = difference(joint, 0, 1)
        row |= {
            "difference": contrast.value,
            "difference_low": contrast.low,
            "difference_high": contrast.high,
            "p": contrast.p,
            "reason": contrast.reason,
        }
        rows.append(row)
    if not halves.clustered and columns and len(one) and len(other):
        held = np.concatenate([one, other])
        found = label_permutations(
            np.stack([values[held] for values in columns], axis=1),
            np.arange(len(held)) < len(one),
            rng,
            permutations=permutations,
        )
        for row, p in zip(rows, found, strict=True):
            row["p"] = p
    return rows


def half_columns(first: str, second: str, words: tuple[str, str]) -> tuple[AnalysisColumn, ...]:
    """Return the columns of :func:`halves_rows`.

    Args:
        first: name of the first kind.
        second: name of the second kind.
        words: what to call both in headings.
    """
    ends: Final = ("low end of the 95 % interval", "high end of the 95 % interval")
    columns: list[tuple[str, Any, str, int]] = []
    for name, word in zip((first, second), words, strict=True):
        columns += [
            (f"n_{name}", "int64", f"items {word}", 0),
            (name, "double", f"mean {word}", 3),
            (f"{name}_low", "double", ends[0], 3),
            (f"{name}_high", "double", ends[1], 3),
        ]
    columns += [
        ("difference", "double", f"{words[0]} minus {words[1]}", 3),
        ("difference_low", "double", ends[0], 3),
        ("difference_high", "double", ends[1], 3),
        ("p", "double", "p of no difference", 4),
        ("p_adjusted", "double", "p adjusted for the number of tests", 4),
        ("reason", "string", "why a number is missing", 0),
    ]
    return tuple(AnalysisColumn(*column) for column in columns)
