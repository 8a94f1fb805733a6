import pytest

from tests.stages.audited import recipe, table, write
from toolkit.plan.audits import shows_both
from toolkit.plan.forecast import forecast
from toolkit.plan.make import make_plan
from toolkit.recipe.load import load_recipe


def planned(folder, change=lambda data: None, **audit):
    data = recipe("http://127.0.0.1:9/v1", **audit)
    change(data)
    loaded = load_recipe(write(folder, data, table(4)))
    return loaded, make_plan(loaded, workspace=folder / "w")


def test_before_the_items_exist_the_most_calls_are_counted_and_priced(tmp_path):
    loaded, plan = planned(tmp_path, sample=20, repeats=3)
    step = plan.step("audit/primary")
    ahead = forecast(plan).steps["audit/primary"]
    # 7 edits, 3 rewrites, 3 copies, 2 further judgements of an edit, 1 longer, 1 swapped.
    assert ahead.calls == 20 * (7 + 3 + 3 + 2 + 1 + 1)
    assert ahead.usd_high > ahead.usd_low > 0
    assert (step.options["where"], step.inputs) == ("server", ("splits",))
    assert "audit/primary" in plan.step("report").inputs
    assert shows_both(loaded.judges["primary"].params)


def test_a_judge_that_sees_the_output_alone_is_not_swapped(tmp_path):
    def change(data):
        prompt = data["judges"]["primary"]["prompt"]
        prompt["slots"] = {"reference": "field:input", "output": "judged:output"}

    loaded, plan = planned(tmp_path, change, sample=20, edits=["removal"], rewrites=["case"])
    assert not shows_both(loaded.judges["primary"].params)
    assert forecast(plan).steps["audit/primary"].calls == 20 * (2 + 2 + 1)


@pytest.mark.parametrize(
    ("change", "same"),
    [({"threshold": 0.1}, False), ({"edits": ["unit"]}, False), ({"judges": ["primary"]}, True)],
)
def test_what_can_change_an_audit_is_in_its_fingerprint(tmp_path, change, same):
    _, first = planned(tmp_path / "a")
    _, other = planned(tmp_path / "b", **change)
    one, two = (plan.step("audit/primary").params["audit"] for plan in (first, other))
    assert (one == two) is same


def test_two_audits_are_two_sets_of_steps(tmp_path):
    def change(data):
        data["judges"]["second"] = data["judges"]["primary"]
        data["analyses"].append(
            {"judge_audit": {"judges": ["second"], "split": "all", "sample": 2}}
        )

    _, plan = planned(tmp_path, change)
    steps = {step.name: step for step in plan.steps if step.stage == "audit"}
    assert set(steps) == {"audit/primary", "audit/second"}
    assert steps["audit/second"].params["table"] == "items"
    assert steps["audit/second"].params["columns"]["semantic_similarity"].startswith("second.")
    assert not [step.name for step in plan.steps if "judge_audit" in step.name]
