"""How many calls judging takes."""

from toolkit.data import data_dir
from toolkit.plan.judge_forecast import judging
from toolkit.plan.make import make_plan
from toolkit.recipe.load import load_recipe


def test_a_question_about_items_alone_is_counted_for_the_first_answers_only(tmp_path):
    recipe = load_recipe(data_dir("recipes") / "radiology.yaml")
    plan = make_plan(recipe, workspace=tmp_path)
    rows = {step.name: 36 for step in plan.steps if step.stage == "generate"}
    assert len(rows) == 3
    steps = [
        step for step in plan.steps if step.stage == "judge" and step.params["judge"] == "main"
    ]
    found = [judging(plan, step, rows) for step in steps]
    # Six items at six levels: the facts of each item, of each variant, and the scores; then the
    # scores of two more columns of answers.
    assert [one.calls for one in found] == [6 + 2 * 36, 36, 36]
    assert all(one.most_calls == 2 * one.calls for one in found)
    assert judging(plan, steps[0], {}).calls is None
    (second,) = [step for step in plan.steps if step.name == "judge/secondary/smollm2/concise"]
    # Three levels of six.
    assert judging(plan, second, rows).calls == 6 + 2 * 18
