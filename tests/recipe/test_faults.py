"""All faults at once, each with its line, what is wrong, and what to write instead."""

from __future__ import annotations

import copy

import pytest
import small_recipe
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from toolkit.errors import RecipeError
from toolkit.recipe.faults import Places, dotted, schema_faults
from toolkit.recipe.language import recipe_schema
from toolkit.recipe.load import load_recipe

MANY = """\
name: Small
sed: 1
corpus: {source: jsonl, files: items.jsonl, acces: open}
splits:
  sizes: {train: 4, te-st: 2}
models:
  m: {provider: llama_cp}
  n: {provider: llama_cpp, temperature: hot}
metrics: [roge, {bleu: {profle: paper}}, {rouge: {}, bleu: {}}]
publish: {license: mit, redistribution: everything, sjr_rights: yes}
version: 1.0
"""


def test_all_faults_are_told_at_once_in_the_order_of_the_file(tmp_path):
    file = tmp_path / "r.yaml"
    file.write_text(MANY, encoding="utf-8")
    found = [(fault.line, fault.path) for fault in small_recipe.faults(file)]
    assert found == [
        (1, "name"),
        (2, "sed"),
        (3, "corpus"),
        (3, "corpus.acces"),
        (5, "splits.sizes.te-st"),
        (7, "models.m.provider"),
        (8, "models.n.temperature"),
        (9, "metrics[0]"),
        (9, "metrics[1].bleu.profle"),
        (9, "metrics[2]"),
        (10, "publish.redistribution"),
        (10, "publish.sjr_rights"),
        (11, "version"),
    ]


@pytest.mark.parametrize(
    ("path", "suggestion"),
    [
        ("sed", "did you mean 'seed'?"),
        ("corpus.acces", "did you mean 'access'?"),
        ("corpus", "add it: who may see the texts; everything derived inherits it"),
        ("models.m.provider", "did you mean 'llama_cpp'?"),
        ("metrics[0]", "did you mean 'rouge'?"),
        ("metrics[1].bleu.profle", "did you mean 'profile'?"),
        ("metrics[2]", "write `- name: {key: value}`"),
        ("publish.sjr_rights", "write true"),
        ("version", 'put it in quotes: "1.0"'),
    ],
)
def test_each_fault_says_what_to_write(tmp_path, path, suggestion):
    file = tmp_path / "r.yaml"
    file.write_text(MANY, encoding="utf-8")
    (fault,) = [fault for fault in small_recipe.faults(file) if fault.path == path]
    assert fault.suggestion == suggestion


def test_the_message_reads_file_line_column_path_reason(tmp_path):
    file = tmp_path / "r.yaml"
    file.write_text(MANY, encoding="utf-8")
    with pytest.raises(RecipeError) as caught:
        load_recipe(file)
    lines = str(caught.value).splitlines()
    assert lines[0] == "13 faults in the recipe"
    assert f"  {file}:2:1: [sed] unknown key 'sed'; did you mean 'seed'?" in lines
    assert caught.value.exit_code == 2


def test_a_misspelled_member_is_told_apart_by_its_kind(tmp_path):
    # No "is not valid under any of the given schemas": the member that was meant speaks.
    file = small_recipe.write(
        tmp_path, models={"m": {"provider": "openai_compatible", "model": "x", "max_token": 5}}
    )
    reasons = {fault.reason: fault.suggestion for fault in small_recipe.faults(file)}
    assert reasons["unknown key 'max_token'"] == "did you mean 'max_tokens'?"
    assert reasons["key 'max_tokens' is missing"].startswith("add it: most new tokens")


def test_braces_that_make_a_mapping_are_explained(tmp_path):
    file = small_recipe.write(
        tmp_path, prompts={"A": {"file": "ask.j2", "slots": {"question": {"question": None}}}}
    )
    (fault,) = small_recipe.faults(file)
    assert fault.suggestion == 'braces make a mapping; put it in quotes: "{question}"'


def test_a_missing_key_stands_at_the_section_it_is_missing_from(tmp_path):
    file = tmp_path / "r.yaml"
    file.write_text("name: x\n\ncorpus:\n  source: jsonl\n  files: a\n", encoding="utf-8")
    (fault,) = small_recipe.faults(file)
    assert (fault.line, fault.reason) == (3, "key 'access' is missing")


def test_paths_are_written_as_people_do():
    assert dotted(("models", "gpt", "stop", 0)) == "models.gpt.stop[0]"
    assert dotted(()) == ""
    assert dotted((2, "a")) == "[2].a"


def test_a_fault_without_a_place_stands_at_the_nearest_known_one():
    places = Places("r.yaml")
    fault = places.fault(("a", "b"), "wrong")
    assert (fault.file, fault.line, fault.column) == ("r.yaml", 1, 1)


VALUES = st.sampled_from(
    [None, True, 0, -1, 2.5, "", "x", "train", [], {}, [None], ["x", 1], {"x": None}, [["A", "B"]]]
)


@st.composite
def changed_recipes(draw):
    """Draw the small recipe with one value, wherever it stands, replaced."""
    recipe = copy.deepcopy(small_recipe.DATA)
    path = draw(st.sampled_from(list(small_recipe.paths(recipe))))
    small_recipe.at(recipe, path[:-1])[path[-1]] = draw(VALUES)
    return recipe


@settings(max_examples=60)
@given(changed_recipes())
def test_our_faults_and_the_json_schema_agree_on_what_is_good(recipe):
    schema = recipe_schema()
    valid = Draft202012Validator(schema).is_valid(recipe)
    faults = schema_faults(recipe, schema, Places("r.yaml"))
    assert (faults == []) == valid
    assert all(fault.reason for fault in faults)


@settings(max_examples=60)
@given(changed_recipes())
def test_members_that_a_recipe_does_not_name_add_nothing_to_its_faults(recipe):
    found = schema_faults(recipe, recipe_schema(recipe), Places("r.yaml"))
    assert found == schema_faults(recipe, recipe_schema(), Places("r.yaml"))


def test_an_unknown_parameter_of_a_named_member_is_still_one():
    recipe = {
        "name": "r",
        "corpus": {"source": "jsonl", "fles": "x"},
        "metrics": [{"bleu": {"z": 1}}],
    }
    reasons = {fault.reason for fault in schema_faults(recipe, recipe_schema(recipe), Places("r"))}
    assert {"unknown key 'fles'", "unknown key 'z'"} <= reasons


def test_the_schema_is_a_good_schema():
    schema = recipe_schema()
    Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    assert {"name", "corpus"} == set(schema["required"])
