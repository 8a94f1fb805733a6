import pytest

from toolkit.judges.panel import Panel, PanelParams
from toolkit.metrics.base import Value

MISSING = Value(None, reason="judge invalid: no JSON")


def reduce(values, **params):
    return Panel(PanelParams(judges=("a", "b", "c"), **params)).reduce(values)


@pytest.mark.parametrize(
    ("how", "values", "result"),
    [
        ("mean", [1, 2, 6], 3),
        ("median", [1, 2, 6], 2),
        ("median", [1, 2, 3, 4], 2.5),
        ("majority", [1, 1, 0], 1),
        ("mean", [4.5], 4.5),
    ],
)
def test_scores_become_one(how, values, result):
    assert reduce([Value(value) for value in values], reduce=how).value == result


def test_no_majority_is_no_score():
    assert reduce([Value(1.0), Value(0.0)], reduce="majority").reason == (
        "no majority among the judges"
    )


def test_three_judges_without_a_score_are_null_and_counted():
    """B17: a default of 1.0 was once reported here."""
    found = reduce([MISSING] * 3)
    assert found.value is None
    assert found.reason == "0 of 3 judges gave a score; judge invalid: no JSON"


def test_a_majority_is_one_of_all_judges_not_of_those_that_replied():
    assert reduce([Value(1.0), MISSING, MISSING], reduce="majority").value is None
    assert reduce([Value(1.0), Value(1.0), MISSING], reduce="majority").value == 1.0


def test_a_missing_member_is_left_out_and_counted():
    assert reduce([Value(2.0), MISSING, Value(4.0)]) == Value(3.0, note="2 of 3 judges")
    assert reduce([Value(2.0), MISSING, Value(4.0)], minimum=3).value is None
