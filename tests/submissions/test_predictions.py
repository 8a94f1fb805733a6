"""Reading predictions: every fault at once, each with its line."""

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from toolkit.submissions.fault_list import FaultList
from toolkit.submissions.predictions import (
    MAX_LINE,
    Prediction,
    id_faults,
    outputs_digest,
    predictions_text,
    read_predictions,
)

GOOD = {"item_id": "a", "output": "Yes, it fell."}


def read(*lines, prompts=("A",), strict=False):
    faults = FaultList()
    data = b"\n".join(
        line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines
    )
    return read_predictions(io.BytesIO(data), prompts, faults, strict=strict), faults.lines()


def test_lines_become_sorted_predictions_of_the_only_prompt():
    found, faults = read(
        {"item_id": "b", "output": " x\u2028y "}, GOOD, b"", {**GOOD, "item_id": 3}
    )
    assert not faults
    assert found == [
        Prediction("A", "3", "Yes, it fell."),
        Prediction("A", "a", "Yes, it fell."),
        Prediction("A", "b", " x\u2028y "),
    ]


def test_a_byte_order_mark_and_other_keys_are_passed_over_unless_strict():
    line = b"\xef\xbb\xbf" + json.dumps({**GOOD, "latency": 3}).encode()
    assert read(line) == ([Prediction("A", "a", "Yes, it fell.")], [])
    found, faults = read(line, strict=True)
    assert not found
    assert faults == ["lines with keys that no prediction has (1): line 1: 'latency'"]


def test_every_kind_of_fault_is_told_with_its_lines():
    found, faults = read(
        GOOD,
        b'{"item_id": "a", "output": "again"}',
        b'{"item_id": "b", "output": ',
        b'{"item_id": "c", "output": "caf\xe9"}',
        [1, 2],
        b'{"item_id": "d", "item_id": "e", "output": "x"}',
        b'{"item_id": "f", "output": NaN}',
        {"output": "x"},
        {"item_id": "g"},
        {"item_id": "h", "output": " \t"},
        {"item_id": "i", "output": None},
        {"item_id": "j", "output": 7},
        {"item_id": "k", "output": "x", "prompt": "Z"},
        {"item_id": "l", "output": "x", "reason": "why?"},
        b'{"item_id": "m", "output": "\\ud800"}',
        b'{"item_id": "n", "output": "' + b"x" * MAX_LINE + b'"}',
        b"[" * 100_000,
        {"item_id": "o", "output": None, "reason": "the server refused"},
    )
    assert [one.item_id for one in found] == ["a", "o"]
    assert found[1].reason == "the server refused"
    told = "\n".join(faults)
    for text in (
        "duplicate ids (1): 'a' in lines 1 and 2",
        "lines that are not JSON (4): line 3",
        "line 6: a key stands twice",
        "line 7: NaN is no JSON",
        "line 17: nested too deeply",
        "lines that are not UTF-8 (1): line 4, byte 32",
        "lines that are not JSON objects (1): line 5",
        "lines without an item_id (1): line 8",
        "lines without an output (1): line 9, item 'g'",
        "empty outputs (write null and a reason; it then counts as failed) (1): line 10",
        "outputs of null without a reason (write why there is none) (1): line 11",
        "outputs that are no text (1): line 12",
        "lines whose prompt is none of A (1): line 13: 'Z'",
        "reasons beside an output (1): line 14",
        "texts with half a character (a lone surrogate) (1): line 15",
        "lines of more than 1 MiB (1): line 16",
    ):
        assert text in told


def test_another_encoding_is_one_fault_and_not_a_thousand():
    for data, told in (
        ("\n".join(['{"item_id": "a"}'] * 50).encode("utf-16"), "UTF-16"),
        (b"\x1f\x8b\x08" + b"\n" * 50, "compressed"),
        (b"PK\x03\x04" + b"\n" * 50, "zip"),
    ):
        _, faults = read(data)
        assert len(faults) == 1
        assert told in faults[0]


def test_examples_are_few_and_fit_to_print():
    _, faults = read(*[{"item_id": f"\u202e{n}" + "x" * 200, "output": 1} for n in range(40)])
    (line,) = faults
    assert "(40)" in line and "and 35 more" in line
    assert "[U+202E]" in line and "more characters" in line


def test_each_prompt_needs_each_id_once():
    faults = FaultList()
    found = [Prediction("A", "a", "x"), Prediction("A", "b", "x"), Prediction("B", "z", "x")]
    id_faults(found, ["A", "B"], ["a", "b"], faults)
    assert faults.lines() == [
        "missing ids of prompt B (2): 'a'; 'b'",
        "ids that the split does not have of prompt B (1): 'z'",
    ]
    faults = FaultList()
    id_faults(found[:1], ["A"], ["a", "b"], faults)
    assert faults.lines() == ["missing ids (1): 'b'"]


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
predictions = st.dictionaries(
    st.tuples(st.sampled_from("AB"), texts),
    st.one_of(texts.map(lambda text: (text, "")), texts.map(lambda text: (None, text))),
).map(
    lambda rows: [
        Prediction(prompt, item, output, reason)
        for (prompt, item), (output, reason) in rows.items()
    ]
)


@given(predictions)
def test_what_is_written_is_read_again_whatever_its_order(given_rows):
    text = predictions_text(given_rows)
    assert text == predictions_text(list(reversed(given_rows)))
    faults = FaultList()
    found = read_predictions(io.BytesIO(text.encode()), ["A", "B"], faults, strict=True)
    assert not faults
    assert set(found) == set(given_rows)
    assert predictions_text(found) == text


def test_the_digest_of_outputs_does_not_hear_the_prompts_name():
    one = [Prediction("A", "a", "x"), Prediction("A", "b", None, "why")]
    other = [Prediction("B", "b", None, "other"), Prediction("B", "a", "x")]
    assert outputs_digest(one) == outputs_digest(other)
    assert outputs_digest(one) != outputs_digest([Prediction("A", "a", "y"), one[1]])
