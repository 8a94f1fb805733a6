"""All pairs of models, paired by item."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from tests.analyses.run_analysis import definition, run, values
from toolkit.errors import UserError

RNG = np.random.default_rng(1)
BASE = RNG.random(30)
MODELS = {
    "a": BASE,
    "b": BASE + 0.1 + RNG.normal(0, 0.05, 30),
    "c": BASE + RNG.normal(0, 0.05, 30),
}


def rows(params=None, scores=None, **more):
    return run("paired_tests", params or {}, scores or {"f1": values(MODELS)}, **more)[
        "paired_tests"
    ].rows


def by_pair(found):
    return {(row["first"], row["second"]): row for row in found}


def test_t_tests_are_scipys_with_holm_over_the_family() -> None:
    found = rows({"method": "t"})
    want = [stats.ttest_rel(MODELS[one], MODELS[other]).pvalue for one, other in by_pair(found)]
    assert [row["p"] for row in found] == pytest.approx(want)
    adjusted = multipletests(want, method="holm")[1]
    assert [row["p_adjusted"] for row in found] == pytest.approx(adjusted.tolist())
    assert {row["tests"] for row in found} == {3}
    assert [row["winner"] for row in found] == ["b", "", "b"]


def test_permutation_and_wilcoxon_agree_with_scipy() -> None:
    for params, test in (
        ({"method": "wilcoxon"}, lambda d: stats.wilcoxon(d).pvalue),
        ({"n": 20_000}, lambda d: stats.ttest_1samp(d, 0).pvalue),
    ):
        for (one, other), row in by_pair(rows(params)).items():
            assert row["p"] == pytest.approx(test(MODELS[one] - MODELS[other]), abs=0.02)


def test_mcnemar_takes_scores_of_zero_and_one() -> None:
    first = [1] * 142 + [0] * 58
    second = [1] * 120 + [0] * 22 + [1] * 8 + [0] * 50
    found = rows({"method": "mcnemar"}, {"right": values({"a": first, "b": second})})
    assert found[0]["p"] == pytest.approx(0.01612, abs=5e-6)
    assert (found[0]["winner"], found[0]["difference"]) == ("a", pytest.approx(0.07))
    middle = rows(
        {"method": "mcnemar", "mid_p": True}, {"right": values({"a": first, "b": second})}
    )
    assert middle[0]["p"] < found[0]["p"]
    assert rows({"method": "mcnemar"})[0]["reason"] == "values other than 0 and 1"


def test_models_are_compared_within_a_prompt_and_baselines_with_all() -> None:
    scores = values({"a": BASE, "b": BASE}, prompt="A") | values({"a": BASE, "b": BASE}, prompt="B")
    scores |= values({"lead": BASE / 2}, prompt="") | values({"truth": BASE * 0 + 1}, prompt="")
    found = rows({"method": "t"}, {"f1": scores}, kinds={"lead": "baseline", "truth": "reference"})
    assert sorted((row["first"], row["second"], row["prompt"]) for row in found) == [
        ("a", "b", "A"), ("a", "b", "B"), ("a", "lead", "A"), ("a", "lead", "B"),
        ("b", "lead", "A"), ("b", "lead", "B"),
    ]  # fmt: skip


def test_repeats_are_averaged_and_missing_items_left_out() -> None:
    scores = values({"a": [0.0, 1, 1, None], "b": [0.5, 0.5, 0.5, 0.5]})
    scores |= values({"a": [1.0, 1, 0, None]}, repeat=1)
    (row,) = rows({"method": "t"}, {"f1": scores})
    assert row["n"] == 3
    assert row["first_mean"] == pytest.approx((0.5 + 1 + 0.5) / 3)


def test_clusters_flip_whole() -> None:
    items = [{"item_id": f"i{at:04d}", "journal": f"j{at // 6}"} for at in range(30)]
    (row,) = rows({"cluster": "journal"}, {"f1": values({"a": BASE + 0.1, "b": BASE})}, items=items)
    assert (row["n"], row["clusters"], row["method"]) == (30, 5, "exact")
    # Five clusters whose signs all agree: 2 of 32 arrangements.
    assert row["p"] == pytest.approx(2 / 32)
    assert row["winner"] == ""


def test_lower_is_better_and_targets_have_two_sides() -> None:
    lower = definition("f1", direction="lower")
    assert by_pair(rows(definitions=[lower]))["a", "b"]["winner"] == "a"
    target = definition("f1", direction="target", target=float(BASE.mean() + 0.05))
    row = by_pair(rows(definitions=[target]))["a", "b"]
    assert (row["winner"], row["reason"]) == ("", "the means lie on both sides of the target")
    none = definition("f1", direction="none")
    assert by_pair(rows(definitions=[none]))["a", "b"]["winner"] == ""


def test_the_smallest_difference_is_what_n_could_show() -> None:
    row = by_pair(rows({"method": "t"}))["a", "b"]
    sd = np.std(MODELS["a"] - MODELS["b"], ddof=1)
    # 80 % power at level .05 needs about 2.9 standard errors at 29 degrees of freedom.
    assert row["smallest"] == pytest.approx(2.9 * sd / np.sqrt(30), rel=0.02)


def test_the_figure_prints_differences_with_stars() -> None:
    (table,) = run("paired_tests", {"method": "t"}, {"f1": values(MODELS)}).values()
    (grid,) = table.figures[0].panels
    assert grid.rows == grid.columns == ("a", "b", "c")
    assert grid.values[0][1] == -grid.values[1][0]
    assert grid.texts[1][0].startswith("+0.") and grid.texts[1][0].endswith("***")
    assert grid.texts[0][0] == ""
    assert "n = 30" in table.figures[0].title


def test_the_figure_has_no_empty_lines_and_zero_has_no_sign() -> None:
    none = [None] * 30
    scores = values({"a": BASE, "b": BASE, "c": BASE + 0.1, "d": none}) | values(
        {"a": none, "b": none}, prompt="B"
    )
    (table,) = run("paired_tests", {"method": "t"}, {"f1": scores}).values()
    (grid,) = table.figures[0].panels
    assert (grid.title, grid.rows) == ("prompt A", ("a", "b", "c"))
    assert {grid.texts[0][1], grid.texts[1][0]} == {"0.000"}
    assert grid.texts[0][2].startswith("−0.100")
    assert table.figures[0].title.endswith("(n = 30)")


def test_differences_that_are_all_zero_have_no_figure() -> None:
    (table,) = run("paired_tests", {}, {"f1": values({"a": BASE, "b": BASE})}).values()
    assert (table.rows[0]["difference"], table.figures) == (0.0, ())
    assert "all 0" in table.notes[-1]


@pytest.mark.parametrize(
    "params", [{"method": "wilcoxon", "cluster": "j"}, {"method": "mcnemar", "cluster": "j"},
               {"mid_p": True}],
)  # fmt: skip
def test_tests_that_know_no_clusters_refuse_them(params) -> None:
    with pytest.raises(UserError) as caught:
        rows(params)
    assert caught.value.hint


def test_order_and_seed() -> None:
    one, two = rows({"n": 500}), rows({"n": 500}, order=-1)
    assert one == two
    assert rows({"n": 500}, seed=8)[1]["p"] != one[1]["p"]
