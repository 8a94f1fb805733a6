"""Whether an output carries the edits of its input."""

import json

import pytest

from toolkit.metrics.base import Value
from toolkit.metrics.edit_misses import EditMisses, EditMissesParams


def edit(replacement: str | None, kind: str = "term") -> dict[str, str | None]:
    return {"kind": kind, "category": "c", "original": "o", "replacement": replacement}


def carried(output: str, *edits: object, inflections: bool = True) -> Value:
    metric = EditMisses(EditMissesParams(inflections=inflections))
    (value,) = metric.score([output], [""], [json.dumps(edits)])["edits_carried"]
    return value


SUMMARY = "There are severe masses on the right. The largest measures 3.3  mm."


def test_the_share_of_replacements_that_stand_in_the_output() -> None:
    found = carried(SUMMARY, edit("severe"), edit("mass"), edit("benign"), edit("3.3 mm"))
    assert (found.value, found.note) == (0.75, "edits absent 1 of 4")
    assert carried(SUMMARY, edit("mass"), inflections=False).value == 0.0
    assert carried(SUMMARY, edit("3.3mm", "measurement")) == Value(1.0)
    assert carried(SUMMARY, edit("3 mm", "measurement")).value == 0.0


def test_what_was_removed_takes_no_part() -> None:
    removed = [edit(None, kind) for kind in ("point", "sentence", "keyword")]
    assert carried(SUMMARY, *removed, edit("severe")).value == 1.0
    for edits in ([], removed):
        assert carried(SUMMARY, *edits) == Value(None, reason="not edited by substitution")


def test_an_answer_that_says_nothing_carries_nothing() -> None:
    assert carried(" \n", edit("severe")).value == 0.0


@pytest.mark.parametrize("edits", ["", "A report.", '{"kind": "term"}', "[1]", '[{"a": 1}]',
                                   '[{"kind": "term", "replacement": null}]'])  # fmt: skip
def test_an_input_that_is_no_list_of_edits_has_no_score(edits: str) -> None:
    (value,) = EditMisses(EditMissesParams()).score(["x"], [""], [edits])["edits_carried"]
    assert value == Value(None, reason="the input is no JSON list of edits")


def test_signature_and_column() -> None:
    metric = EditMisses(EditMissesParams(inflections=False))
    assert metric.signature() == "edit_misses|inflections:False|version:1"
    assert metric.input_column == "edits"
