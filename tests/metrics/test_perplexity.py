"""Perplexities of rows of text, on a model of 40,000 random weights."""

import math

import pytest

from tests.models.tiny_models import causal
from toolkit.errors import UserError
from toolkit.metrics.base import InputMetric, Metric, Value, call_metric
from toolkit.metrics.measured import LikelihoodMetric, measure_here
from toolkit.metrics.perplexity import Perplexity, PerplexityParams

pytest.importorskip("transformers", reason="the extra 'local' is not installed")

SAID = "Sleep improved in 12 of 60 nurses."
WRITTEN = "Walking to school lowered blood pressure."


@pytest.fixture(scope="module")
def scorer(tmp_path_factory):
    return str(causal(tmp_path_factory.mktemp("scorer"), context=64))


def metric(scorer, **settings):
    settings = {"context": 64, "stride": 32, "device": "cpu"} | settings
    return Perplexity(PerplexityParams(model=scorer, **settings))


def test_each_text_asked_for_has_a_score_of_its_own(scorer):
    made = metric(scorer, on=("output", "reference", "input"))
    assert isinstance(made, Metric)
    assert isinstance(made, InputMetric)
    assert isinstance(made, LikelihoodMetric)
    assert made.reads == ("output", "reference", "input")
    columns = made.score([SAID], [WRITTEN], ["Sleep"])
    assert list(columns) == ["perplexity", "perplexity_reference", "perplexity_input"]
    found = dict(
        zip(
            [SAID, WRITTEN, "Sleep"], made.measurer().measure([SAID, WRITTEN, "Sleep"]), strict=True
        )
    )
    for column, text in zip(columns.values(), found, strict=True):
        likelihood = found[text]
        assert column == [Value(math.exp(likelihood.nll / likelihood.tokens))]


def test_a_metric_of_outputs_reads_no_reference(scorer):
    made = metric(scorer)
    texts = {"output": [SAID], "reference": [""], "input": [""]}
    (value,) = call_metric(made, texts)["perplexity"]
    assert made.reads == ("output",)
    assert value == made.score([SAID], ["anything"])["perplexity"][0]


def test_only_the_output_has_a_better_end(scorer):
    made = metric(scorer, on=("output", "reference", "input"))
    assert [one.direction for one in made.definitions()] == ["lower", "none", "none"]
    assert {one.low for one in made.definitions()} == {1.0}


def test_blank_texts_have_no_perplexity(scorer):
    made = metric(scorer, on=("output", "reference"))
    columns = made.score(["", SAID, " \n"], [WRITTEN, "\t", ""])
    assert [value.reason for value in columns["perplexity"]] == [
        "empty prediction", "", "empty prediction",
    ]  # fmt: skip
    assert [value.reason for value in columns["perplexity_reference"]] == [
        "", "empty reference", "empty reference",
    ]  # fmt: skip
    assert columns["perplexity"][0].value is None
    assert columns["perplexity"][1].value is not None


def test_a_text_of_one_token_needs_a_start_token(scorer):
    (value,) = metric(scorer, bos=False).score(["a"], ["b"])["perplexity"]
    assert value == Value(None, reason="no token to predict")
    (value,) = metric(scorer).score(["a"], ["b"])["perplexity"]
    assert value.value is not None


def test_what_is_cut_off_stands_in_the_note(scorer):
    long = " ".join(f"Group {n} changed." for n in range(30))
    (cut,) = metric(scorer, long_texts="truncate").score([long], [""])["perplexity"]
    (whole,) = metric(scorer).score([long], [""])["perplexity"]
    assert cut.note.startswith("tokens cut off: ")
    assert whole.note == ""
    assert cut.value != whole.value


def test_odd_texts_have_a_value_or_a_reason(scorer):
    odd = ["\x00", "心不全の患者", "\ud800 lone", "🙂", "</s>", "word " * 3000]
    (values,) = metric(scorer).score(odd, odd).values()
    for text, value in zip(odd, values, strict=True):
        assert (value.value is None) == bool(value.reason), text
        assert value.value is None or math.isfinite(value.value)
    assert values[2].reason == "the text holds half a surrogate pair"


def test_likelihoods_of_rows_add_up_to_that_of_the_corpus(scorer):
    made = metric(scorer, on=("output", "reference"))
    texts = {"output": [SAID, "", WRITTEN], "reference": [SAID] * 3, "input": [""] * 3}
    found = made.likelihoods(texts, measure_here(made, texts))
    assert [one is None for one in found["perplexity"]] == [False, True, False]
    assert len(set(found["perplexity_reference"])) == 1
    first, _, last = found["perplexity"]
    corpus = math.exp((first.nll + last.nll) / (first.tokens + last.tokens))
    assert min(first.perplexity, last.perplexity) < corpus
    assert corpus < max(first.perplexity, last.perplexity)


def test_the_signature_says_what_moves_the_numbers(scorer):
    parts = dict(part.split(":", 1) for part in metric(scorer).signature().split("|")[1:])
    assert parts["model"] == "folder"
    assert len(parts["weights"]) == 12
    assert {key: parts[key] for key in ("bos", "long", "context", "stride", "dtype", "batch")} == {
        "bos": "yes", "long": "stride", "context": "64", "stride": "32", "dtype": "float32",
        "batch": "1",
    }  # fmt: skip
    truncating = metric(scorer, long_texts="truncate", bos=False).signature()
    assert "|bos:no|long:truncate|context:64|batch:1|" in truncating


def test_the_paper_profile_is_gpt2_as_its_loss_is_commonly_computed():
    measurer = Perplexity(PerplexityParams(profile="paper", revision="1" * 40)).measurer()
    assert (measurer.model, measurer.bos, measurer.long_texts) == ("gpt2", False, "truncate")
    named = PerplexityParams(profile="paper", model="x/y", bos=True, long_texts="stride")
    measurer = Perplexity(named).measurer()
    assert (measurer.model, measurer.bos, measurer.long_texts) == ("x/y", True, "stride")
    measurer = Perplexity(PerplexityParams()).measurer()
    assert measurer.model == "smollm2-135m-instruct"
    assert (measurer.bos, measurer.long_texts) == (True, "stride")


def test_parameters_that_cannot_be_meant_are_refused():
    with pytest.raises(UserError, match="stride is 64, the context 64"):
        Perplexity(PerplexityParams(context=64, stride=64))
    Perplexity(PerplexityParams(context=64, stride=64, long_texts="truncate"))
    for on in ((), ("output", "output")):
        with pytest.raises(UserError, match="perplexity: on is"):
            Perplexity(PerplexityParams(on=on))
