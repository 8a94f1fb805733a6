"""A recipe is its file, what that extends, and what the command line sets."""

from __future__ import annotations

import pytest
import small_recipe

from toolkit.errors import RecipeError, UserError
from toolkit.recipe.compose import compose
from toolkit.recipe.load import load_recipe


def write(folder, name, text):
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_mappings_merge_and_everything_else_replaces(tmp_path):
    write(
        tmp_path, "base.yaml", "name: base\nmodels: {a: {x: 1, y: 2}, b: {z: 3}}\nmetrics: [p, q]\n"
    )
    child = write(tmp_path, "child.yaml", "extends: base.yaml\nmodels: {a: {y: 9}}\nmetrics: [r]\n")
    assert compose(child).data == {
        "name": "base",
        "models": {"a": {"x": 1, "y": 9}, "b": {"z": 3}},
        "metrics": ["r"],
    }


def test_what_an_anchor_gives_to_two_places_is_changed_in_one(tmp_path):
    text = "name: base\njudges: {a: &a {inner: {x: 1, y: 2}}, b: *a, c: {<<: *a, z: 3}}\n"
    write(tmp_path, "base.yaml", text)
    child = write(
        tmp_path, "child.yaml", "extends: base.yaml\njudges: {a: {inner: {x: null, y: 5}}}\n"
    )
    kept = {"inner": {"x": 1, "y": 2}}
    changed = {"a": {"inner": {"y": 5}}, "b": kept, "c": {**kept, "z": 3}}
    assert compose(child).data["judges"] == changed
    again = compose(child, ["judges.b.inner.y=7"]).data["judges"]
    assert again == changed | {"b": {"inner": {"x": 1, "y": 7}}}


def test_null_takes_out_what_the_extended_recipe_has(tmp_path):
    write(tmp_path, "base.yaml", "name: base\njudges: {a: {t: 1}, b: {t: 2}}\nhuman: {raters: 2}\n")
    child = write(tmp_path, "child.yaml", "extends: base.yaml\njudges: {a: null}\nhuman: null\n")
    composed = compose(child)
    assert composed.data == {"name": "base", "judges": {"b": {"t": 2}}}
    assert ("human", "raters") not in composed.places.values


def test_null_with_nothing_to_take_out_is_an_ordinary_value(tmp_path):
    file = small_recipe.write(tmp_path, splits={"sizes": {"test": 1}, "frozen": None})
    assert small_recipe.faults(file) == []
    (fault,) = small_recipe.faults(write(tmp_path, "r.yaml", file.read_text() + "human: null\n"))
    assert fault.reason == "null is not a mapping"


def test_recipes_extend_one_another_over_folders(tmp_path):
    (tmp_path / "sub").mkdir()
    write(tmp_path, "a.yaml", "name: a\nx: 1\n")
    write(tmp_path / "sub", "b.yaml", "extends: ../a.yaml\ny: 2\n")
    child = write(tmp_path, "c.yaml", "extends: sub/b.yaml\nname: c\n")
    assert compose(child).data == {"name": "c", "x": 1, "y": 2}


def test_faults_stand_in_the_file_they_were_written_in(tmp_path):
    base = small_recipe.write(tmp_path, name="base.yaml", seed=-1)
    child = write(
        tmp_path,
        "child.yaml",
        "extends: base.yaml\nname: child\nmodels: {small: {max_tokens: no}}\n",
    )
    found = {fault.path: fault for fault in small_recipe.faults(child)}
    assert found["seed"].file == str(base)
    assert (found["models.small.max_tokens"].file, found["models.small.max_tokens"].line) == (
        str(child),
        3,
    )


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({"a.yaml": "extends: a.yaml\n"}, "extends itself"),
        ({"a.yaml": "extends: b.yaml\n", "b.yaml": "extends: ./a.yaml\n"}, "extends itself"),
        ({"a.yaml": "name: a\nextends: no.yaml\n"}, "no file 'no.yaml'"),
        (
            {f"{chr(97 + i)}.yaml": f"extends: {chr(98 + i)}.yaml\n" for i in range(12)},
            "more than 8 recipes",
        ),
    ],
)
def test_what_cannot_be_extended_is_refused_at_its_line(tmp_path, texts, words):
    for name, text in texts.items():
        write(tmp_path, name, text)
    with pytest.raises(RecipeError) as caught:
        compose(tmp_path / "a.yaml")
    (fault,) = caught.value.faults
    assert words in fault.reason
    assert fault.path == "extends"
    assert fault.line == texts["a.yaml"].split("extends")[0].count("\n") + 1 or "8" in words


def test_a_link_to_itself_under_another_name_is_still_itself(tmp_path):
    write(tmp_path, "a.yaml", "extends: b.yaml\n")
    (tmp_path / "b.yaml").symlink_to("a.yaml")
    with pytest.raises(RecipeError, match="extends itself"):
        compose(tmp_path / "a.yaml")


def test_overrides_set_add_and_replace(tmp_path):
    file = small_recipe.write(tmp_path)
    texts = ["seed=7", "models.small.max_tokens=99", "execution.workers=1", "metrics=[bleu]"]
    recipe = load_recipe(file, overrides=texts)
    assert (recipe.seed, recipe.models["small"].params.max_tokens) == (7, 99)
    assert recipe.execution.workers == 1
    assert [metric.name for metric in recipe.metrics] == ["bleu"]
    assert recipe.data["execution"] == {"workers": 1}


def test_the_last_override_wins(tmp_path):
    file = small_recipe.write(tmp_path)
    assert load_recipe(file, overrides=["seed=1", "seed=2"]).seed == 2


def test_values_of_overrides_may_hold_equals_signs(tmp_path):
    file = small_recipe.write(tmp_path)
    assert load_recipe(file, overrides=["description=a = b"]).description == "a = b"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("seed", "no '='"),
        ("=5", "no '='"),
        ("name.first=x", "'name' is not a mapping"),
        ("metrics.0=bleu", "'metrics' is not a mapping"),
    ],
)
def test_overrides_that_cannot_be_applied_are_the_users_mistake(tmp_path, text, words):
    with pytest.raises(UserError) as caught:
        load_recipe(small_recipe.write(tmp_path), overrides=[text])
    assert words in caught.value.message
    assert caught.value.hint


def test_faults_of_overrides_name_the_override(tmp_path):
    file = small_recipe.write(tmp_path)
    (fault,) = small_recipe.faults(file, overrides=["models.small.max_tokns=5"])
    assert str(fault) == (
        "--set models.small.max_tokns: [models.small.max_tokns] unknown key 'max_tokns'; "
        "did you mean 'max_tokens'?"
    )
    (fault,) = small_recipe.faults(file, overrides=["seed=0755"])
    assert "leading zero" in fault.reason


@pytest.mark.parametrize("text", ["", "# nothing\n", "- a\n- b\n", "just text\n", "5\n"])
def test_what_is_no_mapping_is_no_recipe(tmp_path, text):
    with pytest.raises(RecipeError, match="a recipe is a mapping of keys"):
        compose(write(tmp_path, "r.yaml", text))


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(UserError, match="No such file"):
        compose(tmp_path / "no.yaml")
    with pytest.raises(UserError, match="directory"):
        compose(tmp_path)
    (tmp_path / "latin.yaml").write_bytes("name: é\n".encode("latin-1"))
    with pytest.raises(RecipeError, match="not UTF-8 text at byte 6"):
        compose(tmp_path / "latin.yaml")


def test_a_byte_order_mark_is_no_text(tmp_path):
    (tmp_path / "r.yaml").write_bytes(b"\xef\xbb\xbfname: x\r\nseed: 1\r\n")
    assert compose(tmp_path / "r.yaml").data == {"name": "x", "seed": 1}
