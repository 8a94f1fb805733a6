import numpy as np
import pytest
from scipy import stats

from tests.analyses.judged import grid, inputs, rows, two_judges
from toolkit.analyses.judge_agreement import JudgeAgreement, JudgeAgreementParams


def run(first, second, judges=None, order=1, **more):
    tables = [rows("q", first, "a"), rows("b.q", second, "b")]
    facts = judges or two_judges()
    analysis = JudgeAgreement(JudgeAgreementParams(judges=("a", "b"), resamples=400))
    found = analysis.run(inputs(tables[::order], facts, **more))
    return {table.name: table for table in found}


FIRST = grid(lambda rng, n, place: 50 + 5 * place + rng.normal(0, 10))
SECOND = {key: value + 4 for key, value in FIRST.items()}
NOISE = grid(lambda rng, n, place: rng.normal(0, 3), seed=2)
NOISY = {key: value + 4 + NOISE[key] for key, value in FIRST.items()}


def test_a_constant_shift_is_found_and_ranks_stay():
    tables = run(FIRST, SECOND)
    (row,) = tables["judge_agreement"].rows
    assert (row["n"], row["n_missing"], row["n_items"]) == (120, 0, 30)
    assert row["shift"] == pytest.approx(4)
    assert row["shift_low"] == pytest.approx(4)
    assert row["pearson"] == pytest.approx(1)
    assert 0.5 < row["alpha"] < 1
    (ranks,) = tables["judge_model_ranks"].rows
    assert (ranks["n_models"], ranks["spearman"], ranks["n_flips"]) == (4, 1.0, 0)
    assert tables["judge_flips"].rows == []
    assert "No judge of this run is a candidate" in tables["judge_self_preference"].notes[0]


def test_coefficients_are_scipy_s():
    (row,) = run(FIRST, NOISY)["judge_agreement"].rows
    a, b = (np.array([side[key] for key in sorted(side)]) for side in (FIRST, NOISY))
    assert row["pearson"] == pytest.approx(stats.pearsonr(a, b).statistic)
    assert row["spearman"] == pytest.approx(stats.spearmanr(a, b).statistic)
    assert row["kendall"] == pytest.approx(stats.kendalltau(a, b).statistic)
    assert row["shift_low"] < (b - a).mean() < row["shift_high"]
    assert row["alpha_low"] < row["alpha"] < row["alpha_high"]


def test_answers_without_one_of_the_scores_are_counted_not_averaged():
    holes = dict(SECOND)
    for key in list(holes)[:7]:
        holes[key] = None
    (row,) = run(FIRST, holes)["judge_agreement"].rows
    assert (row["n"], row["n_missing"]) == (113, 7)
    assert row["shift"] == pytest.approx(4)


def test_models_that_change_places_are_listed():
    def second(rng, n, place):
        return 50 + 5 * (1 - place if place < 2 else place) + rng.normal(0, 1)

    tables = run(grid(lambda rng, n, place: 50 + 5 * place + rng.normal(0, 1)), grid(second))
    (flip,) = tables["judge_flips"].rows
    assert (flip["first"], flip["second"]) == ("m1 A", "m2 A")
    assert flip["difference_a"] < 0 < flip["difference_b"]
    (ranks,) = tables["judge_model_ranks"].rows
    assert ranks["spearman"] == pytest.approx(stats.spearmanr([1, 2, 3, 4], [2, 1, 3, 4])[0])
    assert (ranks["n_flips"], ranks["n_pairs"]) == (1, 6)
    assert ranks["spearman_low"] <= ranks["spearman"] <= ranks["spearman_high"]


def test_the_reference_is_not_ranked_and_two_models_have_no_order():
    tables = run(FIRST, SECOND, kinds={"m1": "reference", "m2": "reference"})
    (ranks,) = tables["judge_model_ranks"].rows
    assert (ranks["n_models"], ranks.get("spearman")) == (2, None)
    assert "fewer than three" in ranks["reason"]


def test_a_judge_that_favours_its_own_answers_is_found():
    def biased(rng, n, place):
        return 50 + 5 * place + rng.normal(0, 1) + (10 if place == 0 else 2)

    honest = grid(lambda rng, n, place: 50 + 5 * place + rng.normal(0, 1), seed=3)
    kinds = dict.fromkeys(("m1", "m2", "m3", "m4"), "model")
    tables = run(grid(biased), honest, judges=two_judges(model_a="m1"), kinds=kinds)
    (row,) = tables["judge_self_preference"].rows
    assert (row["judge"], row["model"], row["n_own"], row["n_others"]) == ("a", "m1", 30, 90)
    assert row["preference"] == pytest.approx(8, abs=1)
    assert row["preference_low"] > 6


def test_constant_scores_have_no_correlation_and_say_so():
    same = dict.fromkeys(FIRST, 3.0)
    tables = run(same, same)
    (row,) = tables["judge_agreement"].rows
    assert (row["pearson"], row["alpha"]) == (None, None)
    assert "no variation" in row["reason"]
    assert tables["judge_model_ranks"].rows[0]["reason"] == "all models have the same mean"


def test_the_order_of_shards_and_rows_changes_nothing():
    turned = {key: NOISY[key] for key in sorted(NOISY, reverse=True)}
    one, other = run(FIRST, NOISY), run(FIRST, turned, order=-1)
    assert [table.rows for table in one.values()] == [table.rows for table in other.values()]
