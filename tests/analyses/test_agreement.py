import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from tests.analyses.judged import grid, inputs, rows, two_judges
from toolkit.analyses.agreement import Agreement, AgreementParams
from toolkit.analyses.base import JudgeFacts
from toolkit.errors import UserError
from toolkit.records import to_arrow

ALL = (
    "exact",
    "within_one",
    "mean_absolute_error",
    "kappa",
    "kappa_quadratic",
    "macro_f1",
    "alpha",
)


def run(first, second, statistic=ALL, **more):
    analysis = Agreement(AgreementParams(raters=("a", "b"), statistic=statistic, bootstrap=200))
    tables = [rows("q", first, "a"), rows("b.q", second, "b")]
    (table,) = analysis.run(inputs(tables, two_judges(), **more))
    assert set().union(*table.rows) <= {column.name for column in table.columns}
    return {row["statistic"]: row for row in table.rows}


def cases(pairs):
    keys = [(f"i{n:03d}", "m", "A", 0) for n in range(len(pairs))]
    return tuple(
        {key: float(pair[side]) for key, pair in zip(keys, pairs, strict=True)} for side in (0, 1)
    )


def test_the_prevalence_stands_beside_a_low_kappa():
    found = run(*cases([(1, 1)] * 90 + [(1, 0)] * 5 + [(0, 1)] * 5))
    assert found["exact"]["value"] == 0.9
    assert found["kappa"]["value"] == pytest.approx(-0.0526, abs=1e-4)
    assert found["kappa"]["base_rate"] == 0.95
    assert found["kappa"]["prevalence"] == "0: 0.05 / 0.05; 1: 0.95 / 0.95"
    for row in found.values():
        assert row["low"] <= row["value"] <= row["high"]
    assert found["kappa"]["bootstrap_sd"] > 0


def test_two_annotators_of_the_attribution_paper():
    pairs = list(zip([5, 5, 4, 5, 3, 5, 4, 5], [5, 4, 4, 5, 5, 5, 4, 5], strict=True))
    found = run(*cases(pairs))
    assert found["exact"]["value"] == 0.75
    assert found["within_one"]["value"] == 0.875
    assert found["mean_absolute_error"]["value"] == 0.375


def test_what_has_no_value_says_why():
    found = run(*cases([(1, 1)] * 6))
    for statistic in ("kappa", "kappa_quadratic", "macro_f1"):
        assert found[statistic].get("value") is None
        assert "one category only" in found[statistic]["reason"]
    assert found["alpha"].get("value") is None
    assert "no variation" in found["alpha"]["reason"]
    fine = grid(lambda rng, n, place: rng.normal(), items=20)
    assert "no categories" in run(fine, fine)["kappa"]["reason"]
    apart = run({("i1", "m", "A", 0): 1.0}, {("i2", "m", "A", 0): 1.0})
    assert apart["exact"]["reason"] == "no case was rated by both"


def test_no_disagreement_in_twenty_cases_is_no_certainty():
    found = run(*cases([(0, 0)] * 10 + [(1, 1)] * 10))
    assert (found["exact"]["value"], found["exact"]["high"]) == (1.0, 1.0)
    assert found["exact"]["low"] == pytest.approx(1 - 0.161, abs=5e-4)
    assert found["mean_absolute_error"]["high"] == pytest.approx(16.1, abs=0.05)
    assert found["kappa"]["value"] == 1.0
    assert (found["kappa"]["low"], found["kappa"]["high"]) == (None, None)
    assert "no interval" in found["kappa"]["reason"]


def test_weighted_kappa_stands_beside_the_plain_one_where_it_differs():
    rng = np.random.default_rng(5)
    pairs = [(n % 4, min(3, n % 4 + int(rng.random() < 0.3))) for n in range(60)]
    a, b = zip(*pairs, strict=True)
    found = run(*cases(pairs), statistic=("kappa",))
    assert list(found) == ["kappa", "kappa_linear", "kappa_quadratic"]
    weighted = {"kappa": None, "kappa_linear": "linear", "kappa_quadratic": "quadratic"}
    for name, weights in weighted.items():
        assert found[name]["value"] == pytest.approx(cohen_kappa_score(a, b, weights=weights))
        assert found[name]["low"] < found[name]["bootstrap_mean"] < found[name]["high"]
    assert list(run(*cases([(0, 1), (1, 1), (0, 0)]), statistic=("kappa",))) == ["kappa"]


def test_an_inverted_scale_makes_no_categories_of_its_noise():
    first, _ = cases([(n % 11, 0) for n in range(33)])
    second = {key: 1 - (10 - value) / 10 for key, value in first.items()}
    found = run({key: value / 10 for key, value in first.items()}, second)
    assert found["exact"]["value"] == found["kappa"]["value"] == 1.0


def test_what_one_rater_did_not_rate_is_counted():
    first, second = cases([(1, 1), (0, 1), (0, 0), (1, 0)])
    del second[("i000", "m", "A", 0)]
    second[("i001", "m", "A", 0)] = None
    assert (run(first, second)["exact"]["n"], run(first, second)["exact"]["n_missing"]) == (2, 2)


def test_the_order_of_rows_changes_nothing():
    first, second = cases([(n % 3, n % 3 if n % 5 else 0) for n in range(40)])
    turned = {key: second[key] for key in sorted(second, reverse=True)}
    assert run(first, second) == run(first, turned)


def test_a_rater_named_twice_is_refused():
    with pytest.raises(UserError, match="raters"):
        Agreement(AgreementParams(raters=("a", "a")))


def test_people_inside_one_judge_are_compared_pair_by_pair():
    judge = {"experts": JudgeFacts("experts", "human", None, {"q": "q"})}
    given = [
        {
            "item_id": f"i{n}", "model": "m", "prompt": "A", "repeat": 0, "judge": "experts",
            "stage": "", "judge_repeat": 0, "rater": rater, "status": "ok", "reason": "",
            "parsed": f'{{"q": {n % 3 + (rater == "bob" and n == 0)}}}',
        }
        for n in range(9)
        for rater in ("ann", "bob", "cem")
    ]  # fmt: skip
    analysis = Agreement(
        AgreementParams(raters=("experts",), statistic=("exact", "alpha"), bootstrap=50)
    )
    del given[3]  # ann did not rate the second item
    tables = analysis.run(inputs([], judge, judgements=[to_arrow("judgements", given)]))
    assert [table.name for table in tables][1:] == ["agreement_of_people", "agreement_together"]
    people = {(r["rater_a"], r["rater_b"], r["statistic"]): r for r in tables[1].rows}
    assert people["ann", "bob", "exact"]["value"] == pytest.approx(7 / 8)
    assert people["ann", "bob", "exact"]["judge"] == "experts"
    assert people["bob", "cem", "exact"]["value"] == pytest.approx(8 / 9)
    assert people["ann", "cem", "exact"]["value"] == 1.0
    assert (people["ann", "cem", "alpha"]["n"], people["ann", "cem", "alpha"]["n_missing"]) == (
        8,
        1,
    )
    (row,) = tables[2].rows
    ratings = [[n % 3 + (who == 1 and n == 0) for n in range(9)] for who in range(3)]
    ratings[0][1] = np.nan
    wanted = krippendorff.alpha(reliability_data=ratings, level_of_measurement="interval")
    assert row["alpha"] == pytest.approx(wanted)
    assert (row["among"], row["n_raters"], row["n"]) == ("the people of experts", 3, 9)
    assert (row["n_ratings"], row["n_missing"]) == (26, 1)
    assert row["alpha_low"] <= row["alpha"] <= row["alpha_high"]
