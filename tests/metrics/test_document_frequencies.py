from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.metrics import document_frequencies
from toolkit.metrics.document_frequencies import count_documents, look_up, n_documents, terms

TEXTS = st.lists(
    st.lists(st.sampled_from(["a", "B", "b", "β", "0.5", "x-y", "心不全"])).map(" ".join),
    max_size=12,
)


def counted(texts: list[str]) -> dict[str, int]:
    words = {word for text in texts for word in terms(text)}
    found = {word: sum(word in terms(text) for text in texts) for word in words}
    return {"": len(texts), **found}


@given(TEXTS, st.integers(1, 5))
def test_counts_depend_on_the_texts_alone(texts: list[str], size: int) -> None:
    runs = [texts[start : start + size] for start in range(0, len(texts), size)]
    table = count_documents(runs)
    words = table["word"].to_pylist()
    assert words == sorted(words, key=lambda word: word.encode("utf-8"))
    assert dict(zip(words, table["documents"].to_pylist(), strict=True)) == counted(texts)
    assert count_documents([run[::-1] for run in runs[::-1]]).equals(table)
    assert n_documents(table) == len(texts)


def test_partial_counts_are_added_up_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"word{n % 7} word{n % 5} only{n}" for n in range(40)]
    whole = count_documents([texts])
    monkeypatch.setattr(document_frequencies, "_ROWS", 4)
    assert count_documents([[text] for text in texts]).equals(whole)


def test_words_are_looked_up() -> None:
    table = count_documents([["Pain fell", "pain rose"]])
    assert look_up(table, ["pain", "fell", "never", "pain"]) == {"pain": 2, "fell": 1, "never": 0}
    assert look_up(table, []) == {}
