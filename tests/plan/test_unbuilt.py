import pytest
import tiny_recipe

from toolkit.errors import UserError
from toolkit.plan.make import make_plan
from toolkit.recipe.load import load_recipe


def test_each_unbuilt_part_is_named_in_a_sentence(tmp_path):
    recipe = tiny_recipe.data(
        metrics=["rouge", "compliance"],
        analyses=["means", {"word_use": {"texts": ["title"]}}],
        splits={"sizes": {"test": 6}, "views": {"pairs": {"ordered_pairs_within": "topic"}}},
    )
    file = tiny_recipe.write(tmp_path, recipe)
    with pytest.raises(UserError) as caught:
        make_plan(load_recipe(file), workspace=tmp_path / "workspace")
    lines = caught.value.message.splitlines()[1:]
    assert [line.strip() for line in lines] == [
        "metrics: 'compliance' is not built yet.",
        "analyses: 'word_use' is not built yet.",
        "splits.views.pairs: ordered pairs are not built yet.",
    ]


def test_views_alone_have_no_assignment_to_validate(tmp_path):
    recipe = tiny_recipe.data(
        splits={"views": {"few": {"sample": 3}}}, generate={"split": "few", "models": ["first"]}
    )
    plan = make_plan(load_recipe(tiny_recipe.write(tmp_path, recipe)), workspace=tmp_path / "w")
    names = [step.name for step in plan.steps]
    assert "validate/splits" not in names
    assert plan.step("generate/first").gates == ()


def test_of_forms_for_readers_only_the_page_is_not_built(tmp_path):
    form = {"on": ["input", "run:A"], "questions": {"good": [0, 1]}, "items": 2}
    judge = {"type": "human", "form": "study", "scores": {"good": {"range": [0, 1]}}}
    prompts = {"A": {"file": "a.j2", "slots": {"text": "field:input"}}}
    recipe = tiny_recipe.data(
        human={"forms": {"study": form}}, prompts=prompts, judges={"anna": judge}
    )
    file = tiny_recipe.write(tmp_path, recipe)
    (tmp_path / "a.j2").write_text("{{ text }}", encoding="utf-8")
    with pytest.raises(UserError) as caught:
        make_plan(load_recipe(file), workspace=tmp_path / "w")
    (line,) = caught.value.message.splitlines()[1:]
    assert line.strip().startswith("judges.anna.form: the rating page is not built yet;")
    assert "`toolkit readers export`" in line
    assert "`toolkit readers import`" in line
