import pytest
import tiny_recipe

from toolkit.cli.plan import plan_text
from toolkit.execute import run_recipe
from toolkit.plan.forecast import forecast
from toolkit.plan.make import make_plan
from toolkit.recipe.load import load_recipe


@pytest.fixture
def served(tmp_path):
    recipe = tiny_recipe.data(
        prompts={"A": {"file": "a.j2", "slots": {"text": "field:input"}}},
        models={
            "served": {
                "provider": "openai_compatible",
                "model": "small",
                "base_url": "http://127.0.0.1:9/v1",
                "max_tokens": 100,
                "prices": {"input_per_million": 2.0, "output_per_million": 10.0},
            },
            "first": {"provider": "baseline", "variant": "first_sentence"},
        },
        generate={"split": "test", "models": ["served", "first"], "prompts": ["A"], "repeats": 2},
    )
    file = tiny_recipe.write(tmp_path, recipe)
    (tmp_path / "a.j2").write_text("Conclude from {{ text }}")
    return load_recipe(file), tmp_path / "workspace"


def test_before_anything_is_built_the_recipe_alone_speaks(served):
    recipe, workspace = served
    ahead = forecast(make_plan(recipe, workspace=workspace))
    asked = ahead.steps["generate/served/A"]
    assert asked.calls == 12
    assert asked.tokens is None
    assert asked.usd_high is None
    assert ahead.steps["generate/first"].calls == 0
    assert ahead.steps["corpus"].rows is None


def test_with_the_items_built_tokens_and_money_are_estimated(served):
    recipe, workspace = served
    run_recipe(recipe, workspace=workspace, until="splits")
    plan = make_plan(recipe, workspace=workspace)
    ahead = forecast(plan)
    asked = ahead.steps["generate/served/A"]
    lengths = [len("Conclude from ") + len(row["input"]) for row in tiny_recipe.rows()]
    low, high = min(lengths) / 4, max(lengths) / 4
    assert 12 * (low + 100) <= asked.tokens <= 12 * (high + 100)
    assert 12 * low * 2e-6 <= asked.usd_low <= 12 * high * 2e-6
    assert asked.usd_high == pytest.approx(asked.usd_low + 12 * 100 * 10e-6)
    assert ahead.steps["corpus"].rows == 12
    assert plan.step("corpus").state == "reused"
    text = plan_text(plan, ahead)
    assert "model calls on this machine: 0; to servers: 12" in text
    assert "at most 200 seeded rows" in text


def test_limit_lowers_the_forecast(served, tmp_path):
    recipe, workspace = served
    limited = load_recipe(recipe.file, limit=2)
    ahead = forecast(make_plan(limited, workspace=workspace))
    assert ahead.steps["generate/served/A"].calls == 4


def test_a_sample_of_each_value_is_not_known_before_the_items_are_there(tmp_path):
    views = {"few": {"sample": 2, "per": "topic"}, "three": {"sample": 3}}
    recipe = tiny_recipe.unchecked(
        splits={"views": views}, generate={"split": "few", "models": ["first"]}
    )
    recipe = load_recipe(tiny_recipe.write(tmp_path, recipe))
    workspace = tmp_path / "workspace"
    assert forecast(make_plan(recipe, workspace=workspace)).steps["generate/first"].rows is None
    run_recipe(recipe, workspace=workspace, until="splits")
    assert forecast(make_plan(recipe, workspace=workspace)).steps["generate/first"].rows == 6
