"""What every metric of the registry keeps to."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Sequence
from dataclasses import fields, is_dataclass

import pytest
from metric_texts import ODD
from small_metrics import NAMES, build

from toolkit.metrics.base import Metric, ScoreDefinition, Text, Value, call_metric

PROSE = [
    "The dose was high, and 12 of 40 patients (30%) improved.",
    "Mortality fell. No deaths occurred in the treated arm.",
    "We saw no harm.",
]
ALL: tuple[Text, ...] = ("output", "reference", "input")


def scored(metric: Metric, rows: Sequence[tuple[str, str]]) -> dict[str, list[Value]]:
    """Score rows of (output, the text beside it)."""
    outputs, others = [row[0] for row in rows], [row[1] for row in rows]
    inputs = [given(metric, other) for other in others]
    return call_metric(metric, {"output": outputs, "reference": others, "input": inputs})


def given(metric: Metric, text: str) -> str:
    """What a metric gets as the input: the text, or edits that put its first words there."""
    if getattr(metric, "input_column", "input") != "edits" or not text.strip():
        return text
    put = " ".join(text.split()[:3])
    return json.dumps([{"kind": "term", "category": "c", "original": "o", "replacement": put}])


def compares(metric: Metric) -> bool:
    return {"output", "reference"} <= set(metric.reads)


def check(definition: ScoreDefinition, value: Value) -> None:
    if value.value is None:
        assert value.reason
        return
    assert not value.reason
    assert math.isfinite(value.value)
    assert definition.low is None or definition.low <= value.value
    assert definition.high is None or value.value <= definition.high


@pytest.mark.parametrize("name", NAMES)
def test_parameters_definitions_and_columns_agree(name: str) -> None:
    metric = build(name)
    assert metric.name == name
    assert is_dataclass(metric.Params)
    for parameter in fields(metric.Params):
        assert parameter.metadata["about"], parameter.name
    assert metric.reads
    assert set(metric.reads) <= set(ALL)
    columns = scored(metric, [(text, text) for text in PROSE])
    assert list(columns) == [one.name for one in metric.definitions()]
    for one in metric.definitions():
        assert (one.direction == "target") == (one.target is not None)
        assert len(columns[one.name]) == len(PROSE)
        # Ordinary prose has every score.
        assert columns[one.name][0].value is not None, one.name
        for value in columns[one.name]:
            check(one, value)


@pytest.mark.parametrize("name", NAMES)
def test_blank_texts(name: str) -> None:
    metric = build(name)
    rows = [("said", ""), ("", "said"), ("", ""), ("\f", "said"), ("said", " \n")]
    for column, values in scored(metric, rows).items():
        blank = [None if value.value is None else value.reason for value in values]
        if compares(metric):
            # No reference: undefined. No answer to a real one: the worst, so silence is not free.
            assert [value.value for value in values] == [None, 0.0, None, 0.0, None], column
            assert [value.reason for value in values] == ["empty reference", ""] * 2 + [
                "empty reference"
            ]
            assert [values[at].note for at in (1, 3)] == ["empty prediction"] * 2
        elif metric.reads == ("output",):
            # A text that says nothing cannot be described.
            assert blank[1:4] == [None, None, None], column
            assert {value.reason for value in values[1:4]} == {"empty prediction"}
        for definition in metric.definitions():
            if definition.name == column:
                for value in values:
                    check(definition, value)


@pytest.mark.parametrize("name", NAMES)
def test_any_text_has_a_value_or_a_reason(name: str) -> None:
    metric = build(name)
    texts = [
        *ODD,
        "mortality",
        "7",
        "...",
        "Смертность снизилась.",
        "انخفضت الوفيات",
        "死亡率は低下した。",
    ]
    rows = [(text, text) for text in texts] + [(text, PROSE[0]) for text in texts]
    rows += [(PROSE[0], text) for text in texts]
    columns = scored(metric, rows)
    for definition in metric.definitions():
        values = columns[definition.name]
        assert len(values) == len(rows)
        for value in values:
            check(definition, value)


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", NAMES)
def test_a_text_of_100_000_tokens_is_scored(name: str) -> None:
    metric = build(name)
    long = "dose rose by 5 mg and fell . " * 20_000
    # No sentence ends, no clause ends, no repeated word.
    endless = " ".join(f"treated{chr(97 + n % 26)}{n}" for n in range(2_000)) + " fell" * 98_000
    columns = scored(metric, [(long, long), (endless, PROSE[0])])
    for definition in metric.definitions():
        first, second = columns[definition.name]
        check(definition, first)
        check(definition, second)
        assert first.value is not None, definition.name


@pytest.mark.parametrize("name", NAMES)
def test_a_row_scores_alike_whatever_its_neighbours(name: str) -> None:
    metric = build(name)
    rows = [(PROSE[0], PROSE[1]), (PROSE[1], PROSE[2]), (PROSE[2], PROSE[0])]
    first = scored(metric, rows)
    again = scored(pickle.loads(pickle.dumps(build(name))), rows[::-1])
    assert {column: values[::-1] for column, values in again.items()} == first


@pytest.mark.parametrize("name", NAMES)
def test_signature_names_metric_version_and_profile(name: str) -> None:
    metric = build(name)
    first, *rest = metric.signature().split("|")
    assert first == name
    pairs = dict(part.split(":", 1) for part in rest)
    assert pairs["version"] == str(metric.version)
    profiles = "profile" in {parameter.name for parameter in fields(metric.Params)}
    assert pairs.get("profile") == ("default" if profiles else None)
    assert metric.signature() == build(name).signature()
    assert metric.fingerprint() == build(name).fingerprint()


@pytest.mark.parametrize("name", NAMES)
def test_rows_that_do_not_pair_up_are_refused(name: str) -> None:
    metric = build(name)
    with pytest.raises(ValueError, match="2 predictions but 1 references"):
        call_metric(metric, {"output": ["a", "b"], "reference": ["a"], "input": ["a", "b"]})
    assert all(values == [] for values in scored(metric, []).values())
