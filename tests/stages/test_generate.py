"""What is asked about which item, through whole runs."""

import json

import pytest
import tiny_recipe

from tests.doubles.chat_server import ChatServer
from toolkit.errors import RecipeError, RunError
from toolkit.execute import run_recipe
from toolkit.recipe.load import load_recipe

ALL = {"sizes": {"test": 12}}
PROMPTS = {
    "A": {"file": "a.j2", "slots": {"text": "field:input"}},
    "B": {"file": "a.j2", "slots": {"text": "field:input"}, "reference": "input"},
}


def run(folder, recipe, table=None):
    file = tiny_recipe.write(folder, recipe, table)
    (folder / "a.j2").write_text("Conclude: {{ text }}")
    return run_recipe(load_recipe(file), workspace=folder / "workspace")


def board(result):
    rows = result.artifacts["leaderboard"].rows("leaderboard")
    return {(row["model"], row["prompt"], row["score"]): row for row in rows}


def test_answers_made_elsewhere_belong_to_their_prompt_and_its_reference(tmp_path):
    recipe = tiny_recipe.unchecked(
        splits=ALL,
        prompts=PROMPTS,
        models={"mine": {"provider": "replay", "file": "answers.jsonl"}},
        generate={"split": "test", "models": ["mine"], "prompts": ["A", "B"]},
        metrics=["rouge"],
    )
    answers = [
        {"item_id": row["key"], "prompt": prompt, "text": row[column]}
        for row in tiny_recipe.rows()
        for prompt, column in (("A", "conclusion"), ("B", "input"))
    ]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers))
    result = run(tmp_path, recipe)
    found = board(result)
    for prompt in ("A", "B"):
        line = found["mine", prompt, "rouge1"]
        assert (line["mean"], line["n"], line["n_missing"]) == (1.0, 12, 0)


@pytest.mark.parametrize("where", ["server", "worker"])
def test_an_item_that_lacks_a_slot_is_an_error_row_and_the_others_are_asked(tmp_path, where):
    table = tiny_recipe.rows(5)
    table[2]["input"] = None
    table[4]["input"] = None
    recipe = tiny_recipe.unchecked(
        splits={"sizes": {"test": 5}},
        prompts={"A": PROMPTS["A"]},
        generate={"split": "test", "models": ["asked"], "prompts": ["A"]},
        metrics=["word_ratio"],
    )
    with ChatServer(tmp_path) as server:
        if where == "server":
            model = {"provider": "openai_compatible", "model": "x", "base_url": server.url}
            recipe["models"] = {"asked": {**model, "max_tokens": 9}}
        else:
            pytest.importorskip("xllamacpp")
            model = {"provider": "llama_cpp", "model": "smollm2-135m-instruct", "max_tokens": 2}
            recipe["models"] = {"asked": model}
        result = run(tmp_path, recipe, table)
        assert len(server.calls) == (3 if where == "server" else 0)
    rows = list(result.artifacts["generate/asked/A"].rows("generations"))
    assert [row["item_id"] for row in rows if row["status"] == "error"] == ["row-02", "row-04"]
    assert {row["reason"] for row in rows if row["status"] == "error"} == {
        "slot 'text': the column 'input' is null"
    }
    line = board(result)["asked", "A", "word_ratio"]
    assert (line["n"], line["n_missing"]) == (3, 2)


def test_repeats_are_rows_of_their_own(tmp_path):
    recipe = tiny_recipe.unchecked(
        splits=ALL, generate={"split": "test", "models": ["first"], "repeats": 3}
    )
    rows = list(run(tmp_path, recipe).artifacts["generate/first"].rows("generations"))
    assert len(rows) == 36
    assert sorted({row["repeat"] for row in rows}) == [0, 1, 2]


def test_a_model_is_asked_in_one_entry_only(tmp_path):
    recipe = tiny_recipe.unchecked(
        generate=[
            {"split": "test", "models": ["first", "other"]},
            {"split": "test", "models": ["other"], "repeats": 5},
        ]
    )
    with pytest.raises(RecipeError, match="'other' is asked on 'test' already"):
        load_recipe(tiny_recipe.write(tmp_path, recipe))


def test_a_column_called_group_is_refused_before_anything_is_built(tmp_path):
    table = [{**row, "group": "x"} for row in tiny_recipe.rows()]
    with pytest.raises(RunError, match="a column 'group'"):
        run(tmp_path, tiny_recipe.unchecked(), table)
