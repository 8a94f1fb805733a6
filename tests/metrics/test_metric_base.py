from __future__ import annotations

from dataclasses import fields, is_dataclass
from importlib import import_module

import pytest

from toolkit.metrics.base import (
    Metric,
    ScoreDefinition,
    Value,
    check_pairs,
    shortcut,
    write_signature,
)
from toolkit.registry import BUILT_IN

METRICS = sorted(BUILT_IN["metrics"].items())


def build(target: str) -> Metric:
    module, _, name = target.partition(":")
    kind = getattr(import_module(module), name)
    metric = kind(kind.Params())
    assert isinstance(metric, Metric)
    return metric


@pytest.mark.parametrize(("name", "target"), METRICS)
def test_each_metric_keeps_the_contract(name: str, target: str) -> None:
    metric = build(target)
    assert metric.name == name
    assert is_dataclass(metric.Params)
    for parameter in fields(metric.Params):
        assert parameter.metadata["about"], parameter.name
    definitions = metric.definitions()
    assert all(isinstance(one, ScoreDefinition) for one in definitions)
    columns = metric.score(["the dose was high"], ["the dose was low"])
    assert list(columns) == [one.name for one in definitions]
    for one in definitions:
        (value,) = columns[one.name]
        assert value.value is not None
        assert one.low is None or one.low <= value.value
        assert one.high is None or value.value <= one.high
        assert (one.direction == "target") == (one.target is not None)


@pytest.mark.parametrize(("name", "target"), METRICS)
def test_blank_texts_score_alike_in_every_metric(name: str, target: str) -> None:
    rows = [("said", ""), ("", "said"), ("", ""), ("\f", "said"), ("said", " \n")]
    columns = build(target).score([row[0] for row in rows], [row[1] for row in rows])
    for values in columns.values():
        assert [value.value for value in values] == [None, 0.0, None, 0.0, None]
        assert [value.reason for value in values] == [
            "empty reference",
            "",
            "empty reference",
            "",
            "empty reference",
        ]
        assert values[1].note == "empty prediction"


@pytest.mark.parametrize(("name", "target"), METRICS)
def test_signature_names_metric_and_version(name: str, target: str) -> None:
    metric = build(target)
    parts = metric.signature().split("|")
    assert parts[0] == name
    pairs = dict(part.split(":", 1) for part in parts[1:])
    assert pairs["version"] == str(metric.version)
    assert pairs["profile"] == "default"
    assert metric.signature() == build(target).signature()
    assert metric.fingerprint() == build(target).fingerprint()


@pytest.mark.parametrize(("name", "target"), METRICS)
def test_rows_that_do_not_pair_up_are_refused(name: str, target: str) -> None:
    metric = build(target)
    with pytest.raises(ValueError, match="2 predictions but 1 references"):
        metric.score(["a", "b"], ["a"])
    assert all(values == [] for values in metric.score([], []).values())


def test_nested_references_and_lone_strings_are_refused() -> None:
    with pytest.raises(TypeError, match=r"references\[0\] is list"):
        check_pairs(["a"], [["a"]])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="predictions is one string"):
        check_pairs("ab", ["a", "b"])
    with pytest.raises(TypeError, match=r"predictions\[1\] is NoneType"):
        check_pairs(["a", None], ["a", "b"])  # type: ignore[list-item]


def test_shortcut_decides_only_blank_texts() -> None:
    assert shortcut("a", "b") is None
    assert shortcut(".", "-") is None
    assert shortcut("", "b") == Value(0.0, note="empty prediction")
    assert shortcut("a", "\t") == Value(None, reason="empty reference")


def test_signature_keeps_the_order_given() -> None:
    assert write_signature("m", {"z": 1, "a": "x"}) == "m|z:1|a:x"
