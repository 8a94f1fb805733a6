"""The smallest difference that so many items can show."""

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from tests.analyses.run_analysis import run, values
from toolkit.errors import UserError

RNG = np.random.default_rng(4)
BASE = RNG.random(40)
MODELS = {"a": BASE, "b": BASE + RNG.normal(0, 0.1, 40)}


def table(params=None, models=MODELS, **more):
    return run("power", params or {}, {"f1": values(models)}, **more)["power"]


@pytest.mark.parametrize("power", [0.8, 0.9])
def test_one_pair_is_statsmodels(power) -> None:
    (row,) = table({"power": power}).rows
    sd = np.std(MODELS["a"] - MODELS["b"], ddof=1)
    want = TTestPower().solve_power(nobs=40, alpha=0.05, power=power)
    assert row["smallest"] == pytest.approx(want * sd, rel=1e-4)
    assert row["in_sd"] == pytest.approx(want, rel=1e-4)
    assert (row["n"], row["pairs"], row["design_effect"]) == (40, 1, pytest.approx(1))


def test_clusters_that_vary_together_show_less() -> None:
    codes = np.arange(40) // 4
    shift = RNG.normal(0, 0.1, 10)[codes]
    items = [{"item_id": f"i{at:04d}", "j": str(code)} for at, code in enumerate(codes)]
    models = {"a": BASE, "b": BASE + shift + RNG.normal(0, 0.02, 40)}
    alone, together = (
        table({}, models).rows[0],
        table({"cluster": "j"}, models, items=items).rows[0],
    )
    assert together["design_effect"] > 2
    assert together["smallest"] > 1.4 * alone["smallest"]


def test_the_middle_pair_lies_between_the_most_and_the_least_alike() -> None:
    models = MODELS | {"c": BASE + RNG.normal(0, 0.4, 40)}
    (row,) = table({}, models).rows
    assert row["smallest_least"] <= row["smallest"] <= row["smallest_most"]
    assert row["pairs"] == 3


def test_nothing_varies_nothing_is_shown() -> None:
    (row,) = table({}, {"a": BASE, "b": BASE}).rows
    assert (row["smallest"], row["reason"]) == (
        None, "no pair of models whose differences vary",
    )  # fmt: skip


def test_the_figure_rises_from_the_level_to_the_power() -> None:
    (figure,) = table().figures
    (lines,) = figure.panels
    curve = lines.series[0].values
    assert curve[0] == pytest.approx(0.05)
    assert list(curve) == sorted(curve)
    ((mark, _),) = lines.marks
    assert np.interp(mark, lines.xs, curve) == pytest.approx(0.8, abs=0.01)


def test_a_difference_that_no_score_can_have_is_neither_drawn_nor_passed_over() -> None:
    found = table({}, {"a": [0.0, 1.0, 0.0], "b": [1.0, 0.0, 0.0]})
    (row,) = found.rows
    assert row["smallest"] > 1
    assert "larger than any difference" in row["reason"]
    (lines,) = found.figures[0].panels
    assert max(lines.xs) == 1.0
    assert lines.marks == ()


def test_values_out_of_range_are_refused() -> None:
    with pytest.raises(UserError, match="power"):
        table({"power": 0.2})
