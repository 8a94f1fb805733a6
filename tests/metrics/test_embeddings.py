"""Embeddings as they are measured once and kept."""

from __future__ import annotations

from typing import Any

import pytest

from toolkit.metrics.embedder import Embedding
from toolkit.metrics.embeddings import Embeddings
from toolkit.metrics.measured import Measurer

pytest.importorskip("sentence_transformers", reason="the extra 'local' is not installed")

SHORT = "Mortality fell in treated patients."
LONG = " ".join(f"cell{number}" for number in range(400))


def embeddings(**settings: Any) -> Embeddings:
    return Embeddings(model="all-MiniLM-L6-v2", **settings)


def test_results_stand_in_the_order_asked_for() -> None:
    maker = embeddings()
    assert isinstance(maker, Measurer)
    first, long, again = maker.measure([SHORT, LONG, SHORT])
    assert first is again
    assert first.parts.shape == (1, 384)
    assert long.parts.shape == (len(long.tokens), 384)
    assert len(long.tokens) > 1


def test_a_table_gives_back_the_same_bits() -> None:
    maker = embeddings()
    found = maker.measure([LONG, SHORT, ""])
    table = maker.pack(found)
    for one, again in zip(found, maker.unpack(table), strict=True):
        assert again.parts.tobytes() == one.parts.tobytes()
        assert again.vector.tobytes() == one.vector.tobytes()
        assert (again.tokens, again.cut) == (one.tokens, one.cut)
    (last,) = maker.unpack(table.slice(1, 1))
    assert last.vector.tobytes() == found[1].vector.tobytes()


def test_a_long_text_is_the_mean_of_its_chunks_by_their_tokens() -> None:
    import numpy as np

    parts = np.array([[1.0, 0.0], [0.0, 1.0], [4.0, 4.0]], dtype=np.float32)
    pooled = Embedding(parts=parts, tokens=(5, 3, 2), cut=0).vector
    assert pooled.tolist() == pytest.approx([0.5 + 0.8, 0.3 + 0.8])
    assert pooled.dtype == np.float64


def test_counts_add_up_what_was_read_and_cut() -> None:
    maker = embeddings(long_texts="truncate")
    found = maker.measure([SHORT, LONG])
    counts = maker.counts(found)
    assert counts["texts_cut"] == 1
    assert counts["tokens_cut"] == found[1].cut > 500
    # Cut where a word begins.
    assert 250 <= found[1].tokens[0] <= 254
    assert counts["tokens"] == found[0].tokens[0] + found[1].tokens[0]


def test_settings_tell_measures_apart_without_weights() -> None:
    variants: list[dict[str, Any]] = [
        {},
        {"folder": "all-MiniLM-L6-v2"},
        {"revision": "0" * 40},
        {"long_texts": "truncate"},
        {"batch_size": 2},
        {"threads": 2},
        {"device": "cuda"},
    ]
    known = [embeddings(**variant).settings() for variant in variants]
    assert all(known[i] != known[j] for i in range(len(known)) for j in range(i))
    assert embeddings().settings() == known[0]
