"""Answers of models that compute in workers are found again by their request."""

import json
from dataclasses import replace

import pytest
import tiny_recipe

from toolkit.execute import run_recipe
from toolkit.models.base import Answer, Message, ModelRequest
from toolkit.recipe.load import load_recipe
from toolkit.stages.kept_answers import KeptAnswers
from toolkit.store.canonical import digest

ASKED = ModelRequest("i1", 0, (Message("user", "Why?"),))


class Model:
    """Answers with how often it was asked."""

    def __init__(self, *, reusable=True, status="ok", weights="w"):
        self.reusable, self.status, self.weights = reusable, status, weights
        self.batches = []

    def fingerprint(self):
        return {"weights": self.weights}

    def answer(self, requests):
        self.batches.append(len(requests))
        return [Answer(self.status, answer=f"{sum(self.batches)} é") for _ in requests]


def test_a_request_is_computed_once_whatever_item_asks(tmp_path):
    model = Model()
    (first,) = KeptAnswers(tmp_path, model).answer([ASKED])
    again = KeptAnswers(tmp_path, model).answer([replace(ASKED, item_id="i2", prompt="B"), ASKED])
    assert again == [first, first]
    assert model.batches == [1]


@pytest.mark.parametrize(
    "change",
    [
        {"repeat": 1},
        {"max_tokens": 7},
        {"schema": {"type": "object"}},
        {"messages": (Message("system", "Why?"),)},
        {"messages": (Message("user", "Why not?"),)},
    ],
)
def test_another_request_is_another_answer(tmp_path, change):
    model = Model()
    first, other = KeptAnswers(tmp_path, model).answer([ASKED, replace(ASKED, **change)])
    assert first != other


def test_another_model_is_another_answer(tmp_path):
    KeptAnswers(tmp_path, Model()).answer([ASKED])
    other = Model(weights="v")
    KeptAnswers(tmp_path, other).answer([ASKED])
    assert other.batches == [1]


@pytest.mark.parametrize("damage", ["", "{}", '{"answer": {"status": "ok"}, "sha256": "0"}', "["])
def test_a_damaged_answer_is_computed_again(tmp_path, damage):
    model = Model()
    KeptAnswers(tmp_path, model).answer([ASKED])
    (file,) = tmp_path.rglob("*.json")
    whole = file.read_text()
    file.write_text(damage)
    KeptAnswers(tmp_path, model).answer([ASKED])
    assert model.batches == [1, 1]
    assert json.loads(file.read_text())["answer"]["answer"] != json.loads(whole)["answer"]["answer"]


def test_errors_are_not_kept(tmp_path):
    model = Model(status="error")
    for _ in range(2):
        KeptAnswers(tmp_path, model).answer([ASKED])
    assert model.batches == [1, 1]
    assert not list(tmp_path.rglob("*.json"))


def test_what_depends_on_its_batch_is_asked_in_its_batch(tmp_path):
    model = Model(reusable=False)
    for _ in range(2):
        assert len(KeptAnswers(tmp_path, model).answer([ASKED] * 3)) == 3
    assert model.batches == [3, 3]
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_changed_corpus_asks_nothing_that_was_answered(tmp_path):
    pytest.importorskip("xllamacpp")
    recipe = tiny_recipe.unchecked(
        splits={"sizes": {"test": 2}},
        prompts={"A": {"file": "a.j2", "slots": {"text": "field:input"}}},
        models={
            "small": {"provider": "llama_cpp", "model": "smollm2-135m-instruct", "max_tokens": 3}
        },
        generate={"split": "test", "models": ["small"], "prompts": ["A"]},
        metrics=["word_ratio"],
    )
    file = tiny_recipe.write(tmp_path, recipe)
    (tmp_path / "a.j2").write_text("Sum up: {{ text[:40] }}")
    workspace = tmp_path / "w"
    before = run_recipe(load_recipe(file), workspace=workspace)
    kept = sorted((workspace / "answers").rglob("*.json"))
    assert len(kept) == 2
    for path in kept:
        held = json.loads(path.read_text())["answer"] | {"answer": "kept", "raw": "kept"}
        path.write_text(json.dumps({"answer": held, "sha256": digest(held)}))
    rows = [row | {"note": "new"} for row in tiny_recipe.rows()]
    tiny_recipe.write(tmp_path, recipe, rows)
    after = run_recipe(load_recipe(file), workspace=workspace)
    name = "generate/small/A"
    assert after.artifacts[name].folder != before.artifacts[name].folder
    assert [row["answer"] for row in after.artifacts[name].rows("generations")] == ["kept", "kept"]
