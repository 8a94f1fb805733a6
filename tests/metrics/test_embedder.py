from __future__ import annotations

import pytest

from toolkit.errors import MissingError
from toolkit.metrics.embedder import Embedder, Embedding, load_embedder
from toolkit.models.weights.folder import ModelFolder

pytest.importorskip("sentence_transformers", reason="the extra 'local' is not installed")

TEXTS = [
    "Mortality fell in treated patients.",
    "The budget of the museum rose.",
    "Pain was unchanged (p = 0.4).",
    "A longer sentence about leptin, walnuts and glycaemic control in rats.",
    "Short.",
]
LONG = " ".join(f"cell{number}" for number in range(400))


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder(ModelFolder("sentence-transformers/all-MiniLM-L6-v2").locate(), "cpu")


def bits(embeddings: dict[str, Embedding]) -> dict[str, bytes]:
    return {text: one.vector.tobytes() for text, one in embeddings.items()}


def embed(embedder: Embedder, texts: list[str], batch_size: int = 1) -> dict[str, Embedding]:
    return embedder.embed(texts, batch_size=batch_size, threads=1, long_texts="chunk")


def test_at_batch_size_one_a_vector_depends_on_its_text_alone(embedder: Embedder) -> None:
    together = bits(embed(embedder, TEXTS))
    empty = Embedder(embedder._model)
    for text in TEXTS:
        assert bits(embed(empty, [text]))[text] == together[text]


@pytest.mark.parametrize("batch_size", [1, 2, 3])
def test_order_duplicates_and_cache_make_no_difference(embedder: Embedder, batch_size: int) -> None:
    first = bits(embed(Embedder(embedder._model), TEXTS, batch_size))
    warm = Embedder(embedder._model)
    embed(warm, TEXTS[2:], batch_size)
    assert bits(embed(warm, TEXTS[::-1] + TEXTS, batch_size)) == first
    assert bits(embed(warm, TEXTS, batch_size)) == first


def test_the_model_means_what_it_should(embedder: Embedder) -> None:
    vectors = embed(embedder, ["Mortality fell.", "Fewer patients died.", "The museum closed."])
    near, far = "Fewer patients died.", "The museum closed."
    base = vectors["Mortality fell."].vector
    assert base.shape == (384,)
    assert base @ vectors[near].vector > base @ vectors[far].vector


def test_chunks_see_what_truncation_cuts_off(embedder: Embedder) -> None:
    chunked = embedder.embed([LONG], batch_size=1, threads=1, long_texts="chunk")[LONG]
    cut = embedder.embed([LONG], batch_size=1, threads=1, long_texts="truncate")[LONG]
    assert chunked.cut == 0
    assert cut.cut > 500
    other = LONG + " unlike the first"
    again = embedder.embed([other], batch_size=1, threads=1, long_texts="truncate")[other]
    assert again.cut == cut.cut + 3
    assert again.vector.tobytes() == cut.vector.tobytes()
    assert embed(embedder, [other])[other].vector.tobytes() != chunked.vector.tobytes()


def test_no_token_of_a_long_text_is_lost_between_chunks(embedder: Embedder) -> None:
    chunks = embedder._chunks(LONG)
    assert " ".join(chunk.text for chunk in chunks) == LONG
    assert all(chunk.tokens <= 254 for chunk in chunks)
    tokenizer = embedder._model.tokenizer
    whole = tokenizer(LONG, add_special_tokens=False, verbose=False)["input_ids"]
    assert sum(chunk.tokens for chunk in chunks) == len(whole)


def test_one_endless_word_and_a_lone_surrogate(embedder: Embedder) -> None:
    word = "ab1" * 2000
    vectors = embed(embedder, [word, "lone \ud800 half"])
    assert all(one.vector.any() for one in vectors.values())


def test_a_device_that_is_not_there_is_named() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has the device")
    with pytest.raises(MissingError, match="no device 'cuda'"):
        load_embedder(ModelFolder("sentence-transformers/all-MiniLM-L6-v2").locate(), "cuda")
