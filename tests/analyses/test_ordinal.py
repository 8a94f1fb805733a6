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
    (figure,) = found["ordinal_thresholds"].figures
    assert figure.name == "ordinal_thresholds_s"
    assert [each.name for each in figure.panels[0].series] == ["1 or more", "2 or more"]
    assert draw(figure).png


def test_reasons_instead_of_numbers() -> None:
    low = {key: max(value, 1.0) if key[1] == "gpt" else value for key, value in VALUES.items()}
    found = tables(low)
    assert {row["reason"] for row in found["ordinal_thresholds"].rows} == {
        "at threshold 1: separation: all 120 values of model = gpt are 1, the odds are infinite"
    }
    assert all(row["p"] is None for row in found["ordinal_thresholds"].rows)
    assert found["ordinal"].rows[0]["proportional_p"] is None
    same = tables(dict.fromkeys(VALUES, 2.0))
    assert all(row["p"] is None for row in same["ordinal"].rows)
    assert same["ordinal_thresholds"].rows == []
    assert not any(table.figures for table in same.values())


def test_a_number_is_no_order() -> None:
    many = {key: float(at) for at, key in enumerate(VALUES)}
    with pytest.raises(UserError, match="more than 10 different values"):
        tables(many)
