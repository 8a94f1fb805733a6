import pytest

from tests.analyses.judged import grid, inputs, rows, two_judges
from toolkit.analyses.agreement import Agreement, AgreementParams
from toolkit.analyses.base import JudgeFacts
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
    assert found["kappa"]["value"] is None
    assert "no variation" in found["kappa"]["reason"]
    fine = grid(lambda rng, n, place: rng.normal(), items=20)
    assert "no categories" in run(fine, fine)["kappa"]["reason"]
    apart = run({("i1", "m", "A", 0): 1.0}, {("i2", "m", "A", 0): 1.0})
    assert apart["exact"]["reason"] == "no case was rated by both"


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
    tables = analysis.run(inputs([], judge, judgements=[to_arrow("judgements", given)]))
    people = {(r["rater_a"], r["rater_b"], r["statistic"]): r for r in tables[1].rows}
    assert people["ann", "bob", "exact"]["value"] == pytest.approx(8 / 9)
    assert people["ann", "cem", "exact"]["value"] == 1.0
    assert people["ann", "cem", "alpha"]["n"] == 9
