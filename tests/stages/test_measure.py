"""Each distinct text is measured once, and scores are what they are without a run."""

import csv
import math

import pytest
import tiny_recipe

from tests.models.tiny_models import causal
from toolkit.execute import run_recipe
from toolkit.metrics.embedding_similarity import EmbeddingSimilarity, EmbeddingSimilarityParams
from toolkit.metrics.perplexity import Perplexity, PerplexityParams
from toolkit.recipe.load import load_recipe

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
    return tiny_recipe.data(
        splits={"sizes": {"test": 12}},
        models=MODELS,
        generate={"split": "test", "models": list(MODELS)},
        metrics=[
            "word_ratio",
            "embedding_similarity",
            {"perplexity": {"model": scorer, "on": ["output", "reference"], **SMALL}},
        ],
        **changes,
    )


SMALL = {"context": 32, "stride": 16, "device": "cpu"}


def run(folder, data, table=None):
    file = tiny_recipe.write(folder, data, table)
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
