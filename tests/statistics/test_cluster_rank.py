"""How many coefficients clusters can give a covariance of."""

import numpy as np
import pytest
from statsmodels.genmod.cov_struct import Exchangeable
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_estimating_equations import GEE

from tests.statistics.factor_data import answers
from toolkit.statistics.cluster_rank import sandwich_rank, why_no_covariance
from toolkit.statistics.factorial import Factorial


def rank(outcome, design, codes, clusters):
    """Rank of the robust covariance that statsmodels gives without asking."""
    model = GEE(
        outcome.astype(float), design.matrix(codes), groups=clusters, family=Binomial(),
        cov_struct=Exchangeable(),
    )  # fmt: skip
    found = np.asarray(model.fit(maxiter=200).cov_robust)
    return np.linalg.matrix_rank(found, tol=1e-8 * np.linalg.norm(found, 2), hermitian=True)


@pytest.mark.parametrize("groups", [9, 10, 11, 20])
def test_the_sandwich_has_one_rank_less_than_there_are_clusters(groups) -> None:
    design, codes, clusters, latent = answers((3, 2, 3), 20, order=1)
    wide = Factorial(design.names, design.levels, 2)
    held = clusters < groups
    outcome = latent[held] > 0.3
    got = sandwich_rank(wide.matrix(codes[held]), clusters[held])
    assert got == min(groups - 1, wide.size)
    assert got == rank(outcome, wide, codes[held], clusters[held])
    reason = why_no_covariance(wide, codes[held], clusters[held])
    assert reason.startswith(f"{groups} clusters are too few" if groups <= wide.size else "")
    assert bool(reason) is (groups <= wide.size)


def between(sizes, within=(2, 3)):
    """A factor of clusters, with as many clusters a level, beside some within them."""
    design, codes, clusters, latent = answers(within, sum(sizes), order=1)
    codes = np.column_stack([codes, np.repeat(np.arange(len(sizes)), sizes)[clusters]])
    names, levels = (
        (*design.names, "z"),
        (*design.levels, tuple(f"z{k}" for k in range(len(sizes)))),
    )
    return Factorial(names, levels, 1), codes, clusters, latent > 0.3


def test_ten_clusters_are_just_enough_for_nine_coefficients() -> None:
    design, codes, clusters, outcome = between((4, 3, 3), (2, 2, 5))
    assert (design.size, len(np.unique(clusters))) == (9, 10)
    assert why_no_covariance(design, codes, clusters) == ""
    assert rank(outcome, design, codes, clusters) == 9


def test_a_level_of_one_cluster_has_no_covariance_however_many_there_are() -> None:
    design, codes, clusters, outcome = between((12, 12, 1))
    assert why_no_covariance(design, codes, clusters) == (
        "all rows of z = z2 are of one cluster, which has no covariance"
    )
    # The plain sandwich takes the effect of that one cluster for certain.
    assert rank(outcome, design, codes, clusters) == design.size - 1


def test_effects_of_few_clusters_are_told_from_those_of_many() -> None:
    design, codes, clusters, _ = between((20, 20, 2))
    assert why_no_covariance(design, codes, clusters) == ""
    every = Factorial(design.names, design.levels, 3)
    # Six cells of two clusters each leave no more than one deviation.
    assert why_no_covariance(every, codes, clusters) == (
        f"42 clusters give the covariance of 13 coefficients, not of {every.size}: some effects "
        "are those of a few clusters; lower interactions or leave factors out"
    )
