"""Which steps measure texts, and which scores share one."""

import shutil

import pytest
import tiny_recipe

from tests.models.tiny_models import causal
from toolkit.plan.forecast import forecast
from toolkit.plan.make import make_plan
from toolkit.recipe.load import load_recipe

pytest.importorskip("transformers", reason="the extra 'local' is not installed")

MODELS = {
    name: {"provider": "baseline", "variant": variant}
    for name, variant in (("first", "first_sentence"), ("ceiling", "reference"))
}


@pytest.fixture(scope="module")
def scorer(tmp_path_factory):
    return str(causal(tmp_path_factory.mktemp("scorer"), context=64))


def plan(folder, metrics, **changes):
    recipe = tiny_recipe.data(
        models=MODELS,
        generate={"split": "test", "models": list(MODELS)},
        metrics=metrics,
        **changes,
    )
    return make_plan(load_recipe(tiny_recipe.write(folder, recipe)), workspace=folder / "w")


def perplexity(scorer, **settings):
    return {"perplexity": {"model": scorer, "context": 32, "stride": 16, **settings}}


def names(made, stage):
    return [step.name for step in made.steps if step.stage == stage]


def test_metrics_that_look_at_rows_have_no_such_step(tmp_path):
    made = plan(tmp_path, ["rouge", "word_ratio"])
    assert names(made, "measure") == []


def test_one_step_measures_for_all_models(tmp_path, scorer):
    made = plan(tmp_path, ["rouge", perplexity(scorer)])
    assert names(made, "measure") == ["measure/likelihoods"]
    step = made.step("measure/likelihoods")
    assert set(step.inputs) >= {"generate/first", "generate/ceiling", "splits"}
    for score in names(made, "score"):
        reads = "measure/likelihoods" in made.step(score).inputs
        assert reads == score.startswith("score/perplexity/")
    order = [step.name for step in made.steps]
    assert order.index("measure/likelihoods") < order.index("score/perplexity/first")


def test_equal_settings_share_a_step_and_others_do_not(tmp_path, scorer):
    made = plan(
        tmp_path,
        [
            perplexity(scorer),
            perplexity(scorer, on="reference", suffix="of_reference"),
            perplexity(scorer, bos=False, suffix="without_start"),
        ],
    )
    assert names(made, "measure") == ["measure/likelihoods", "measure/likelihoods-2"]
    shared, own = (made.step(name) for name in names(made, "measure"))
    assert shared.options["asks"] == [["generate/first", [0, 1]], ["generate/ceiling", [0, 1]]]
    assert shared.params["reads"]["generate/first"] == ["output", "reference"]
    assert own.params["reads"]["generate/first"] == ["output"]
    assert shared.fingerprint != own.fingerprint


def test_a_setting_of_the_measure_changes_its_fingerprint_and_a_text_of_the_score_too(
    tmp_path, scorer
):
    prints = [
        plan(tmp_path, [perplexity(scorer, **settings)]).step("measure/likelihoods").fingerprint
        for settings in ({}, {"dtype": "bfloat16"}, {"on": ["output", "reference"]})
    ]
    assert None not in prints
    assert len(set(prints)) == 3


def test_texts_that_are_read_together_or_apart_make_another_fingerprint(tmp_path, scorer):
    # Of a row without a reference the first measures nothing, the second the output.
    both = plan(tmp_path, [perplexity(scorer, on=["output", "reference"])])
    apart = plan(
        tmp_path, [perplexity(scorer), perplexity(scorer, on="reference", suffix="of_reference")]
    )
    steps = [made.step("measure/likelihoods") for made in (both, apart)]
    assert steps[0].params["reads"] == steps[1].params["reads"]
    assert steps[0].fingerprint != steps[1].fingerprint


def test_the_same_weights_in_another_folder_make_the_same_fingerprint(tmp_path, scorer):
    copied = shutil.copytree(scorer, tmp_path / "copied")
    prints = {
        plan(tmp_path, [perplexity(str(folder))]).step("score/perplexity/first").fingerprint
        for folder in (scorer, copied)
    }
    assert len(prints) == 1
    assert None not in prints


def test_weights_that_are_not_here_block_the_step_and_say_why(tmp_path):
    made = plan(tmp_path, [{"perplexity": {"model": "nowhere/never"}}])
    step = made.step("measure/likelihoods")
    assert step.fingerprint is None
    assert "nowhere/never" in step.unknown


def test_the_forecast_counts_each_text_of_the_items_once(tmp_path, scorer):
    made = plan(tmp_path, [perplexity(scorer, on=["output", "reference"])])
    ahead = forecast(made).steps
    assert ahead["generate/first"].rows == 6
    assert ahead["measure/likelihoods"].rows == 6 + 6 + 6
    assert ahead["measure/likelihoods"].hours > ahead["score/perplexity/first"].hours
    made = plan(tmp_path, [perplexity(scorer, on="reference")])
    assert forecast(made).steps["measure/likelihoods"].rows == 6
