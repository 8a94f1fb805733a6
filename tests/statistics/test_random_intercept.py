"""Logistic models with an intercept a cluster."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit

from tests.statistics.factor_data import answers
from toolkit.statistics.logistic_gee import logistic_gee
from toolkit.statistics.random_intercept import random_intercept

DESIGN, CODES, CLUSTERS, LATENT = answers((2, 2), 60, order=1)
OUTCOME = LATENT > 0.3
FIT, SPREAD = random_intercept(OUTCOME, DESIGN, CODES, CLUSTERS)


@pytest.fixture(scope="module")
def direct():
    from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM

    rows = np.arange(len(OUTCOME))
    members = sparse.csr_matrix((np.ones(len(rows)), (rows, CLUSTERS)))
    model = BinomialBayesMixedGLM(
        OUTCOME.astype(float), DESIGN.matrix(CODES), members, np.zeros(60, int), vcp_p=1, fe_p=2
    )
    return model.fit_vb(rng=np.random.default_rng(1))


def test_means_and_spread_are_statsmodels_own(direct) -> None:
    assert FIT.params == pytest.approx(direct.fe_mean, abs=1e-4)
    assert pytest.approx(np.exp(direct.vcp_mean[0]), abs=1e-3) == SPREAD
    assert 0.4 < SPREAD < 1.8


def test_the_covariance_is_that_of_all_coefficients_and_intercepts_together(direct) -> None:
    matrix = np.hstack([DESIGN.matrix(CODES), np.eye(60)[CLUSTERS]])
    chances = expit(matrix @ np.r_[direct.fe_mean, direct.vc_mean])
    penalty = np.r_[np.full(3, 1 / 4), np.full(60, np.exp(-2 * direct.vcp_mean[0]))]
    whole = matrix.T @ (matrix * (chances * (1 - chances))[:, None]) + np.diag(penalty)
    assert FIT.covariance == pytest.approx(np.linalg.inv(whole)[:3, :3], rel=1e-3, abs=1e-6)


def test_effects_within_clusters_are_farther_from_zero() -> None:
    marginal = logistic_gee(OUTCOME, DESIGN, CODES, CLUSTERS)
    assert (np.abs(FIT.params[1:]) > np.abs(marginal.params[1:])).all()
    assert (np.sign(FIT.params) == np.sign(marginal.params)).all()


def test_the_same_numbers_each_time_whatever_the_order() -> None:
    order = np.random.default_rng(0).permutation(len(OUTCOME))
    again, spread = random_intercept(OUTCOME[order], DESIGN, CODES[order], CLUSTERS[order])
    assert (again.params == FIT.params).all()
    assert spread == SPREAD


def test_reasons_instead_of_numbers() -> None:
    fit, spread = random_intercept(OUTCOME | (CODES[:, 0] == 1), DESIGN, CODES, CLUSTERS)
    assert spread is None
    assert fit.reason.startswith("separation: all 120 values of a = a1 are 1")
