"""Logistic models of clustered outcomes."""

import numpy as np
import pandas as pd
import pytest

from tests.statistics.factor_data import answers
from toolkit.statistics.factorial import Factorial
from toolkit.statistics.linear_model import odds_ratio, wald_test
from toolkit.statistics.logistic_gee import logistic_gee
from toolkit.statistics.standardised import standardised

DESIGN, CODES, CLUSTERS, LATENT = answers()
OUTCOME = LATENT > 0.3
FIT = logistic_gee(OUTCOME, DESIGN, CODES, CLUSTERS)


@pytest.fixture(scope="module")
def frame():
    data = pd.DataFrame(CODES, columns=list(DESIGN.names)).map(str)
    return data.assign(y=OUTCOME.astype(float), item=CLUSTERS)


def ordinary(formula, data):
    """The model as an ordinary formula of statsmodels makes it."""
    import statsmodels.formula.api as smf
    from statsmodels.genmod.cov_struct import Exchangeable
    from statsmodels.genmod.families import Binomial

    model = smf.gee(
        formula, "item", data, family=Binomial(), cov_struct=Exchangeable(),
    )  # fmt: skip
    return model.fit(maxiter=200), model.cov_struct.dep_params


def test_thirty_of_forty_against_twenty_of_forty() -> None:
    design = Factorial(("arm",), (("first", "second"),), 1)
    codes = np.repeat([[0], [1]], 40, axis=0)
    outcome = np.r_[np.arange(40) < 30, np.arange(40) < 20]
    fit = logistic_gee(outcome, design, codes, np.tile(np.arange(40), 2))
    found = odds_ratio(fit, design.mean_cell({0: (0,)}) - design.mean_cell({0: (1,)}))
    assert found.value == pytest.approx(3.0, abs=1e-6)
    assert (found.low, found.high) == pytest.approx((1.614164, 5.575641), abs=1e-6)
    assert fit.alpha == pytest.approx(0.592544, abs=1e-6)
    assert (fit.n, fit.clusters) == (80, 40)


def test_tests_of_terms_are_those_of_an_ordinary_formula(frame) -> None:
    found, alpha = ordinary("y ~ (C(a, Sum) + C(b, Sum) + C(c, Sum))**2", frame)
    table = found.wald_test_terms(skip_single=False, scalar=True).table
    assert FIT.alpha == pytest.approx(alpha, rel=1e-6)
    for term in DESIGN.terms:
        key = ":".join(f"C({DESIGN.names[at]}, Sum)" for at in term)
        got = wald_test(FIT, np.eye(DESIGN.size)[DESIGN.columns(term)])
        assert got.df == table.loc[key, "df_constraint"]
        assert got.chi2 == pytest.approx(table.loc[key, "statistic"], rel=1e-6)
        assert got.p == pytest.approx(table.loc[key, "pvalue"], rel=1e-6)


def test_twice_the_sum_coded_coefficient_is_the_treatment_coded_mean_over_cells(frame) -> None:
    term = DESIGN.terms[1]
    log = 2 * float(FIT.params[DESIGN.columns(term)][0])
    found = odds_ratio(FIT, DESIGN.mean_cell({1: (0,)}) - DESIGN.mean_cell({1: (1,)}))
    assert found.log == pytest.approx(log)
    other, _ = ordinary("y ~ (C(a) + C(b) + C(c))**2", frame)
    names = list(other.params.index)
    cells = np.zeros(len(names))
    cells[names.index("C(b)[T.1]")] = 1
    for factor, levels in (("a", 3), ("c", 3)):
        for level in range(1, levels):
            key = next(n for n in names if f"C({factor})[T.{level}]" in n and "C(b)" in n)
            cells[names.index(key)] = 1 / levels
    want = other.t_test(cells)
    assert found.log == pytest.approx(-float(want.effect[0]), rel=1e-6)
    assert found.error == pytest.approx(float(np.squeeze(want.sd)), rel=1e-5)


def test_contrasts_within_levels_have_the_mean_over_cells_as_geometric_mean() -> None:
    logs = [
        odds_ratio(
            FIT, DESIGN.mean_cell({0: (at,), 1: (0,)}) - DESIGN.mean_cell({0: (at,), 1: (1,)})
        ).log
        for at in range(3)
    ]
    whole = odds_ratio(FIT, DESIGN.mean_cell({1: (0,)}) - DESIGN.mean_cell({1: (1,)}))
    assert np.mean(logs) == pytest.approx(whole.log)
    assert max(logs) - min(logs) > 0.05


def test_the_order_of_rows_changes_no_digit() -> None:
    order = np.random.default_rng(0).permutation(len(OUTCOME))
    again = logistic_gee(OUTCOME[order], DESIGN, CODES[order], CLUSTERS[order])
    assert (again.params == FIT.params).all()
    assert (again.covariance == FIT.covariance).all()


def test_the_bias_reduced_covariance_is_wider() -> None:
    wide = logistic_gee(OUTCOME, DESIGN, CODES, CLUSTERS, "bias_reduced")
    assert (wide.params == FIT.params).all()
    assert (np.diag(wide.covariance) > np.diag(FIT.covariance)).all()


def test_standardised_probabilities_of_a_balanced_design_are_the_shares() -> None:
    for level in range(3):
        found = standardised(FIT, DESIGN, CODES, 0, level)
        share = OUTCOME[CODES[:, 0] == level].mean()
        assert found.value == pytest.approx(share, abs=1e-3)
        assert 0 < found.low < found.value < found.high < 1


def test_the_interval_of_a_probability_is_the_delta_methods() -> None:
    from scipy.special import expit, logit
    from statsmodels.tools.numdiff import approx_fprime

    held = CODES.copy()
    held[:, 1] = 1
    rows = DESIGN.matrix(held)

    def middle(params):
        return logit(expit(rows @ params).mean())

    slope = approx_fprime(FIT.params, middle, centered=True)
    half = 1.959964 * np.sqrt(slope @ FIT.covariance @ slope)
    found = standardised(FIT, DESIGN, CODES, 1, 1)
    want = expit(middle(FIT.params) + half * np.array([-1, 0, 1]))
    assert (found.low, found.value, found.high) == pytest.approx(want, rel=1e-6)


def refused(outcome=OUTCOME, design=DESIGN, codes=CODES, clusters=CLUSTERS):
    fit = logistic_gee(outcome, design, codes, clusters)
    assert np.isnan(fit.params).all()
    assert fit.alpha is None
    term = np.eye(design.size)[1:2]
    assert wald_test(fit, term).chi2 is None
    assert odds_ratio(fit, term[0]).value is None
    assert standardised(fit, design, codes, 0, 0).value is None
    return fit.reason


def test_reasons_instead_of_numbers() -> None:
    assert refused(np.ones_like(OUTCOME)) == "no variation: all 720 values are 1"
    pure = OUTCOME & ~((CODES[:, 0] == 2) & (CODES[:, 1] == 1))
    assert refused(pure) == (
        "separation: all 120 values of a = a2, b = b1 are 0, the odds are infinite"
    )
    few = CLUSTERS < 14
    assert refused(OUTCOME[few], DESIGN, CODES[few], CLUSTERS[few]).startswith(
        "14 clusters are too few for the covariance of 14 coefficients"
    )
    kept = ~((CODES[:, 0] == 2) & (CODES[:, 2] == 0))
    assert refused(OUTCOME[kept], DESIGN, CODES[kept], CLUSTERS[kept]) == (
        "no row has a = a2, c = c0"
    )
    assert "no row has a value" in refused(OUTCOME[:0], DESIGN, CODES[:0], CLUSTERS[:0])
