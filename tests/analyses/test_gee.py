"""Logistic models of binary scores by factors."""

import numpy as np
import pytest
from scipy import stats

from tests.analyses.factor_answers import ITEMS, binary
from tests.analyses.run_analysis import run
from toolkit.analyses.base import ModelFacts
from toolkit.errors import UserError
from toolkit.figures.draw import draw
from toolkit.figures.styles import MUTED
from toolkit.statistics.holm import holm

FACTORS = ("model", "prompt", "dataset")
VALUES = binary()


def tables(scores=None, items=ITEMS, **params):
    more = {name: params.pop(name) for name in ("models", "kinds", "order") if name in params}
    asked = {"outcomes": ("f",), "factors": FACTORS} | params
    return run("gee", asked, scores or {"f": VALUES}, items=items, **more)


@pytest.fixture(scope="module")
def found():
    return tables()


@pytest.fixture(scope="module")
def ordinary():
    """The same model as an ordinary formula of statsmodels makes it."""
    import pandas as pd
    import statsmodels.formula.api as smf
    from statsmodels.genmod.cov_struct import Exchangeable
    from statsmodels.genmod.families import Binomial

    dataset = {item["item_id"]: item["dataset"] for item in ITEMS}
    data = pd.DataFrame(
        [
            {"item": item, "model": model, "prompt": prompt, "dataset": dataset[item], "y": value}
            for (item, model, prompt, _), value in VALUES.items()
        ]
    ).sort_values("item")
    model = smf.gee(
        "y ~ (C(model, Sum) + C(prompt, Sum) + C(dataset, Sum))**2",
        "item", data, family=Binomial(), cov_struct=Exchangeable(),
    )  # fmt: skip
    return model.fit(maxiter=200), float(model.cov_struct.dep_params)


def test_terms_are_the_type_three_tests_of_an_ordinary_formula(found, ordinary) -> None:
    want = ordinary[0].wald_test_terms(skip_single=False, scalar=True).table
    rows = {row["term"]: row for row in found["gee"].rows}
    assert list(rows) == [
        "model", "prompt", "dataset", "model x prompt", "model x dataset", "prompt x dataset",
    ]  # fmt: skip
    for name, row in rows.items():
        key = ":".join(f"C({part}, Sum)" for part in name.split(" x "))
        assert row["df"] == want.loc[key, "df_constraint"]
        assert row["chi2"] == pytest.approx(want.loc[key, "statistic"], rel=1e-5)
        assert row["p"] == pytest.approx(want.loc[key, "pvalue"], rel=1e-4)
        assert (row["n"], row["clusters"], row["reason"]) == (360, 60, "")


def test_the_model_says_its_correlation(found, ordinary) -> None:
    (row,) = found["gee_models"].rows
    assert row["alpha"] == pytest.approx(ordinary[1], rel=1e-5)
    assert (row["n"], row["coefficients"], row["left_out"], row["missing"]) == (360, 10, 0, 0)


def test_contrasts_are_adjusted_within_their_families(found) -> None:
    families = {}
    for row in found["gee_contrasts"].rows:
        families.setdefault((row["factor"], row["within"]), []).append(row)
    assert {key: len(rows) for key, rows in families.items()} == {
        ("model", ""): 3, ("model", "prompt"): 6, ("model", "dataset"): 6,
        ("prompt", ""): 1, ("prompt", "model"): 3, ("prompt", "dataset"): 2,
        ("dataset", ""): 1, ("dataset", "model"): 3, ("dataset", "prompt"): 2,
    }  # fmt: skip
    for rows in families.values():
        assert [row["p_adjusted"] for row in rows] == holm([row["p"] for row in rows])
        assert {row["tests"] for row in rows} == {len(rows)}


def test_a_contrast_of_a_term_without_effect_is_not_interpreted(found) -> None:
    p = {row["term"]: row["p"] for row in found["gee"].rows}
    assert p["model"] < 0.05 < p["dataset"]
    for row in found["gee_contrasts"].rows:
        assert row["term_p"] == p[row["term"]]
        assert row["interpreted"] is (p[row["term"]] < 0.05)
        assert row["reason"] == ("" if row["interpreted"] else f"{row['term']} is not significant")
    grey = {
        (panel.title, series.name): series
        for figure in found["gee_contrasts"].figures
        for panel in figure.panels
        for series in panel.series
    }
    assert grey["dataset", "not interpreted"].muted
    assert not grey["model", "interpreted"].muted
    assert MUTED.colour.encode() in draw(found["gee_contrasts"].figures[0]).svg


def test_within_models_prompts_have_odds_ratios_and_their_geometric_mean(found) -> None:
    inside = [
        row for row in found["gee_contrasts"].rows
        if (row["factor"], row["within"]) == ("prompt", "model")
    ]  # fmt: skip
    assert [row["at"] for row in inside] == ["claude", "gpt", "qwen"]
    assert [row["n"] for row in inside] == [120, 120, 120]
    (whole,) = (
        row
        for row in found["gee_contrasts"].rows
        if (row["factor"], row["within"]) == ("prompt", "")
    )
    mean = np.exp(np.mean([np.log(row["odds_ratio"]) for row in inside]))
    assert whole["odds_ratio"] == pytest.approx(mean)
    (line,) = (
        row for row in found["gee_within"].rows
        if (row["factor"], row["within"]) == ("prompt", "model")
    )  # fmt: skip
    assert line["geometric_mean"] == pytest.approx(whole["odds_ratio"])
    assert line["geometric_mean_low"] == whole["odds_ratio_low"]
    assert (line["smallest_at"], line["levels"]) == ("qwen", 3)
    assert line["smallest"] < 1 < line["largest"]


def test_margins_lie_beside_what_was_observed(found) -> None:
    rows = {(row["factor"], row["level"]): row for row in found["gee_margins"].rows}
    row = rows["model", "claude"]
    held = [value for (_, model, _, _), value in VALUES.items() if model == "claude"]
    assert row["observed"] == pytest.approx(np.mean(held))
    assert row["n"] == 120
    assert row["probability"] == pytest.approx(row["observed"], abs=0.01)
    assert row["probability_low"] < row["probability"] < row["probability_high"]


def test_the_recipe_names_comparisons_and_their_direction(found) -> None:
    named = tables(
        contrasts=("prompt", "model"),
        comparisons={
            "prompt": params("detailed", "concise"),
            "model": params(("claude", "gpt"), "qwen") + params("claude", "absent"),
        },
    )["gee_contrasts"].rows
    named = [row for row in named if not row["within"]]
    pairs = {(row["first"], row["second"]): row for row in found["gee_contrasts"].rows[::-1]}
    assert named[0]["odds_ratio"] == pytest.approx(1 / pairs["concise", "detailed"]["odds_ratio"])
    several = np.sqrt(pairs["claude", "qwen"]["odds_ratio"] * pairs["gpt", "qwen"]["odds_ratio"])
    assert (named[1]["first"], named[1]["n"]) == ("claude + gpt", 360)
    assert named[1]["odds_ratio"] == pytest.approx(several)
    assert (named[2]["p"], named[2]["reason"]) == (None, "no row has model = absent")


def params(first, second):
    from toolkit.analyses.factor_params import Comparison

    first, second = ((x,) if isinstance(x, str) else x for x in (first, second))
    return (Comparison(first=first, second=second),)


def test_names_are_never_formulas() -> None:
    evil = "'] + __import__('os').system('false') #"
    items = [item | {"C": (evil, "C(x)")[at % 2]} for at, item in enumerate(ITEMS)]
    values = {
        (item, "a:b*c" if model == "gpt" else model, prompt, repeat): value
        for (item, model, prompt, repeat), value in VALUES.items()
    }
    rows = tables({"f": values}, items, factors=("model", "C"))["gee_contrasts"].rows
    assert {row["at"] for row in rows if row["within"] == "C"} == {evil, "C(x)"}
    assert all(row["p"] is not None for row in rows)


def test_models_have_titles_and_stand_in_the_order_of_the_recipe() -> None:
    models = {name: ModelFacts(name=name, title=name.upper()) for name in ("qwen", "claude", "gpt")}
    rows = tables(models=models, factors=("model",))["gee_margins"].rows
    assert [row["level"] for row in rows] == ["QWEN", "CLAUDE", "GPT"]


def test_repeats_are_rows_and_what_lacks_a_level_is_left_out() -> None:
    values = binary(repeats=2)
    values |= {(item["item_id"], "floor", "", 0): 0.0 for item in ITEMS}
    values["i0000", "gpt", "concise", 0] = None
    items = [item | ({"dataset": None} if at == 7 else {}) for at, item in enumerate(ITEMS)]
    (row,) = tables({"f": values}, items, kinds={"floor": "baseline"})["gee_models"].rows
    assert (row["n"], row["missing"], row["left_out"]) == (720 - 12 - 1, 1, 60 + 12)
    assert row["clusters"] == 59


def test_a_column_clusters() -> None:
    rows = tables(cluster="patient", factors=("model", "prompt"))["gee"].rows
    assert {row["clusters"] for row in rows} == {30}


def test_order_does_not_matter(found) -> None:
    again = tables(order=-1)
    assert all(again[name].rows == found[name].rows for name in found)


def test_further_models_stand_beside_the_main_one(found) -> None:
    more = tables(sensitivity=("three_way", "random_intercept"), contrasts=("model", "prompt"))
    assert more["gee_three_way"].rows[-1]["term"] == "model x prompt x dataset"
    assert more["gee_three_way"].rows[-1]["df"] == 2
    main = {
        (row["factor"], row["first"], row["second"]): row["odds_ratio"]
        for row in found["gee_contrasts"].rows if not row["within"]
    }  # fmt: skip
    for name in ("gee_three_way_contrasts", "gee_random_intercept_contrasts"):
        assert len(more[name].rows) == 4
        for row in more[name].rows:
            assert row["main_odds_ratio"] == main[row["factor"], row["first"], row["second"]]
    apart = more["gee_random_intercept_contrasts"].rows[0]
    assert abs(apart["log_odds"]) > abs(np.log(apart["main_odds_ratio"]))
    (row,) = more["gee_random_intercept_models"].rows
    assert 0.3 < row["spread"] < 2


def test_every_column_is_told(found) -> None:
    for table in found.values():
        names = {column.name for column in table.columns}
        assert all(set(row) <= names for row in table.rows), table.name
        assert table.signature.startswith("gee|version:2|factors:model,prompt,dataset|")
    figures = [figure.name for table in found.values() for figure in table.figures]
    assert figures == ["gee_f", "gee_within_f_prompt", "gee_within_f_dataset", "gee_margins_f",
                       "gee_differences_f"]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda key, value: 1.0, "no variation: all 360 values are 1"),
        (
            lambda key, value: 0.0 if key[1] == "qwen" else value,
            "separation: all 120 values of model = qwen are 0, the odds are infinite",
        ),
        (
            lambda key, value: None if key[1:3] == ("gpt", "concise") else value,
            "no row has model = gpt, prompt = concise",
        ),
        (
            lambda key, value: None if key[2] == "concise" else value,
            "prompt has fewer than two levels with a value; leave it out of factors",
        ),
        (lambda key, value: None, "no row has a value and a level of each factor"),
    ],
)
def test_reasons_instead_of_numbers(change, reason) -> None:
    values = {key: change(key, value) for key, value in VALUES.items()}
    found = tables({"f": values}, sensitivity=("three_way", "random_intercept"))
    assert found["gee_models"].rows[0]["reason"] == reason
    # What was observed needs no model.
    found.pop("gee_differences")
    for table in found.values():
        assert not table.figures
        for row in table.rows:
            assert row["reason"].startswith(reason)
            numbers = ("chi2", "p", "p_adjusted", "odds_ratio", "probability", "alpha", "spread")
            assert all(row.get(name) is None for name in numbers)


def test_a_score_that_is_absent_says_so() -> None:
    found = tables(outcomes=("f", "gone"))
    assert [row["reason"] for row in found["gee_models"].rows] == [
        "", "no row has a value and a level of each factor",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("params_", "message"),
    [
        ({"factors": ("model", "model")}, "gee.factors is"),
        ({"factors": ("model", "item_id")}, "the items or their clusters"),
        ({"contrasts": ("dataset_",)}, "gee.contrasts names 'dataset_'"),
        ({"comparisons": {"model": params("gpt", "gpt")}}, "compares"),
    ],
)
def test_parameters_that_make_no_model_are_refused(params_, message) -> None:
    with pytest.raises(UserError, match=message):
        tables(**params_)


def test_other_values_than_zero_and_one_are_refused() -> None:
    with pytest.raises(UserError, match="neither 0 nor 1") as caught:
        tables({"f": VALUES | {("i0000", "gpt", "concise", 0): 0.5}})
    assert "ordinal" in caught.value.hint


def test_an_item_of_several_levels_is_refused() -> None:
    items = [item | {"dataset": ["a", "b"]} for item in ITEMS]
    with pytest.raises(UserError, match="several values of 'dataset'"):
        tables(items=items)


def test_observed_differences_stand_beside_the_contrasts(found) -> None:
    rows = {
        (row["factor"], row["first"], row["second"]): row for row in found["gee_differences"].rows
    }
    pooled = [row for row in found["gee_contrasts"].rows if not row["within"]]
    assert list(rows) == [(row["factor"], row["first"], row["second"]) for row in pooled]
    for row in rows.values():
        assert row["n"] == next(
            one["n"] for one in pooled
            if (one["factor"], one["first"]) == (row["factor"], row["first"])
        )  # fmt: skip
    gaps = {item["item_id"]: [] for item in ITEMS}
    for (item, model, prompt, repeat), value in VALUES.items():
        if prompt == "concise":
            gaps[item].append(value - VALUES[item, model, "detailed", repeat])
    gaps = np.array([np.mean(held) for held in gaps.values()])
    row = rows["prompt", "concise", "detailed"]
    want = stats.ttest_1samp(gaps, 0).confidence_interval()
    assert (row["difference_low"], row["difference_high"]) == pytest.approx((want.low, want.high))
    assert (row["compared"], row["cells"], row["clusters"]) == ("within", 180, 60)
    # Signs of items, drawn by another generator.
    signs = np.random.default_rng(5).choice([-1, 1], (20_000, 60))
    p = (np.abs(signs @ gaps) >= abs(gaps.sum()) - 1e-9).mean()
    assert row["p"] == pytest.approx(p, abs=0.015)
    models = [row for row in rows.values() if row["factor"] == "model"]
    assert [row["p_adjusted"] for row in models] == holm([row["p"] for row in models])
    dataset = rows["dataset", "inspect", "merlin"]
    assert (dataset["compared"], dataset["method"]) == ("between", "welch")
    sides = [
        [np.mean([v for key, v in VALUES.items() if key[0] == item["item_id"]])
         for item in ITEMS if item["dataset"] == name]
        for name in ("inspect", "merlin")
    ]  # fmt: skip
    assert dataset["p"] == pytest.approx(stats.ttest_ind(*sides, equal_var=False).pvalue)
    assert "of which no cluster has two levels" in found["gee_differences"].notes[0]


def test_a_level_that_is_absent_has_no_difference() -> None:
    found = tables(contrasts=("model",), comparisons={"model": params("claude", "absent")})
    (row,) = found["gee_differences"].rows
    assert (row["p"], row["reason"]) == (None, "no row has model = absent")


def edited(reports):
    """Five edits of some reports in three datasets, answered by two models to two prompts."""
    rng = np.random.default_rng(3)
    items = [
        {"item_id": f"r{at}:L{level}", "original_id": f"r{at}", "level": f"L{level}",
         "dataset": f"d{at % 3}"}
        for at in range(reports) for level in range(5)
    ]  # fmt: skip
    values = {
        (item["item_id"], model, prompt, 0): float(rng.random() < 0.3 + 0.3 * (model == "a"))
        for item in items for model in "ab" for prompt in ("concise", "detailed")
    }  # fmt: skip
    asked = {"factors": ("model", "prompt", "level", "dataset"), "cluster": "original_id"}
    return values, {"items": items, **asked}


def test_ten_reports_give_main_effects_with_a_warning_and_no_interactions() -> None:
    values, asked = edited(10)
    found = tables({"f": values}, interactions=1, **asked)
    (model,) = found["gee_models"].rows
    assert (model["clusters"], model["coefficients"], model["reason"]) == (10, 9, "")
    assert all(0 <= row["p"] <= 1 for row in found["gee"].rows)
    assert all(row["odds_ratio_low"] > 0 for row in found["gee_contrasts"].rows)
    for name in ("gee", "gee_contrasts"):
        assert any("Small sample: 10 clusters" in note for note in found[name].notes)
    more = tables({"f": values}, interactions=2, **asked)
    assert {row["reason"] for row in more["gee"].rows} == {
        "10 clusters are too few for the covariance of 30 coefficients; lower interactions or "
        "leave factors out"
    }
    # What was observed stands.
    assert all(row["p"] is not None for row in more["gee_differences"].rows)


def test_many_clusters_need_no_warning(found) -> None:
    assert not any("Small sample" in note for table in found.values() for note in table.notes)
