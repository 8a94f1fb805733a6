"""Proportional odds, and odds of each threshold."""

import numpy as np
import pandas as pd
import pytest

from tests.statistics.factor_data import answers
from toolkit.statistics.linear_model import odds_ratio, wald_test
from toolkit.statistics.ordered_odds import proportional_odds, threshold_odds

DESIGN, CODES, CLUSTERS, LATENT = answers((3, 2), 40)
OUTCOME = (LATENT > -0.5).astype(int) + (LATENT > 1.2)
FIT = proportional_odds(OUTCOME, DESIGN, CODES, CLUSTERS)
JOINT = threshold_odds(OUTCOME, DESIGN, CODES, CLUSTERS)


@pytest.fixture(scope="module")
def frame():
    data = pd.DataFrame(CODES, columns=list(DESIGN.names)).map(str)
    return data.assign(y=OUTCOME, item=CLUSTERS)


def test_proportional_odds_are_those_of_an_ordinary_formula(frame) -> None:
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    found = OrderedModel.from_formula("y ~ C(a) * C(b)", frame, distr="logit").fit(
        method="bfgs", maxiter=500, gtol=1e-8, disp=False, cov_type="cluster",
        cov_kwds={"groups": frame["item"]},
    )  # fmt: skip
    names = list(found.params.index)
    cells = np.zeros(len(names))
    cells[names.index("C(b)[T.1]")] = 1
    for level in (1, 2):
        cells[names.index(f"C(a)[T.{level}]:C(b)[T.1]")] = 1 / 3
    want = found.t_test(cells)
    got = odds_ratio(FIT, DESIGN.mean_cell({1: (1,)}) - DESIGN.mean_cell({1: (0,)}))
    assert got.log == pytest.approx(float(want.effect[0]), abs=1e-4)
    assert got.error == pytest.approx(float(np.squeeze(want.sd)), rel=1e-3)
    assert np.diff(FIT.thresholds)[0] > 0
    # Higher outcomes are likelier under a1, which the data were made with.
    assert odds_ratio(FIT, DESIGN.mean_cell({0: (1,)}) - DESIGN.mean_cell({0: (0,)})).value > 1


@pytest.mark.parametrize("step", [1, 2])
def test_each_threshold_is_a_logistic_model_with_clustered_covariance(step, frame) -> None:
    import statsmodels.formula.api as smf

    data = frame.assign(z=(step <= OUTCOME).astype(float))
    found = smf.logit("z ~ C(a, Sum) * C(b, Sum)", data).fit(
        disp=False, cov_type="cluster", cov_kwds={"groups": data["item"]}
    )
    part = slice((step - 1) * DESIGN.size, step * DESIGN.size)
    assert sorted(JOINT.params[part]) == pytest.approx(sorted(found.params), abs=1e-8)
    # The small-sample factor knows of both models' coefficients here.
    n, p = len(OUTCOME), DESIGN.size
    factor = (2 * n - 1) / (2 * n - 2 * p) / ((n - 1) / (n - p))
    got = np.sort(np.diag(JOINT.covariance[part, part]))
    assert got == pytest.approx(np.sort(np.diag(found.cov_params())) * factor, rel=1e-6)


def test_thresholds_of_an_outcome_depend_on_one_another() -> None:
    size = DESIGN.size
    row = np.zeros(2 * size)
    row[size + 1], row[1] = 1, -1
    together = odds_ratio(JOINT, row).error
    apart = np.sqrt(JOINT.covariance[1, 1] + JOINT.covariance[size + 1, size + 1])
    # The covariance of the two is no small one.
    assert together < 0.95 * apart


def test_the_exact_slope_is_that_of_differences() -> None:
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    from toolkit.statistics.ordered_model import ordered_model

    four = OUTCOME + (LATENT > 2)
    matrix = DESIGN.matrix(CODES)[:, 1:]
    exact, plain = ordered_model(four, matrix), OrderedModel(four, matrix, distr="logit")
    params = exact.start_params + np.linspace(-0.3, 0.4, len(exact.start_params))
    assert exact.score_obs(params) == pytest.approx(plain.score_obs(params), abs=1e-5)
    assert exact.hessian(params) == pytest.approx(plain.hessian(params), abs=1e-2)


def test_two_values_are_a_logistic_model() -> None:
    two = (OUTCOME > 0).astype(np.int64)
    one = proportional_odds(two, DESIGN, CODES, CLUSTERS)
    assert one.params[1:] == pytest.approx(JOINT.params[1 : DESIGN.size], abs=1e-3)


def test_the_order_of_rows_changes_no_digit() -> None:
    order = np.random.default_rng(0).permutation(len(OUTCOME))
    for function, want in ((proportional_odds, FIT), (threshold_odds, JOINT)):
        again = function(OUTCOME[order], DESIGN, CODES[order], CLUSTERS[order])
        assert (again.params == want.params).all()


def test_reasons_instead_of_numbers() -> None:
    nothing = proportional_odds(np.zeros_like(OUTCOME), DESIGN, CODES, CLUSTERS)
    assert nothing.reason == "no variation: all 240 values are the same"
    assert threshold_odds(np.zeros_like(OUTCOME), DESIGN, CODES, CLUSTERS).reason.startswith(
        "no variation"
    )
    # One threshold is separated, the other is not: one odds ratio for both is finite.
    low = np.where(CODES[:, 0] == 2, np.maximum(OUTCOME, 1), OUTCOME)
    part = threshold_odds(low, DESIGN, CODES, CLUSTERS)
    assert part.reason.startswith("at threshold 1: separation: all 80 values of a = a2 are 1")
    assert wald_test(part, np.eye(2 * DESIGN.size)[1:2]).p is None
    one, other = part.reaching
    assert one.reason.startswith("separation: all 80 values of a = a2 are 1")
    assert other.params == pytest.approx(JOINT.reaching[1].params, abs=1e-6)
    assert proportional_odds(low, DESIGN, CODES, CLUSTERS).reason == ""
    top = np.where(CODES[:, 0] == 2, 2, np.minimum(OUTCOME, 1))
    assert "separation" in proportional_odds(top, DESIGN, CODES, CLUSTERS).reason
