from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.metrics.base import Value
from toolkit.metrics.numeric_support import NumericSupport, NumericSupportParams
from toolkit.quantities.direction_support import compare_directions
from toolkit.quantities.find import find_quantities
from toolkit.quantities.support import unsupported

PAIRS = Path(__file__).parent / "data" / "numeric_pairs.jsonl"
Span = tuple[int, int]


def score(output: str, input: str, tolerance: float = 0.0) -> tuple[Value, Value]:
    metric = NumericSupport(NumericSupportParams(tolerance=tolerance))
    columns = metric.score([output], [""], [input])
    (numbers,), (directions,) = columns["numeric_support"], columns["direction_support"]
    return numbers, directions


@cache
def pairs() -> list[dict[str, Any]]:
    return [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]


def tally(found: Iterable[Span], annotated: list[Span]) -> tuple[int, int, int]:
    """Return hits, false alarms and misses; each annotation is met once."""
    left = list(annotated)
    hits = alarms = 0
    for start, end in found:
        met = next((one for one in left if start < one[1] and one[0] < end), None)
        if met is None:
            alarms += 1
        else:
            left.remove(met)
            hits += 1
    return hits, alarms, len(left)


def detection(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """Return precision and recall of unsupported numbers and changed directions together."""
    hits = alarms = misses = 0
    for row in rows:
        numbers = unsupported(row["output"], row["input"])
        directions = compare_directions(row["output"], row["input"]).changed
        for found, key in ((numbers, "unsupported"), (directions, "changed")):
            marked = [(one["start"], one["end"]) for one in row[key]]
            h, a, m = tally([(one.start, one.end) for one in found], marked)
            hits, alarms, misses = hits + h, alarms + a, misses + m
    return hits / (hits + alarms), hits / (hits + misses)


def test_the_pairs_are_what_they_say() -> None:
    rows = pairs()
    assert len(rows) >= 200
    assert sum(row["split"] == "held_out" for row in rows) >= 80
    assert 0.4 < sum(bool(row["unsupported"] or row["changed"]) for row in rows) / len(rows) < 0.6
    for row in rows:
        for one in (*row["unsupported"], *row["changed"]):
            assert row["output"][one["start"] : one["end"]] == one["text"]


@pytest.mark.parametrize("split", ["all", "held_out"])
def test_detection_of_unsupported_numbers_and_changed_directions(split: str) -> None:
    rows = [row for row in pairs() if split in ("all", row["split"])]
    precision, recall = detection(rows)
    assert precision >= 0.95
    assert recall >= 0.90


@pytest.mark.parametrize("key", ["unsupported", "changed"])
def test_numbers_and_directions_each_reach_the_bars(key: str) -> None:
    only = [{**row, "unsupported": [], "changed": [], key: row[key]} for row in pairs()]
    hits = alarms = misses = 0
    for row in only:
        if key == "unsupported":
            found = [(one.start, one.end) for one in unsupported(row["output"], row["input"])]
        else:
            changed = compare_directions(row["output"], row["input"]).changed
            found = [(one.start, one.end) for one in changed]
        h, a, m = tally(found, [(one["start"], one["end"]) for one in row[key]])
        hits, alarms, misses = hits + h, alarms + a, misses + m
    assert hits / (hits + alarms) >= 0.95
    assert hits / (hits + misses) >= 0.90


def test_scores_are_shares_with_notes() -> None:
    numbers, directions = score(
        "Pain fell in 12% of 40 patients, by 9 mm.", "Pain rose in 12.3% of 40 patients."
    )
    assert numbers.value == pytest.approx(2 / 3)
    assert numbers.note == "numbers unsupported 1 of 3: 9 mm"
    assert (directions.value, directions.note) == (0.0, "directions changed 1 of 1: fell")
    assert score("12%", "12%")[0] == Value(1.0)


@pytest.mark.parametrize(
    ("output", "input", "numbers", "directions"),
    [
        ("It works.", "12%", "no numbers in the output", "no directions in the output"),
        ("Pain fell.", "It works.", "no numbers in the output", "no direction of the output has "
         "its outcome in the input"),
        ("", "12%", "empty prediction", "empty prediction"),
        ("12%", " \n", "empty input", "empty input"),
        ("", "", "empty input", "empty input"),
        ("有効", "有効", "no numbers in the output", "no directions in the output"),
    ],
)  # fmt: skip
def test_nothing_to_say_is_no_score(output: str, input: str, numbers: str, directions: str) -> None:
    assert [value.reason for value in score(output, input)] == [numbers, directions]
    assert [value.value for value in score(output, input)] == [None, None]


def test_numbers_beside_other_scripts_are_read() -> None:
    assert score("12例の患者", "患者は12例。")[0].value == 1.0
    assert score("13例の患者", "患者は12例。")[0].value == 0.0


def test_notes_are_bounded() -> None:
    many = ", ".join(f"{n} mg" for n in range(100, 200))
    numbers, _ = score(many + " and " + "9" * 300 + " mg", "5 mg")
    assert numbers.value == 0.0
    assert numbers.note.startswith("numbers unsupported 101 of 101: 100 mg, 101 mg")
    assert numbers.note.endswith(" and 96 more")
    assert len(score("9" * 300 + " mg", "5 mg")[0].note) < 80


def test_tolerance_is_passed_on_and_signed() -> None:
    assert score("105 mg", "100 mg")[0].value == 0.0
    assert score("105 mg", "100 mg", tolerance=0.05)[0].value == 1.0
    loose = NumericSupport(NumericSupportParams(tolerance=0.05))
    assert loose.signature() == "numeric_support|tolerance:0.05|version:1"
    assert loose.fingerprint() != NumericSupport(NumericSupportParams()).fingerprint()


@given(st.sampled_from([row["output"] for row in pairs()] + [row["input"] for row in pairs()]))
def test_a_text_supports_itself(text: str) -> None:
    numbers, directions = score(text, text)
    assert numbers.value == (1.0 if find_quantities(text) else None)
    assert directions.value in (1.0, None)


def test_lengths_must_agree() -> None:
    metric = NumericSupport(NumericSupportParams())
    with pytest.raises(ValueError, match="1 predictions but 2 references"):
        metric.score(["a"], [""], ["a", "b"])


def test_a_finding_with_a_semicolon_is_one_note() -> None:
    numbers = score("OR 1.5 (95 % CI 1.2; 3.4)", "9 patients")[0]
    assert ";" not in numbers.note
    assert "1.2, 3.4" in numbers.note
