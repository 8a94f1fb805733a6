"""What fills a slot: a column, a count, an answer, what is judged, a literal."""

from __future__ import annotations

import pytest

from toolkit.recipe.slots import DERIVATIONS, JUDGED, Slot, parse_slot


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("field:input", Slot("field", "input")),
        ("field: input", Slot("field", "input")),
        ("derive:n_words(conclusion)", Slot("derive", "conclusion", "n_words")),
        ("derive:n_items(keywords)", Slot("derive", "keywords", "n_items")),
        ("answer:find.citations", Slot("answer", "find", "citations")),
        ("answer:find", Slot("answer", "find")),
        ("run:E1_0", Slot("run", "E1_0")),
        ("judged:output", Slot("judged", "output")),
        ("plain", Slot("literal", value="plain")),
        ("", Slot("literal", value="")),
        ("ratio 1:2", Slot("literal", value="ratio 1:2")),
        ("note: field", Slot("literal", value="note: field")),
        (3, Slot("literal", value=3)),
        (0.1, Slot("literal", value=0.1)),
        (True, Slot("literal", value=True)),
    ],
)
def test_slots_are_parsed(text, slot):
    assert parse_slot(text) == slot


@pytest.mark.parametrize(
    "text",
    [
        "field:",
        "field:a b",
        "field:a.b",
        "derive:n_words",
        "derive:n_letters(x)",
        "derive:n_words(a, b)",
        "derive:__import__('os')",
        "answer:",
        "answer:a.b.c",
        "run:a b",
        "judged:everything",
        "judged:",
    ],
)
def test_what_starts_like_an_expression_and_is_none_is_refused(text):
    with pytest.raises(ValueError, match=text.split(":")[0]):
        parse_slot(text)


def test_messages_name_what_is_known():
    with pytest.raises(ValueError, match=r"n_items\(COLUMN\), n_sentences\(COLUMN\)"):
        parse_slot("derive:count(x)")
    with pytest.raises(ValueError, match="known: " + ", ".join(JUDGED)):
        parse_slot("judged:outptu")
    assert sorted(DERIVATIONS) == list(DERIVATIONS)
