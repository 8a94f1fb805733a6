import krippendorff
import numpy as np
import pytest
from scipy import stats

from tests.analyses.judged import grid, inputs, rows, two_judges
from toolkit.analyses.base import JudgeFacts
from toolkit.analyses.judge_agreement import JudgeAgreement, JudgeAgreementParams
from toolkit.errors import UserError
from toolkit.records import to_arrow


def run(first, second, judges=None, order=1, **more):
    tables = [rows("q", first, "a"), rows("b.q", second, "b")]
    facts = judges or two_judges()
    analysis = JudgeAgreement(JudgeAgreementParams(judges=("a", "b"), resamples=400))
    found = analysis.run(inputs(tables[::order], facts, **more))
    for table in found:
        assert set().union(*table.rows, ()) <= {column.name for column in table.columns}
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
    # All 120 differences are 4: at most 11.35 % of the 30 items (Wilson) would differ.
    assert row["shift_low"] == pytest.approx(4 - 0.1135 * 104, abs=0.01)
    assert "no variation" in row["reason"]
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
    assert (
        tables["judge_model_ranks"].rows[0]["reason"] == "one judge gives all models the same mean"
    )


def test_the_order_of_shards_and_rows_changes_nothing():
    turned = {key: NOISY[key] for key in sorted(NOISY, reverse=True)}
    one, other = run(FIRST, NOISY), run(FIRST, turned, order=-1)
    assert [table.rows for table in one.values()] == [table.rows for table in other.values()]


def test_two_models_may_change_places_and_the_worst_stands_first():
    means = {"a": [50, 60, 70, 40], "b": [62, 55, 45, 40]}

    def by(judge):
        return grid(lambda rng, n, place: means[judge][place] + rng.normal(0, 0.1))

    tables = run(by("a"), by("b"))
    flips = [(row["first"], row["second"]) for row in tables["judge_flips"].rows]
    assert flips == [("m1 A", "m3 A"), ("m2 A", "m3 A"), ("m1 A", "m2 A")]
    (ranks,) = tables["judge_model_ranks"].rows
    assert ranks["n_flips"] == 3
    assert ranks["kendall"] == pytest.approx(stats.kendalltau(*means.values()).statistic)
    assert ranks["kendall_low"] <= ranks["kendall"] <= ranks["kendall_high"]


def three(values, models=(None, None, None), **more):
    names = ("a", "b", "c")
    facts = {
        name: JudgeFacts(name, "llm", model, {"q": f"{name}.q"})
        for name, model in zip(names, models, strict=True)
    }
    tables = [rows(f"{name}.q", values[name], name) for name in names]
    analysis = JudgeAgreement(JudgeAgreementParams(judges=names, resamples=200))
    return {table.name: table for table in analysis.run(inputs(tables, facts, **more))}


def test_three_judges_have_an_alpha_together_with_their_gaps():
    values = {"a": FIRST, "b": dict(NOISY), "c": SECOND}
    for key in list(FIRST)[:9]:
        values["b"][key] = None
    tables = three(values)
    (row,) = tables["judge_agreement_together"].rows
    ratings = [
        [np.nan if (value := values[name][key]) is None else value for key in FIRST]
        for name in "abc"
    ]
    wanted = krippendorff.alpha(reliability_data=ratings, level_of_measurement="interval")
    assert row["alpha"] == pytest.approx(wanted)
    assert (row["among"], row["n"], row["n_ratings"], row["n_missing"]) == ("a, b, c", 120, 351, 9)
    assert row["alpha_low"] < row["alpha"] < row["alpha_high"]
    assert len(tables["judge_agreement"].rows) == 3


def replies(**served):
    made = [{"judge": judge, "served_model": name} for judge, name in served.items()]
    return [to_arrow("judgements", made)]


def test_a_judge_is_a_candidate_when_servers_answered_both_under_one_name():
    def biased(rng, n, place):
        return 50 + (10 if place == 0 else 0) + rng.normal(0, 1)

    values = {"a": grid(biased), "b": SECOND, "c": FIRST}
    models = ("entry", "other", None)
    tables = three(
        values,
        models,
        judgements=replies(a="gpt-2026-03-05", b="elsewhere"),
        served={"m1": "gpt-2026-03-05", "m2": "llama"},
    )
    (row,) = tables["judge_self_preference"].rows
    assert (row["judge"], row["model"], row["n_own"]) == ("a", "m1", 30)
    difference = {key: value - (FIRST[key] + SECOND[key]) / 2 for key, value in values["a"].items()}
    own = np.mean([value for key, value in difference.items() if key[1] == "m1"])
    rest = np.mean([value for key, value in difference.items() if key[1] != "m1"])
    assert row["preference"] == pytest.approx(own - rest)
    assert row["preference_low"] < row["preference"] < row["preference_high"]


def test_a_judge_of_the_same_model_is_no_other_judge():
    values = {"a": FIRST, "b": NOISY, "c": SECOND}
    tables = three(values, ("m1", "m1", "m1"))
    reasons = {row["reason"] for row in tables["judge_self_preference"].rows}
    assert reasons == {"no judge that is another model gives this score"}
    two = three(values, ("m1", "m1", None))["judge_self_preference"].rows
    shift = np.mean([NOISY[key] - SECOND[key] for key in FIRST if key[1] == "m1"])
    assert two[1]["own"] == pytest.approx(shift)


def test_an_answer_that_one_judge_has_no_row_for_is_missing():
    fewer = {key: value for key, value in SECOND.items() if key[0] != "i000"}
    (row,) = run(FIRST, fewer)["judge_agreement"].rows
    assert (row["n"], row["n_missing"]) == (116, 4)
    (none,) = run(FIRST, {})["judge_agreement"].rows
    assert (none["n"], none["reason"]) == (0, "no answer has a score of both")


def test_one_value_twice_for_an_answer_is_refused():
    facts = two_judges()
    tables = [rows("q", FIRST, "a"), rows("q", FIRST, "a"), rows("b.q", SECOND, "b")]
    analysis = JudgeAgreement(JudgeAgreementParams(judges=("a", "b"), resamples=100))
    with pytest.raises(UserError, match="two values"):
        analysis.run(inputs(tables, facts))


def test_fewer_than_two_judges_are_refused():
    for judges in (("a",), ("a", "a")):
        with pytest.raises(UserError, match="judges"):
            JudgeAgreement(JudgeAgreementParams(judges=judges))


def test_scores_are_asked_for_by_their_own_name_or_by_their_column():
    facts = {
        name: JudgeFacts(name, "llm", None, {own: f"{name}.{own}" for own in ("q", "r")})
        for name in ("a", "b")
    }
    tables = [rows(f"{name}.{own}", FIRST, name) for name in ("a", "b") for own in ("q", "r")]
    for asked, wanted in (((), ["q", "r"]), (("r",), ["r"]), (("b.q",), ["q"])):
        params = JudgeAgreementParams(judges=("a", "b"), scores=asked, resamples=100)
        found = JudgeAgreement(params).run(inputs(tables, facts))
        assert [row["score"] for row in found[0].rows] == wanted
