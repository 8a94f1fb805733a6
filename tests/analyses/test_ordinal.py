"""Models of ordered scores by factors."""

import numpy as np
import pytest

from tests.analyses.factor_answers import ITEMS, ordered
from tests.analyses.run_analysis import run
from toolkit.errors import UserError
from toolkit.figures.draw import draw
from toolkit.statistics.holm import holm

VALUES = ordered()


def tables(values=VALUES, **params):
    more = {name: params.pop(name) for name in ("kinds", "order") if name in params}
    asked = {"outcomes": ("s",), "factors": ("model", "prompt")} | params
    return run("ordinal", asked, {"s": values}, items=ITEMS, **more)


@pytest.fixture(scope="module")
def found():
    return tables()


@pytest.fixture(scope="module")
def frame():
    import pandas as pd

    return pd.DataFrame(
        [(*key, value) for key, value in VALUES.items()],
        columns=["item", "model", "prompt", "repeat", "y"],
    )


def test_odds_ratios_are_those_of_an_ordinary_formula(found, frame) -> None:
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    data = frame.assign(y=frame["y"].astype(int))
    want = OrderedModel.from_formula("y ~ C(model) * C(prompt)", data, distr="logit").fit(
        method="bfgs", maxiter=500, gtol=1e-8, disp=False, cov_type="cluster",
        cov_kwds={"groups": data["item"].astype("category").cat.codes},
    )  # fmt: skip
    rows = {
        (row["factor"], row["at"]): row
        for row in found["ordinal_contrasts"].rows
        if row["factor"] == "prompt"
    }
    # With treatment coding the prompt's coefficient is its effect in the first model.
    got = rows["prompt", "claude"]
    assert got["log_odds"] == pytest.approx(-want.params["C(prompt)[T.detailed]"], abs=1e-4)
    assert got["error"] == pytest.approx(want.bse["C(prompt)[T.detailed]"], rel=1e-3)


def test_each_threshold_has_odds_ratios_of_its_own(found, frame) -> None:
    import statsmodels.formula.api as smf

    rows = [
        row for row in found["ordinal_thresholds"].rows
        if (row["factor"], row["at"]) == ("prompt", "claude")
    ]  # fmt: skip
    assert [row["threshold"] for row in rows] == [1.0, 2.0]
    for row in rows:
        data = frame.assign(z=(frame["y"] >= row["threshold"]).astype(float))
        want = smf.logit("z ~ C(model) * C(prompt)", data).fit(disp=False)
        assert row["log_odds"] == pytest.approx(-want.params["C(prompt)[T.detailed]"], abs=1e-6)
    low, high = rows
    assert low["ratio"] is None
    assert high["ratio"] == pytest.approx(high["odds_ratio"] / low["odds_ratio"])
    assert high["ratio_low"] < high["ratio"] < high["ratio_high"]


def interval(middle, params, covariance):
    """The 95 % interval of a probability by a numerical gradient of its log odds."""
    from scipy.special import expit
    from statsmodels.tools.numdiff import approx_fprime

    slope = approx_fprime(np.asarray(params), middle, centered=True)
    half = 1.959963985 * np.sqrt(slope @ np.asarray(covariance) @ slope)
    return expit(middle(np.asarray(params)) + half * np.array([-1, 0, 1]))


@pytest.mark.parametrize("step", [1, 2])
def test_margins_are_mean_predictions_with_intervals_of_a_numerical_gradient(
    found, frame, step
) -> None:
    import statsmodels.formula.api as smf
    from scipy.special import expit, logit
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    (row,) = (
        row for row in found["ordinal_margins"].rows
        if (row["factor"], row["level"], row["threshold"]) == ("model", "qwen", step)
    )  # fmt: skip
    values = frame["y"][frame["model"] == "qwen"]
    assert (row["n"], row["observed"]) == (120, pytest.approx((values >= step).mean()))
    groups = {"groups": frame["item"].astype("category").cat.codes}
    # A threshold's own model, predictions and gradient by statsmodels' own formula.
    own = smf.logit("z ~ C(model) * C(prompt)", frame.assign(z=(frame["y"] >= step) * 1.0)).fit(
        disp=False, cov_type="cluster", cov_kwds=groups
    )
    detailed = frame["prompt"] == "detailed"
    ones = {"Intercept", "C(model)[T.qwen]"}
    beside = {"C(prompt)[T.detailed]", "C(model)[T.qwen]:C(prompt)[T.detailed]"}
    held = np.column_stack(
        [detailed if name in beside else np.full(len(frame), name in ones)
         for name in own.params.index]
    ).astype(float)  # fmt: skip
    n, p = len(frame), held.shape[1]
    factor = (2 * n - 1) / (2 * n - 2 * p) / ((n - 1) / (n - p))
    want = interval(lambda b: logit(expit(held @ b).mean()), own.params, own.cov_params() * factor)
    got = (row["probability_low"], row["probability"], row["probability_high"])
    assert got == pytest.approx(want, abs=1e-6)
    # Proportional odds.
    data = frame.assign(y=frame["y"].astype(int))
    whole = OrderedModel.from_formula("y ~ C(model) * C(prompt)", data, distr="logit").fit(
        method="bfgs", maxiter=500, gtol=1e-8, disp=False, cov_type="cluster", cov_kwds=groups
    )
    fixed = held[:, 1:]

    def middle(params):
        return logit(1 - whole.model.predict(params, exog=fixed)[:, :step].sum(axis=1).mean())

    want = interval(middle, whole.params, whole.cov_params())
    got = (row["proportional_low"], row["proportional"], row["proportional_high"])
    assert got == pytest.approx(want, abs=2e-4)


def test_differences_of_means_are_those_of_the_values(found) -> None:
    rows = [row for row in found["ordinal_differences"].rows if row["factor"] == "prompt"]
    sides = [
        np.mean([value for key, value in VALUES.items() if key[2] == prompt])
        for prompt in ("concise", "detailed")
    ]
    (row,) = rows
    assert (row["first_mean"], row["second_mean"]) == pytest.approx(sides)
    assert row["difference"] == pytest.approx(sides[0] - sides[1])
    assert row["difference_low"] < row["difference"] < row["difference_high"]


def test_the_geometric_mean_within_levels_is_the_odds_ratio_over_all_cells(found) -> None:
    rows = found["ordinal_contrasts"].rows
    (whole,) = (row for row in rows if (row["factor"], row["within"]) == ("prompt", ""))
    inside = [
        row["odds_ratio"] for row in rows if (row["factor"], row["within"]) == ("prompt", "model")
    ]
    (line,) = (row for row in found["ordinal_within"].rows if row["factor"] == "prompt")
    assert (line["smallest"], line["largest"]) == (min(inside), max(inside))
    assert line["geometric_mean"] == pytest.approx(whole["odds_ratio"])


def test_families_of_thresholds_are_apart(found) -> None:
    rows = [
        row for row in found["ordinal_thresholds"].rows
        if (row["factor"], row["within"], row["threshold"]) == ("model", "", 2.0)
    ]  # fmt: skip
    assert [row["p_adjusted"] for row in rows] == holm([row["p"] for row in rows])
    assert {row["tests"] for row in rows} == {3}


def test_odds_that_are_not_proportional_are_not_read() -> None:
    rng = np.random.default_rng(1)
    # One prompt makes middle values rare: it harms the first threshold and helps the second.
    wide = {
        key: float(rng.choice(3, p=[0.45, 0.1, 0.45] if key[2] == "concise" else [0.1, 0.8, 0.1]))
        for key in VALUES
    }
    found = tables(wide)
    tested = {row["term"]: row for row in found["ordinal"].rows}
    assert tested["prompt"]["proportional_p"] < 1e-6
    assert tested["prompt"]["proportional_df"] == 1
    (model,) = found["ordinal_models"].rows
    assert model["proportional_df"] == 5
    assert model["proportional_p"] < 1e-6
    held = [row for row in found["ordinal_contrasts"].rows if row["term"] == "prompt"]
    assert [row["interpreted"] for row in held] == [False]
    low, high = (
        row["odds_ratio"] for row in found["ordinal_thresholds"].rows
        if (row["factor"], row["within"]) == ("prompt", "")
    )  # fmt: skip
    assert low < 1 < high


def test_the_model_says_values_and_thresholds(found) -> None:
    (row,) = found["ordinal_models"].rows
    counts = [list(VALUES.values()).count(value) for value in (0, 1, 2)]
    assert row["values"] == ", ".join(f"{value} ({n})" for value, n in enumerate(counts))
    assert (row["n"], row["clusters"], row["coefficients"]) == (360, 60, 5)
    assert len(row["thresholds"].split(", ")) == 2


def test_order_does_not_matter(found) -> None:
    again = tables(order=-1)
    assert all(again[name].rows == found[name].rows for name in found)


def test_every_column_is_told_and_thresholds_are_drawn(found) -> None:
    for table in found.values():
        names = {column.name for column in table.columns}
        assert all(set(row) <= names for row in table.rows), table.name
    assert [each.name for each in found["ordinal_margins"].figures] == [
        "ordinal_margins_s_1", "ordinal_margins_s_2",
    ]  # fmt: skip
    (figure,) = found["ordinal_thresholds"].figures
    assert figure.name == "ordinal_thresholds_s"
    assert [each.name for each in figure.panels[0].series] == ["1 or more", "2 or more"]
    assert draw(figure).png


def test_reasons_instead_of_numbers() -> None:
    low = {key: max(value, 1.0) if key[1] == "gpt" else value for key, value in VALUES.items()}
    found = tables(low)
    why = "separation: all 120 values of model = gpt are 1, the odds are infinite"
    assert found["ordinal_models"].rows[0]["threshold_reason"] == f"at threshold 1: {why}"
    first, second = (
        [row for row in found["ordinal_thresholds"].rows if row["threshold"] == step]
        for step in (1, 2)
    )
    assert {row["reason"] for row in first} == {why}
    assert all(row["p"] is None for row in first)
    # The other threshold has a model, and nothing to be compared with.
    assert all(row["p"] is not None and row["ratio"] is None for row in second)
    assert found["ordinal"].rows[0]["proportional_p"] is None
    same = tables(dict.fromkeys(VALUES, 2.0))
    assert all(row["p"] is None for row in same["ordinal"].rows)
    assert same["ordinal_thresholds"].rows == []
    assert same["ordinal_margins"].rows == []
    assert not any(table.figures for table in same.values())
    # The proportional odds model says something where a threshold's own says nothing.
    margins = found["ordinal_margins"].rows
    assert all((row["probability"] is None) is (row["threshold"] == 1) for row in margins)
    assert all(row["observed"] is not None for row in margins)
    assert all(0 < row["proportional"] < 1 for row in margins)
    assert {row["proportional_reason"] for row in margins} == {""}
    assert [one.name for one in found["ordinal_margins"].figures[0].panels[0].series] == [
        "proportional odds"
    ]


def test_a_number_is_no_order() -> None:
    many = {key: float(at) for at, key in enumerate(VALUES)}
    with pytest.raises(UserError, match="more than 10 different values"):
        tables(many)
