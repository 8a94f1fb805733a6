"""Copeland scores of paired comparisons, how far they are from a perfect ranking, and why.

N texts are compared in both orders. An outcome is 1 when the text shown first is better, -1 when
the other is, 0 for a tie. Where each comparison errs independently with probability epsilon, a
true order is kept with probability (1 - epsilon)^2, becomes a tie with 2 epsilon (1 - epsilon)
and is inverted with epsilon^2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "copeland_scores",
    "distance_from_perfect",
    "distance_of_ties",
    "epsilon_from_distances",
    "epsilon_from_ties",
    "expected_distance",
    "mean_subset_distance",
    "outcomes",
    "probability_of_true_score",
    "simulated_distance",
    "tie_share",
]


def outcomes(answers: Mapping[tuple[int, int], int], n: int) -> NDArray[np.float64]:
    """Return z, the outcome of each pair over both orders.

    Args:
        answers: the outcome (1, 0 or -1) for (i, j), i being shown first.
        n: number of texts, numbered from 0.

    Returns:
        (n, n) antisymmetric: ``z[i, j] = (y[i, j] - y[j, i]) / 2``; NaN for a pair without both
        answers, 0 on the diagonal.
    """
    import numpy as np

    z = np.full((n, n), np.nan)
    np.fill_diagonal(z, 0.0)
    for (i, j), first in answers.items():
        second = answers.get((j, i))
        if second is not None:
            z[i, j] = (first - second) / 2
    return z


def copeland_scores(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the row sums of z: pairs won minus pairs lost (Copeland 1951); NaN counts as none."""
    import numpy as np

    scores: NDArray[np.float64] = np.nansum(z, axis=1)
    return scores


def tie_share(z: NDArray[np.float64]) -> float | None:
    """Return the share of pairs that ended in a tie, of the pairs with an outcome."""
    import numpy as np

    above = z[np.triu_indices(len(z), 1)]
    known = above[np.isfinite(above)]
    return float((known == 0).mean()) if len(known) else None


def distance_from_perfect(scores: NDArray[np.float64]) -> float:
    """Return the sum of |s_k - perfect_k| over scores from the highest to the lowest.

    Of N texts in perfect order the scores are N - 1, N - 3, ..., -(N - 1).
    """
    import numpy as np

    n = len(scores)
    perfect = np.arange(n - 1, -n, -2, dtype=np.float64)
    return float(np.abs(np.sort(scores)[::-1] - perfect).sum())


def distance_of_ties(n: int) -> int:
    """Return the distance of n texts whose pairs are all ties: floor(n^2 / 2)."""
    return n * n // 2


def mean_subset_distance(
    z: NDArray[np.float64], n: int, subsets: int, rng: np.random.Generator
) -> float:
    """Return the mean distance over random subsets of n texts.

    Args:
        z: (N, N) outcomes.
        n: texts in a subset, at most N.
        subsets: how many are drawn, each without replacement.
        rng: source of the draws.
    """
    import numpy as np

    distances = []
    for _ in range(subsets):
        drawn = rng.choice(len(z), size=n, replace=False)
        distances.append(distance_from_perfect(copeland_scores(z[np.ix_(drawn, drawn)])))
    return math.fsum(distances) / subsets


def expected_distance(n: int, epsilon: float) -> float:
    """Return the expected distance under the error model, by going through all outcomes.

    There are 3^(n (n - 1) / 2) of them, so n is at most 5.

    Raises:
        ValueError: n is less than 2 or more than 5.
    """
    import numpy as np

    if not 2 <= n <= 5:
        raise ValueError(f"{n} texts: write 2 to 5, or simulate")
    pairs = list(zip(*np.triu_indices(n, 1), strict=True))
    chances = {1: (1 - epsilon) ** 2, 0: 2 * epsilon * (1 - epsilon), -1: epsilon**2}
    terms = []
    for case in product((1, 0, -1), repeat=len(pairs)):
        scores = np.zeros(n)
        for (i, j), outcome in zip(pairs, case, strict=True):
            scores[i] += outcome
            scores[j] -= outcome
        chance = math.prod(chances[outcome] for outcome in case)
        terms.append(chance * distance_from_perfect(scores))
    return math.fsum(terms)


def simulated_distance(n: int, epsilon: float, draws: int, rng: np.random.Generator) -> float:
    """Return the mean distance of simulated comparisons under the error model.

    Args:
        n: texts, at least 2.
        epsilon: chance that one comparison errs, 0 to 0.5.
        draws: simulated rankings.
        rng: source of the draws.
    """
    import numpy as np

    upper = np.triu_indices(n, 1)
    perfect = np.arange(n - 1, -n, -2, dtype=np.float64)
    kept = 1.0 - (rng.random((draws, len(upper[0]), 2)) < epsilon).sum(axis=2)
    z = np.zeros((draws, n, n))
    z[:, upper[0], upper[1]] = kept
    scores = np.sort((z - z.transpose(0, 2, 1)).sum(axis=2), axis=1)[:, ::-1]
    return float(np.abs(scores - perfect).sum(axis=1).mean())


def epsilon_from_ties(share: float) -> float:
    """Return the error rate that explains a share of ties: (1 - sqrt(1 - 2 f)) / 2.

    It solves f = 2 epsilon (1 - epsilon) for epsilon up to 0.5; a share above 0.5 counts as 0.5.
    """
    return (1 - math.sqrt(max(0.0, 1 - 2 * share))) / 2


def epsilon_from_distances(
    distances: Mapping[int, float],
    rng: np.random.Generator,
    *,
    step: float = 0.01,
    draws: int = 500,
) -> float:
    """Return the error rate whose expected distances fit best, by least squares on a grid.

    Args:
        distances: mean distance of subsets of n texts, by n.
        rng: source of the simulated expectations.
        step: step of the grid over 0 to 0.5.
        draws: simulated rankings for each n and grid point.

    Raises:
        ValueError: there is no distance.
    """
    if not distances:
        raise ValueError("no distance to fit")
    grid = [index * step for index in range(round(0.5 / step) + 1)]

    def misfit(epsilon: float) -> float:
        return math.fsum(
            (simulated_distance(n, epsilon, draws, rng) - seen) ** 2
            for n, seen in sorted(distances.items())
        )

    misfits: Sequence[float] = [misfit(epsilon) for epsilon in grid]
    return grid[min(range(len(grid)), key=misfits.__getitem__)]


def probability_of_true_score(
    n: int, place: int, epsilon: float, formula: Literal["exact", "paper"] = "exact"
) -> float:
    """Return the chance that the text at a place gets its true Copeland score.

    The score is right when what the m - 1 pairs that should be lost gain is what the N - m pairs
    that should be won lose. With a = 2 (m - 1) and b = 2 (N - m) single comparisons on either
    side the exact chance is the sum over k of C(a, k) C(b, k) eps^(2k) (1 - eps)^(2 (N - 1) - 2k).
    ``paper`` counts only pairs inverted as a whole and leaves out a tie made good by a tie.

    Args:
        n: texts.
        place: m, 1 is the best.
        epsilon: chance that one comparison errs.
        formula: which of the two.

    Raises:
        ValueError: the place is not from 1 to n.
    """
    if not 1 <= place <= n:
        raise ValueError(f"place {place} of {n} texts")
    lost, won = place - 1, n - place
    if formula == "exact":
        return math.fsum(
            math.comb(2 * lost, k)
            * math.comb(2 * won, k)
            * epsilon ** (2 * k)
            * (1 - epsilon) ** (2 * (n - 1) - 2 * k)
            for k in range(2 * min(lost, won) + 1)
        )
    return math.fsum(
        math.comb(lost, k)
        * math.comb(won, k)
        * epsilon ** (4 * k)
        * (1 - epsilon) ** (2 * (n - 1) - 4 * k)
        for k in range(min(lost, won) + 1)
    )
