"""Each distinct text is measured once, and scores are what they are without a run."""

import csv
import json
import math
import pickle
from dataclasses import replace

import pytest
import tiny_recipe

from tests.models.tiny_models import causal
from tests.stages.reporting import context_of
from toolkit.analyses.means import MeansParams
from toolkit.errors import StoreError
from toolkit.execute import run_recipe
from toolkit.execute.cluster import Cluster
from toolkit.metrics.embedding_similarity import EmbeddingSimilarity, EmbeddingSimilarityParams
from toolkit.metrics.perplexity import Perplexity, PerplexityParams
from toolkit.models.likelihood import Likelihoods
from toolkit.recipe.load import load_recipe
from toolkit.stages.measured_texts import MeasuredTexts
from toolkit.stages.report_measured import corpus_perplexity

pytest.importorskip("sentence_transformers", reason="the extra 'local' is not installed")

MODELS = {
    name: {"provider": "baseline", "variant": variant}
    for name, variant in (
        ("first", "first_sentence"),
        ("other", "random_conclusion"),
        ("ceiling", "reference"),
    )
}


@pytest.fixture(scope="module")
def scorer(tmp_path_factory):
    return str(causal(tmp_path_factory.mktemp("scorer"), context=64))


def recipe(scorer, **changes):
    data = tiny_recipe.unchecked(
        splits={"sizes": {"test": 12}},
        models=MODELS,
        generate={"split": "test", "models": list(MODELS)},
        metrics=[
            "word_ratio",
            "embedding_similarity",
            {"perplexity": {"model": scorer, "on": ["output", "reference"], **SMALL}},
        ],
    )
    return data | changes


SMALL = {"context": 32, "stride": 16, "device": "cpu"}


REPLAYED = {
    "models": {"mine": {"provider": "replay", "file": "said.jsonl"}},
    "prompts": {"A": {"file": "a.j2", "slots": {"text": "field:input"}}},
    "generate": {"split": "test", "models": ["mine"], "prompts": ["A"]},
}


def said_before(folder, rows):
    lines = [json.dumps({"prompt": "A", **row}) + "\n" for row in rows]
    (folder / "said.jsonl").write_text("".join(lines))
    (folder / "a.j2").write_text("Conclude: {{ text }}")


def here(self, function, tasks):
    """Run tasks in this process, as they would arrive in a worker."""
    for task in tasks:
        yield pickle.loads(pickle.dumps(function(pickle.loads(pickle.dumps(task)))))


def run(folder, data, table=None):
    file = tiny_recipe.write(folder, data, table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Cluster, "run", here)
        return run_recipe(load_recipe(file), workspace=folder / "workspace")


@pytest.fixture(scope="module")
def result(tmp_path_factory, scorer):
    return run(tmp_path_factory.mktemp("run"), recipe(scorer))


def answered(result, model):
    """Return the answers of a model and their references, by item."""
    rows = result.artifacts[f"generate/{model}"].rows("generations")
    items = {row["item_id"]: row for row in result.artifacts["splits"].rows("items_test")}
    return {row["item_id"]: (row["answer"], items[row["item_id"]]["conclusion"]) for row in rows}


def scores(result, metric, model):
    rows = result.artifacts[f"score/{metric}/{model}"].rows("scores")
    return {(row["item_id"], row["score"]): row["value"] for row in rows}


def test_each_distinct_text_is_measured_once(result):
    pairs = [pair for model in MODELS for pair in answered(result, model).values()]
    texts = {text for pair in pairs for text in pair}
    assert len(texts) < 2 * len(pairs)
    for name in ("measure/embeddings", "measure/likelihoods"):
        artifact = result.artifacts[name]
        assert artifact.manifest.facts["asked"] == 2 * len(pairs) == 72
        assert artifact.manifest.facts["texts"] == len(texts)
        assert artifact.manifest.rows("measured") == len(texts)


def test_scores_are_those_of_the_metric_alone(result, scorer):
    own = {
        "embedding_similarity": EmbeddingSimilarity(EmbeddingSimilarityParams()),
        "perplexity": Perplexity(
            PerplexityParams(model=scorer, on=("output", "reference"), **SMALL)
        ),
    }
    for model in MODELS:
        answers = answered(result, model)
        outputs, references = zip(*answers.values(), strict=True)
        for name, metric in own.items():
            found = scores(result, name, model)
            for score, values in metric.score(outputs, references).items():
                assert [found[item, score] for item in answers] == [v.value for v in values]


def test_likelihoods_stand_beside_the_perplexities(result):
    rows = list(result.artifacts["score/perplexity/first"].rows("likelihoods"))
    found = scores(result, "perplexity", "first")
    assert len(rows) == len(found) == 24
    for row in rows:
        value = found[row["item_id"], row["score"]]
        assert math.exp(row["nll"] / row["tokens"]) == pytest.approx(value, rel=1e-12)


def test_the_report_tells_the_count_and_the_perplexity_of_the_corpus(result, scorer):
    texts = result.artifacts["measure/likelihoods"].manifest.facts["texts"]
    page = (result.artifacts["report"].folder / "leaderboard.html").read_text()
    for verb in ("embedded", "scored by the language model"):
        assert f"{texts:,} distinct texts were {verb}, each once, of 72 that" in page
    metric = Perplexity(PerplexityParams(model=scorer, **SMALL))
    table = (result.artifacts["report"].folder / "tables/report-corpus_perplexity.csv").read_text()
    rows = {(row["model"], row["score"]): row for row in csv.DictReader(table.splitlines())}
    assert len(rows) == 6
    for model in MODELS:
        found = metric.measurer().measure([pair[0] for pair in answered(result, model).values()])
        nll, tokens = sum(one.nll for one in found), sum(one.tokens for one in found)
        row = rows[model, "Perplexity"]
        assert int(row["tokens"]) == tokens
        assert float(row["perplexity"]) == pytest.approx(math.exp(nll / tokens), rel=1e-9)
        assert float(row["perplexity_low"]) < float(row["perplexity"])
        assert float(row["perplexity"]) < float(row["perplexity_high"])


def test_the_perplexity_of_the_corpus_leaves_out_what_validation_took_out(tmp_path, scorer):
    gone = {"column": "item_id", "value_set": ["row-01", "row-02"]}
    rule = {
        "type": "expect_column_values_to_not_be_in_set", "kwargs": gone, "severity": "critical",
        "meta": {"id": "gone", "why": "Two items are wrong."},
    }  # fmt: skip
    suite = {"name": "scores", "meta": {"about": "Scores."}, "expectations": [rule]}
    (tmp_path / "scores.json").write_text(json.dumps(suite))
    data = recipe(scorer, metrics=[{"perplexity": {"model": scorer, **SMALL}}])
    data["validation"]["scores"] = {"on_failure": "quarantine", "suite": "scores.json"}
    result = run(tmp_path, data)
    table = (result.artifacts["report"].folder / "tables/report-corpus_perplexity.csv").read_text()
    rows = {row["model"]: row for row in csv.DictReader(table.splitlines())}
    maker = Likelihoods(model=scorer, **SMALL)
    for model in MODELS:
        answers = answered(result, model)
        left = [answers[item][0] for item in answers if item not in gone["value_set"]]
        found = maker.measure(left)
        nll, tokens = sum(one.nll for one in found), sum(one.tokens for one in found)
        assert (int(rows[model]["n"]), int(rows[model]["tokens"])) == (10, tokens)
        assert float(rows[model]["perplexity"]) == pytest.approx(math.exp(nll / tokens))


def test_items_of_a_table_without_the_column_are_clusters_of_their_own(result):
    context = context_of(result)

    def rows(cluster):
        means = replace(context.recipe.analyses[0], params=MeansParams(cluster=cluster))
        plan = replace(context.plan, recipe=replace(context.recipe, analyses=(means,)))
        return corpus_perplexity(replace(context, plan=plan)).rows

    alone = rows(None)
    assert all(row["perplexity_low"] is not None for row in alone)
    assert rows("original_id") == alone
    # Topics are there, and take items together.
    assert rows("topic") != alone


def test_a_batch_of_texts_is_cut_from_all_of_them(tmp_path, scorer, monkeypatch):
    seen = []
    measure = Likelihoods.measure

    def counting(self, texts):
        seen.append(list(texts))
        return measure(self, texts)

    monkeypatch.setattr(Likelihoods, "measure", counting)
    monkeypatch.setattr("toolkit.stages.measure.PIECE_TEXTS", 8)
    metrics = [{"perplexity": {"model": scorer, "batch_size": 4, **SMALL}}]
    result = run(tmp_path, recipe(scorer, metrics=metrics))
    texts = [text for part in seen for text in part]
    outputs = {pair[0] for model in MODELS for pair in answered(result, model).values()}
    assert len(texts) == len(set(texts)) == len(outputs)
    assert [len(text) for text in texts] == sorted(len(text) for text in texts)
    assert [len(part) for part in seen[:-1]] == [8] * (len(seen) - 1)
    alone = Likelihoods(model=scorer, **SMALL)
    for model in MODELS:
        found = scores(result, "perplexity", model)
        for item, (output, _) in answered(result, model).items():
            (one,) = alone.measure([output])
            assert found[item, "perplexity"] == pytest.approx(one.perplexity, rel=1e-5)


def test_answers_that_failed_and_blank_texts_are_not_measured(tmp_path, scorer):
    table = tiny_recipe.rows(6)
    table[2]["conclusion"] = " "
    said = [
        {"item_id": "row-00", "text": "Sleep improved."},
        {"item_id": "row-01", "text": ""},
        {"item_id": "row-02", "text": "Sleep improved."},
    ]
    said_before(tmp_path, said)
    data = recipe(
        scorer,
        splits={"sizes": {"test": 6}},
        **REPLAYED,
    )
    result = run(tmp_path, data, table)
    embeddings = result.artifacts["measure/embeddings"].manifest.facts
    likelihoods = result.artifacts["measure/likelihoods"].manifest.facts
    statuses = {
        row["item_id"]: (row["status"], row["answer"])
        for row in result.artifacts["generate/mine/A"].rows("generations")
    }
    usable = [item for item, (status, answer) in statuses.items() if answer is not None]
    assert "row-00" in usable
    assert "row-03" not in usable
    # One pair has two texts that are not blank.
    assert (embeddings["asked"], embeddings["texts"]) == (2, 2)
    blank = sum(not statuses[item][1].strip() for item in usable) + 1
    assert likelihoods["asked"] == 2 * len(usable) - blank
    rows = list(result.artifacts["score/perplexity/mine/A"].rows("scores"))
    reasons = {(row["item_id"], row["score"]): row["reason"] for row in rows}
    assert reasons["row-02", "perplexity_reference"] == "empty reference"
    assert reasons["row-03", "perplexity"] == "answer error"


def test_a_run_without_a_text_to_measure_ends(tmp_path, scorer):
    data = recipe(
        scorer,
        **REPLAYED,
    )
    said_before(tmp_path, [{"item_id": "another", "prompt": "A", "text": "Sleep improved."}])
    result = run(tmp_path, data)
    assert result.artifacts["measure/embeddings"].manifest.facts["texts"] == 0
    rows = list(result.artifacts["score/perplexity/mine/A"].rows("scores"))
    assert {row["value"] for row in rows} == {None}
    assert all(row["reason"].startswith("answer ") for row in rows)


def test_a_changed_file_is_found_before_its_numbers_are_used(tmp_path, scorer):
    metrics = [{"perplexity": {"model": scorer, **SMALL}}]
    result = run(tmp_path, recipe(scorer, metrics=metrics))
    artifact = result.artifacts["measure/likelihoods"]
    maker = Likelihoods(model=scorer, **SMALL)
    text = answered(result, "first")["row-00"][0]
    assert MeasuredTexts(artifact).of([text], maker)[text] == maker.measure([text])[0]
    with pytest.raises(StoreError, match="was not measured: 'unheard of'"):
        MeasuredTexts(artifact).of([text, "unheard of"], maker)
    path = artifact.folder / artifact.shards("measured")[0].name
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(StoreError, match="its checksum differs"):
        MeasuredTexts(artifact).of([text], maker)


def test_what_an_earlier_run_measured_is_not_measured_again(tmp_path, scorer, monkeypatch):
    metrics = [{"perplexity": {"model": scorer, "on": ["output", "reference"], **SMALL}}]
    few = {"models": {"first": MODELS["first"]}, "generate": {"split": "test", "models": ["first"]}}
    before = run(tmp_path, recipe(scorer, metrics=metrics, **few))
    known = {text for pair in answered(before, "first").values() for text in pair}
    seen = []
    measure = Likelihoods.measure

    def counting(self, texts):
        seen.extend(texts)
        return measure(self, texts)

    monkeypatch.setattr(Likelihoods, "measure", counting)
    result = run(tmp_path, recipe(scorer, metrics=metrics))
    outputs = {pair[0] for model in MODELS for pair in answered(result, model).values()}
    assert sorted(seen) == sorted(outputs - known)
    assert result.artifacts["measure/likelihoods"].manifest.facts["texts"] == len(outputs | known)
    seen.clear()
    fresh = run(tmp_path / "fresh", recipe(scorer, metrics=metrics))
    assert sorted(seen) == sorted(outputs | known)
    for model in MODELS:
        assert scores(result, "perplexity", model) == scores(fresh, "perplexity", model)
    # Another setting is another measure.
    seen.clear()
    metrics[0]["perplexity"]["bos"] = False
    run(tmp_path, recipe(scorer, metrics=metrics))
    assert sorted(seen) == sorted(outputs | known)
