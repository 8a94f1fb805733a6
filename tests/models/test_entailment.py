"""The real library on tiny models with random weights: their verdicts mean nothing, and vary."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("torch", reason="the extra 'local' is not installed")
pytest.importorskip("transformers", reason="the extra 'local' is not installed")

from tests.models.tiny_models import base_without_head, causal, classifier, roberta, text2text
from toolkit.errors import MissingError, SourceError, UserError
from toolkit.models.entailment import Entailed, Entailment, EntailmentSettings

ROOT = Path(__file__).parents[2]
PAIRS = [
    (f"Sleep improved in {n} of 60 nurses." + " They rested." * (n % 4), f"Sleep improved {n}.")
    for n in range(9)
]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return classifier(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def t5(tmp_path_factory):
    return text2text(tmp_path_factory.mktemp("t5"))


@pytest.fixture(params=["classifier", "text2text"])
def both(request, bert, t5):
    return {
        "folder": {"classifier": bert, "text2text": t5}[request.param],
        "backend": request.param,
    }


def scorer(folder, **values):
    return Entailment(EntailmentSettings(model=str(folder), **values))


def library(folder, kind):
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return tokenizer, getattr(transformers, kind).from_pretrained(folder).eval()


def classified(folder, premise, hypothesis, **truncation):
    """Probability of the last label, as the library alone gives it."""
    import torch

    tokenizer, model = library(folder, "AutoModelForSequenceClassification")
    with torch.inference_mode():
        logits = model(**tokenizer(premise, hypothesis, return_tensors="pt", **truncation)).logits
    return logits[0].softmax(-1)[-1].item()


def written(folder, ids):
    """P(1) / (P(1) + P(0)) after the tokens ``ids``, as the library alone gives it."""
    import torch

    tokenizer, model = library(folder, "AutoModelForSeq2SeqLM")
    one, zero = (tokenizer(text)["input_ids"][-1] for text in ("1", "0"))
    with torch.inference_mode():
        logits = model(torch.tensor([ids]), decoder_input_ids=torch.tensor([[0]])).logits[0, 0]
    return torch.softmax(logits[[one, zero]], 0)[0].item()


def question_ids(folder, premise, hypothesis):
    tokenizer, _ = library(folder, "AutoModelForSeq2SeqLM")
    return tokenizer(f"premise: {premise} hypothesis: {hypothesis}")["input_ids"]


@pytest.mark.parametrize(("batch_size", "rounding"), [(1, 1e-6), (4, 1e-5)])
def test_a_classifier_gives_what_the_library_gives_pair_by_pair(bert, batch_size, rounding):
    found = scorer(bert, batch_size=batch_size).probabilities(PAIRS)
    for pair, entailed in zip(PAIRS, found, strict=True):
        assert entailed.probability == pytest.approx(classified(bert, *pair), abs=rounding)
        assert (entailed.truncated_tokens, entailed.reason) == (0, "")
    assert len({round(e.probability, 4) for e in found}) > 5


@pytest.mark.parametrize(("batch_size", "rounding"), [(1, 1e-6), (4, 1e-5)])
def test_a_text2text_model_gives_the_chance_of_1_against_0(t5, batch_size, rounding):
    found = scorer(t5, backend="text2text", batch_size=batch_size).probabilities(PAIRS)
    for pair, entailed in zip(PAIRS, found, strict=True):
        wanted = written(t5, question_ids(t5, *pair))
        assert entailed.probability == pytest.approx(wanted, abs=rounding)
        assert (entailed.truncated_tokens, entailed.reason) == (0, "")
    assert len({round(e.probability, 4) for e in found}) > 5


def test_a_model_without_token_types_and_with_an_offset_of_its_positions(tmp_path):
    folder = roberta(tmp_path / "roberta")
    pairs = [*PAIRS, ("It rained. " * 60, "It rained.")]
    found = scorer(folder, max_tokens=500, batch_size=4).probabilities(pairs)
    for pair, entailed in zip(pairs, found, strict=True):
        wanted = classified(folder, *pair, truncation="only_first", max_length=64)
        assert entailed.probability == pytest.approx(wanted, abs=1e-5)
    tokenizer, _ = library(folder, "AutoModelForSequenceClassification")
    assert found[-1].truncated_tokens == len(tokenizer(*pairs[-1])["input_ids"]) - 64


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(order=st.permutations(range(len(PAIRS))), again=st.integers(0, len(PAIRS) - 1))
def test_neither_order_nor_repetition_changes_a_bit(both, order, again):
    half = scorer(**both, batch_size=4, dtype="bfloat16")
    wanted = half.probabilities(PAIRS)
    found = half.probabilities([PAIRS[row] for row in [*order, again]])
    assert found == [wanted[row] for row in [*order, again]]


def test_the_same_in_another_process(bert, t5):
    script = (
        "from tests.models.test_entailment import digits\n"
        f"print(digits({str(bert)!r}, {str(t5)!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.strip() == str(digits(bert, t5))
    assert done.stderr == ""


def digits(bert, t5):
    found = scorer(bert, dtype="bfloat16").probabilities(PAIRS)
    found += scorer(t5, backend="text2text", dtype="bfloat16").probabilities(PAIRS)
    return [each.probability.hex() for each in found]


@pytest.mark.parametrize("limit", [30, 40, 50])
def test_a_classifier_s_long_premise_is_cut_and_counted(bert, limit):
    premise, hypothesis = "It rained. " * 60, "It rained."
    (found,) = scorer(bert, max_tokens=limit).probabilities([(premise, hypothesis)])
    tokenizer, _ = library(bert, "AutoModelForSequenceClassification")
    whole = len(tokenizer(premise, hypothesis)["input_ids"])
    wanted = classified(bert, premise, hypothesis, truncation="only_first", max_length=limit)
    assert found.truncated_tokens == whole - limit
    assert found.probability == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("limit", [30, 40, 50])
def test_a_text2text_model_s_long_premise_is_cut_where_it_stands_and_counted(t5, limit):
    premise, hypothesis = "It rained. " * 59 + "It rained.", "It rained."
    (found,) = scorer(t5, backend="text2text", max_tokens=limit).probabilities(
        [(premise, hypothesis)]
    )
    tokenizer, _ = library(t5, "AutoModelForSeq2SeqLM")
    whole = question_ids(t5, premise, hypothesis)
    tail = len(tokenizer(" hypothesis: It rained.")["input_ids"])
    assert found.truncated_tokens == len(whole) - limit
    kept = whole[: limit - tail] + whole[-tail:]
    assert found.probability == pytest.approx(written(t5, kept), abs=1e-6)


def test_relative_positions_go_as_far_as_the_recipe_says(tmp_path):
    folder = text2text(tmp_path / "t5", longest=32)
    pair = ("It rained. " * 20, "It rained.")
    (found,) = scorer(folder, backend="text2text", max_tokens=1024).probabilities([pair])
    assert found.truncated_tokens == 0
    wanted = written(folder, question_ids(folder, *pair))
    assert found.probability == pytest.approx(wanted, abs=1e-6)


def test_a_hypothesis_beyond_the_limit_has_no_probability_and_harms_no_other(both):
    limited = scorer(**both, max_tokens=60)
    found = limited.probabilities([("It rained.", "It rained. " * 60), PAIRS[0]])
    assert found[0].probability is None
    assert "leaves no room for a premise" in found[0].reason
    assert found[1] == limited.probabilities([PAIRS[0]])[0]
    assert found[1].probability is not None


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    premise=st.text(max_size=80),
    hypothesis=st.text(max_size=20),
    limit=st.integers(min_value=16, max_value=60),
)
def test_any_text_has_a_probability_or_a_reason(both, premise, hypothesis, limit):
    (found,) = scorer(**both, max_tokens=limit).probabilities([(premise, hypothesis)])
    if found.probability is None:
        assert found.reason
    else:
        assert 0 <= found.probability <= 1
        assert found.reason == ""
        assert found.truncated_tokens >= 0


def test_half_a_surrogate_pair_is_a_reason(both):
    found = scorer(**both).probabilities([("x \ud800", "y"), PAIRS[0]])
    assert found[0] == Entailed(None, reason="a text holds half a surrogate pair")
    assert found[1].probability is not None


def test_what_is_not_a_number_is_no_probability(tmp_path):
    from safetensors.torch import load_file, save_file

    folder = classifier(tmp_path / "bert")
    tensors = load_file(folder / "model.safetensors")
    tensors["classifier.weight"] *= float("nan")
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (found,) = scorer(folder).probabilities(PAIRS[:1])
    assert found == Entailed(None, reason="the model gave no finite number")


def test_the_label_is_found_in_any_case_and_decides(bert):
    import torch

    tokenizer, model = library(bert, "AutoModelForSequenceClassification")
    with torch.inference_mode():
        logits = model(**tokenizer(*PAIRS[0], return_tensors="pt")).logits
    for number, label in enumerate(("Contradiction", "neutral", "ENTAILMENT")):
        (found,) = scorer(bert, label=label).probabilities(PAIRS[:1])
        assert found.probability == pytest.approx(logits.softmax(-1)[0, number].item(), abs=1e-6)


def test_a_label_the_model_lacks_is_refused_with_those_it_has(bert):
    with pytest.raises(UserError, match="no label 'yes'") as caught:
        scorer(bert, label="yes").probabilities(PAIRS[:1])
    assert "contradiction, entailment, neutral" in caught.value.hint


def test_a_single_output_is_no_verdict(tmp_path):
    folder = classifier(tmp_path / "one", labels=("ENTAILMENT",))
    with pytest.raises(UserError, match="single output"):
        scorer(folder).probabilities(PAIRS[:1])


def test_a_model_that_nobody_trained_to_classify_is_refused(tmp_path):
    folder = base_without_head(tmp_path / "base")
    with pytest.raises(SourceError, match="lacks 2 of the weights"):
        scorer(folder).probabilities(PAIRS[:1])


def test_a_model_of_another_kind_is_refused(tmp_path):
    folder = causal(tmp_path / "llama")
    with pytest.raises(SourceError, match="cannot be loaded with AutoModelForSeq2SeqLM"):
        scorer(folder, backend="text2text").probabilities(PAIRS[:1])


def test_weights_that_are_not_here_are_told_the_three_ways(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingError, match="entailment model 'nobody/none' are not here") as caught:
        scorer("nobody/none").fingerprint()
    for way in ("model: path/to/folder", "package", "hf download nobody/none"):
        assert way in caught.value.hint
    with pytest.raises(UserError, match="40 hex digits"):
        scorer("nobody/none", revision="main").fingerprint()


@pytest.mark.parametrize(
    "change",
    [
        {"backend": "text2text"},
        {"label": "neutral"},
        {"max_tokens": 64},
        {"batch_size": 2},
        {"dtype": "bfloat16"},
        {"threads": 2},
    ],
    ids=str,
)
def test_what_can_change_a_probability_is_in_the_fingerprint(bert, change):
    assert scorer(bert, **change).fingerprint() != scorer(bert).fingerprint()


def test_where_the_weights_lie_is_not(bert, tmp_path):
    assert scorer(classifier(tmp_path / "b")).fingerprint() == scorer(bert).fingerprint()


def test_no_pairs_no_work(both):
    assert scorer(**both).probabilities([]) == []
