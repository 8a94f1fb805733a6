import numpy as np
import pytest
from scipy import stats

from tests.analyses.scored_items import made, tables
from toolkit.analyses.before_after_cutoff import BeforeAfterCutoff, BeforeAfterCutoffParams

KINDS = {"base": "baseline", "lead": "baseline", "ref": "reference"}
MODELS = {
    "base": {"title": "base", "kind": "baseline"},
    "lead": {"title": "lead", "kind": "baseline"},
    "leaky": {"title": "leaky", "cutoff": "2019-12"},
    "late": {"title": "late", "cutoff": "2021-06"},
    "secret": {"title": "secret"},
    "ref": {"title": "ref", "kind": "reference"},
}


def corpus(n=160, seed=1):
    """Articles that get harder after 2019; ``leaky`` has seen those before its cutoff."""
    rng = np.random.default_rng(seed)
    year = np.array([2016 + at % 8 for at in range(n)])
    ease = np.where(year <= 2019, 0.15, 0.0) + rng.normal(0, 0.1, n)
    values = {
        ("leaky", "A"): 0.5 + ease + np.where(year <= 2019, 0.1, 0.0) + rng.normal(0, 0.05, n),
        ("late", "A"): 0.5 + ease + rng.normal(0, 0.05, n),
        ("secret", "A"): 0.5 + ease + rng.normal(0, 0.05, n),
        ("base", ""): 0.3 + ease + rng.normal(0, 0.05, n),
        ("lead", ""): 0.4 + ease + rng.normal(0, 0.05, n),
        ("ref", ""): np.ones(n),
    }
    values["leaky", "A"][0] = np.nan
    return values, {"year": year.tolist(), "journal": [f"j{at % 20}" for at in range(n)]}


def run(values, columns, order=None, **params):
    inputs = made({"s": values}, columns, order=order, kinds=KINDS, models=MODELS)
    return tables(BeforeAfterCutoff(BeforeAfterCutoffParams(**params)), inputs)


def lines(found):
    return {(r["model"], r["against"]): r for r in found["before_after_cutoff"].rows}


def test_means_differences_and_tests_against_scipy():
    values, columns = corpus()
    row = lines(run(values, columns))["leaky", ""]
    year = np.array(columns["year"])
    known = np.isfinite(values["leaky", "A"])
    before = values["leaky", "A"][known & (year <= 2019)]
    after = values["leaky", "A"][known & (year > 2019)]
    assert (row["n_before"], row["n_after"]) == (len(before), len(after)) == (79, 80)
    assert row["difference"] == pytest.approx(before.mean() - after.mean())
    ends = stats.ttest_ind(before, after, equal_var=False).confidence_interval(0.95)
    assert (row["difference_low"], row["difference_high"]) == pytest.approx(tuple(ends))
    assert row["p"] == 1 / 2001


def test_many_models_can_still_pass_holms_first_step():
    year = [2018] * 15 + [2021] * 15
    clear = np.where(np.array(year) < 2020, 1.0, 0.0)
    noise = np.random.default_rng(9).normal(0, 0.1, (60, 30))
    values = {(f"m{at:02d}", "A"): clear + noise[at] for at in range(60)}
    models = {f"m{at:02d}": {"title": f"m{at:02d}", "cutoff": "2019-12"} for at in range(60)}
    inputs = made({"s": values}, {"year": year}, models=models)
    found = tables(BeforeAfterCutoff(BeforeAfterCutoffParams(n=100)), inputs)
    assert all(row["p_adjusted"] < 0.05 for row in found["before_after_cutoff"].rows)


def test_the_permutation_p_of_a_small_difference():
    rng = np.random.default_rng(5)
    values = {("late", "A"): rng.normal(size=60)}
    columns = {"year": [2019 + at % 2 * 4 for at in range(60)]}
    row = lines(run(values, columns, n=4000))["late", ""]
    scored = values["late", "A"]
    expected = stats.permutation_test(
        (scored[::2], scored[1::2]), lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
        vectorized=True, n_resamples=4000, rng=1,
    ).pvalue  # fmt: skip
    assert row["p"] == pytest.approx(expected, abs=0.03)


def test_what_articles_changed_drops_out_against_the_baselines():
    values, columns = corpus()
    found = lines(run(values, columns))
    assert set(found) == {(m, a) for m in ("leaky", "late") for a in ("", "base, lead")}
    level = (values["base", ""] + values["lead", ""]) / 2
    year = np.array(columns["year"])
    gap = values["leaky", "A"] - level
    row = found["leaky", "base, lead"]
    before, after = np.nanmean(gap[year <= 2019]), np.nanmean(gap[year > 2019])
    assert (row["before"], row["after"]) == (pytest.approx(before), pytest.approx(after))
    assert row["difference_low"] < 0.1 < row["difference_high"]
    assert row["p_adjusted"] < 0.01
    # Both look contaminated; only one of them is.
    assert found["late", ""]["p_adjusted"] < 0.01
    assert found["late", "base, lead"]["p_adjusted"] > 0.05


def test_articles_of_the_cutoffs_year_are_unclear_and_counted_apart():
    values, columns = corpus()
    columns["year"][3] = None
    models = {r["model"]: r for r in run(values, columns)["before_after_cutoff_models"].rows}
    late = models["late"]
    counts = [late[f"n_{name}"] for name in ("before", "after", "unclear", "undated")]
    assert counts == [99, 40, 20, 1]
    row = lines(run(values, columns))["late", ""]
    assert (row["n_before"], row["n_after"]) == (99, 40)


def test_months_make_the_cutoffs_year_clear():
    values, columns = corpus()
    columns["month"] = [1 + at % 12 for at in range(160)]
    found = run(values, columns, month="month")
    models = {r["model"]: r for r in found["before_after_cutoff_models"].rows}
    assert models["late"]["n_unclear"] == 0


def test_models_without_a_cutoff_are_listed_with_the_reason():
    values, columns = corpus()
    rows = run(values, columns)["before_after_cutoff_models"].rows
    reasons = {r["model"]: r["reason"] for r in rows}
    assert reasons["secret"] == "the recipe says no cutoff"
    assert reasons["base"] == "a baseline learned nothing"
    assert reasons["ref"] == "a reference learned nothing"
    assert reasons["leaky"] == reasons["late"] == ""


def test_all_items_on_one_side_leave_nothing_to_compare():
    values, columns = corpus()
    columns["year"] = [2010] * 160
    found = run(values, columns)
    row = lines(found)["leaky", ""]
    assert (row["n_before"], row["n_after"], row["difference"]) == (159, 0, None)
    assert (row["p"], row["after"], row["reason"]) == (None, None, "one side has no value")
    models = {r["model"]: r for r in found["before_after_cutoff_models"].rows}
    assert models["leaky"]["reason"] == "all items lie on one side"
    assert found["before_after_cutoff"].figures == ()


def test_a_model_may_be_the_baseline():
    values, columns = corpus()
    found = lines(run(values, columns, baselines=("secret",)))
    row = found["leaky", "secret"]
    gap = values["leaky", "A"] - values["secret", "A"]
    year = np.array(columns["year"])
    assert row["before"] == pytest.approx(np.nanmean(gap[year <= 2019]))


def test_clusters_in_both_halves_are_tested_by_a_clustered_t_test():
    values, columns = corpus()
    found = run(values, columns, cluster="journal")
    row = lines(found)["late", ""]
    assert row["p"] != lines(run(values, columns))["late", ""]["p"]
    assert "clustered by journal" in found["before_after_cutoff"].notes[0]


def test_p_values_are_adjusted_over_models():
    from statsmodels.stats.multitest import multipletests

    values, columns = corpus()
    found = lines(run(values, columns))
    for against in ("", "base, lead"):
        rows = [row for (_, a), row in found.items() if a == against]
        expected = multipletests([row["p"] for row in rows], method="holm")[1]
        assert [row["p_adjusted"] for row in rows] == pytest.approx(expected)


def test_the_order_of_rows_and_shards_changes_nothing():
    values, columns = corpus()
    assert run(values, columns, order=1) == run(values, columns, order=2)


def test_the_figure_has_both_series():
    values, columns = corpus()
    (figure,) = run(values, columns)["before_after_cutoff"].figures
    (panel,) = figure.panels
    assert panel.labels == ("late A (2021-06)", "leaky A (2019-12)")
    assert [series.name for series in panel.series] == ["score", "score minus baselines"]
