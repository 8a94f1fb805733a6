import pytest

from tests.models.tiny_models import classifier, text2text
from toolkit.errors import UserError
from toolkit.models.entailment import Entailment, EntailmentSettings

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


def scorer(folder, **settings):
    return Entailment(EntailmentSettings(model=str(folder), **settings))


def test_a_classifier_gives_what_the_library_gives_pair_by_pair(bert):
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(bert)
    model = AutoModelForSequenceClassification.from_pretrained(bert).eval()
    found = scorer(bert, batch_size=4).probabilities(PAIRS)
    for pair, entailed in zip(PAIRS, found, strict=True):
        with torch.inference_mode():
            logits = model(**tokenizer(*pair, return_tensors="pt")).logits[0]
        assert entailed.probability == pytest.approx(logits.softmax(-1)[2].item(), abs=1e-5)
        assert entailed.truncated_tokens == 0
    assert len({round(e.probability, 4) for e in found}) > 5


def test_a_text2text_model_gives_the_chance_of_1_against_0(t5):
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(t5)
    model = AutoModelForSeq2SeqLM.from_pretrained(t5).eval()
    one, zero = (tokenizer(text)["input_ids"][-1] for text in ("1", "0"))
    found = scorer(t5, backend="text2text", batch_size=4).probabilities(PAIRS)
    for (premise, hypothesis), entailed in zip(PAIRS, found, strict=True):
        text = f"premise: {premise} hypothesis: {hypothesis}"
        with torch.inference_mode():
            logits = model(
                **tokenizer(text, return_tensors="pt"), decoder_input_ids=torch.tensor([[0]])
            ).logits[0, 0]
        wanted = torch.softmax(logits[[one, zero]], 0)[0].item()
        assert entailed.probability == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("backend", ["classifier", "text2text"])
def test_order_and_batches_change_nothing_in_float32(bert, t5, backend):
    folder = bert if backend == "classifier" else t5
    alone = scorer(folder, backend=backend, batch_size=1).probabilities(PAIRS)
    turned = scorer(folder, backend=backend, batch_size=4).probabilities(PAIRS[::-1])[::-1]
    for one, other in zip(alone, turned, strict=True):
        assert one.probability == pytest.approx(other.probability, abs=1e-5)


def test_what_is_cut_off_is_counted_and_only_the_premise_is_cut(bert, t5):
    premise, hypothesis = "It rained. " * 60, "It rained."
    for folder, backend in ((bert, "classifier"), (t5, "text2text")):
        (short,) = scorer(folder, backend=backend, max_tokens=40).probabilities(
            [(premise, hypothesis)]
        )
        (longer,) = scorer(folder, backend=backend, max_tokens=50).probabilities(
            [(premise, hypothesis)]
        )
        assert short.truncated_tokens - longer.truncated_tokens == 10
        assert 0 <= short.probability <= 1


def test_a_hypothesis_beyond_the_limit_has_no_probability(bert):
    found = scorer(bert, max_tokens=20).probabilities(
        [("It rained.", "It rained. " * 60), PAIRS[0]]
    )
    assert found[0].probability is None
    assert "longer than the model's limit" in found[0].reason
    assert found[1].probability is not None


def test_a_label_the_model_lacks_is_refused_with_those_it_has(bert):
    with pytest.raises(UserError, match="no label 'yes'") as caught:
        scorer(bert, label="yes").probabilities(PAIRS[:1])
    assert "entailment" in caught.value.hint


def test_no_pairs_no_work(bert):
    assert scorer(bert).probabilities([]) == []
