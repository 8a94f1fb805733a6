"""Whether clusters are enough for a covariance of whole clusters, whatever the outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolkit.statistics.factorial import Factorial

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["sandwich_rank", "why_no_covariance"]

_SMALL: Final = 1e-8
"""Relative size below which a singular value is rounding."""


def sandwich_rank(matrix: NDArray[np.float64], clusters: NDArray[np.int64]) -> int:
    """Return the rank that the sandwich of whole clusters can have at most.

    The sandwich is made of one sum of scores a cluster. At the estimates these sums add up to
    zero, so that G clusters give a rank of G - 1 at most, and less where effects are estimated
    from a part of the clusters alone: those of a level that one cluster has leave no residual, and
    their variance would come out as zero. The rank is that of random residuals orthogonal to the
    design, the same for almost all of them.

    Args:
        matrix: (n, p) the design, of full column rank.
        clusters: (n,) the cluster of each row.
    """
    import numpy as np

    scale = np.linalg.norm(matrix, axis=0)
    scaled = matrix / np.where(scale > 0, scale, 1.0)
    random = np.random.default_rng(0).normal(size=len(matrix))
    # Twice, as one step leaves the rounding of the normal equations.
    inner = scaled.T @ scaled
    residuals = random - scaled @ np.linalg.solve(inner, scaled.T @ random)
    residuals -= scaled @ np.linalg.solve(inner, scaled.T @ residuals)
    order = np.argsort(clusters, kind="stable")
    starts = np.unique(clusters[order], return_index=True)[1]
    sums = np.add.reduceat((scaled * residuals[:, None])[order], starts, axis=0)
    values = np.linalg.svd(sums, compute_uv=False)
    return int((values > _SMALL * values[0]).sum()) if values[0] > _SMALL else 0


def why_no_covariance(
    design: Factorial, codes: NDArray[np.int64], clusters: NDArray[np.int64]
) -> str:
    """Return why clusters are too few for a covariance of coefficients; empty where they are not.

    Args:
        design: the factors.
        codes: (n, factors) the level of each factor.
        clusters: (n,) the cluster of each row.
    """
    import numpy as np

    groups = len(np.unique(clusters))
    ask_less = "lower interactions or leave factors out"
    if groups <= design.size:
        return (
            f"{groups} clusters are too few for the covariance of {design.size} coefficients; "
            f"{ask_less}"
        )
    for at, name in enumerate(design.names):
        for level, label in enumerate(design.levels[at]):
            if len(np.unique(clusters[codes[:, at] == level])) == 1:
                return f"all rows of {name} = {label} are of one cluster, which has no covariance"
    rank = sandwich_rank(design.matrix(codes), clusters)
    if rank < design.size:
        return (
            f"{groups} clusters give the covariance of {rank} coefficients, not of "
            f"{design.size}: some effects are those of a few clusters; {ask_less}"
        )
    return ""
