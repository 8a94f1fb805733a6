from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import UserError
from toolkit.metrics.base import Value
from toolkit.metrics.keywords import Keywords, KeywordsParams

BOTH = Keywords(KeywordsParams(unit=("word", "phrase")))
LISTS = st.lists(st.sampled_from(["pain", "peer review", "LLM", "llm", "β cell", "心不全"]))


def pair(prediction: str, reference: str) -> tuple[Value, Value]:
    columns = BOTH.score([prediction], [reference])
    return columns["jaccard_word"][0], columns["jaccard_phrase"][0]


def test_the_written_down_values() -> None:
    words, _ = pair("large language models review papers", "language models rank papers well")
    assert words.value == pytest.approx(0.428571, abs=5e-7)
    _, phrases = pair("peer review, LLM", "peer review, large language models, llm, is")
    assert phrases.value == 0.5
    words, _ = pair("the cat sat on the mat", "the cat lay on the mat today")
    assert words.value == pytest.approx(4 / 7)


@given(LISTS, LISTS)
def test_phrases_equal_jaccard_by_counting(left: list[str], right: list[str]) -> None:
    _, value = pair(", ".join(left), " ,".join(right))
    a, b = {x.lower() for x in left}, {x.lower() for x in right}
    if not b:
        assert value == Value(None, reason="empty reference")
    else:
        both = sum(item in a for item in b)
        assert value.value == both / (len(a) + len(b) - both)


@given(LISTS.filter(bool), LISTS.filter(bool))
def test_the_two_sides_may_change_places(left: list[str], right: list[str]) -> None:
    a, b = ", ".join(left), ", ".join(right)
    assert pair(a, b) == pair(b, a)
    assert [value.value for value in pair(a, a)] == [1.0, 1.0]


def test_spaces_case_and_empty_items_do_not_matter() -> None:
    _, value = pair("  Peer \n review,, ", "peer review")
    assert value.value == 1.0
    _, value = pair("pain", ", ,")
    assert value == Value(None, reason="no phrases in the reference")
    words, _ = pair("pain", "--")
    assert words == Value(None, reason="no words in the reference")


def test_phrases_alone_by_default_and_each_unit_once() -> None:
    (definition,) = Keywords(KeywordsParams()).definitions()
    assert definition.name == "jaccard_phrase"
    with pytest.raises(UserError, match="keywords: unit is"):
        Keywords(KeywordsParams(unit=()))
