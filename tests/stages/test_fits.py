"""A metric that is fitted on a whole column scores alike however the rows are cut up."""

import json

import pytest
import tiny_recipe

from toolkit.execute import run_recipe
from toolkit.metrics.keywords import Keywords, KeywordsParams
from toolkit.metrics.suffixed import SuffixedMetric
from toolkit.metrics.tfidf_cosine import TfidfCosine, TfidfCosineParams
from toolkit.recipe.load import load_recipe
from toolkit.stages.fits import fit_metric, with_fit
from toolkit.store.pieces import ensure_piece

ROWS = 12


def recipe():
    return tiny_recipe.unchecked(
        splits={"sizes": {"test": ROWS}},
        prompts={"A": {"file": "a.j2", "slots": {"text": "field:input"}}},
        models={
            "all": {"provider": "replay", "file": "all.jsonl"},
            "some": {"provider": "replay", "file": "some.jsonl"},
        },
        generate={"split": "test", "models": ["all", "some"], "prompts": ["A"]},
        metrics=["tfidf_cosine"],
    )


def answers():
    """Answers that share some words with their references."""
    for number, row in enumerate(tiny_recipe.rows()[:ROWS]):
        words = row["conclusion"].split()
        yield row["key"], " ".join([*words[number % 3 :], "unheard", "of"])


def run(folder):
    file = tiny_recipe.write(folder, recipe())
    (folder / "a.j2").write_text("Conclude: {{ text }}")
    lines = [json.dumps({"item_id": k, "prompt": "A", "text": t}) + "\n" for k, t in answers()]
    (folder / "all.jsonl").write_text("".join(lines))
    (folder / "some.jsonl").write_text("".join(lines[::2]))
    return run_recipe(load_recipe(file), workspace=folder / "workspace", until="score")


def values(result, model):
    rows = result.artifacts[f"score/tfidf_cosine/{model}/A"].rows("scores")
    return {row["item_id"]: row["value"] for row in rows if row["value"] is not None}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        # One shard a task, so that no task sees all references.
        patch.setattr("toolkit.stages.answer_texts.TASK_ROWS", 1)
        yield run(tmp_path_factory.mktemp("fits"))


def test_document_frequencies_come_from_all_references_of_the_split(made):
    found = values(made, "all")
    assert len(found) == ROWS
    predictions = dict(answers())
    references = {row["key"]: row["conclusion"] for row in tiny_recipe.rows()[:ROWS]}
    split = made.artifacts["splits"].rows("items_test", ["item_id", "conclusion"])
    assert {row["item_id"]: row["conclusion"] for row in split} == references
    metric = TfidfCosine(TfidfCosineParams())
    whole = metric.fitted(metric.fit([list(references.values())]))
    for item, value in found.items():
        (own,) = whole.score([predictions[item]], [references[item]])["tfidf_cosine"]
        assert value == own.value


def test_files_of_all_steps_can_lie_in_one_folder(made):
    # As they do where validation takes rows out of the scores.
    names = [
        shard.name
        for model in ("all", "some")
        for shard in made.artifacts[f"score/tfidf_cosine/{model}/A"].manifest.shards
    ]
    assert len(names) == len(set(names)) > 2


def test_a_model_that_answered_half_is_scored_with_the_same_weights(made):
    whole, half = values(made, "all"), values(made, "some")
    assert 0 < len(half) < ROWS
    assert half == {item: whole[item] for item in half}


def test_the_frequencies_are_kept_with_the_scores(made):
    rows = {
        row["word"]: row["documents"]
        for row in made.artifacts["score/tfidf_cosine/all/A"].rows("fit")
    }
    assert rows[""] == ROWS
    texts = [row["conclusion"].casefold() for row in tiny_recipe.rows()[:ROWS]]
    for word in texts[0].split():
        if word.isalpha():
            assert rows[word] == sum(word in text.replace(".", "").split() for text in texts)


def test_metrics_without_a_fit_are_left_alone(tmp_path):
    for metric in (TfidfCosine(TfidfCosineParams(idf="pair")), Keywords(KeywordsParams())):
        assert fit_metric(None, metric, ("conclusion", "")) is None
        assert with_fit(metric, tmp_path, None) is metric


def test_a_metric_under_another_name_is_fitted_too(tmp_path):
    bare = TfidfCosine(TfidfCosineParams())
    table = bare.fit([["the dose", "the arm"], ["a dose"]])
    piece = ensure_piece(tmp_path, "fit", lambda writer: writer.table("fit", table) or {})
    used = with_fit(SuffixedMetric(bare, "two"), tmp_path, piece)
    (value,) = used.score(["the dose fell"], ["a dose fell"])["tfidf_cosine.two"]
    (plain,) = bare.fitted(table).score(["the dose fell"], ["a dose fell"])["tfidf_cosine"]
    assert value == plain
    assert value != bare.score(["the dose fell"], ["a dose fell"])["tfidf_cosine"][0]
