"""Stated scores: as exact as they are written, and of a sample as exact as the sample."""

import numpy as np
import pytest

from toolkit.errors import UserError
from toolkit.results.items import ItemScores
from toolkit.results.record import ModelUse, Result, ScoreResult
from toolkit.submissions.claims import (
    FEWEST_JUDGED,
    claim_faults,
    read_claims,
    sample_faults,
    unknown_claims,
)


def score(name, value, n=100, judges=()):
    return ScoreResult(
        score=name, title=name, metric="m", direction="higher", value=value, n=n,
        signature="s", judges=judges,
    )  # fmt: skip


def result(*scores):
    return Result(
        benchmark="b", title="b", version="1.0", split="test", recipe="r", toolkit="0.1.0",
        model=ModelUse(name="m", title="m"), prompt="A", scores=scores, tier="re-scored",
        submitter="ann", date="2026-05-01",
    )  # fmt: skip


def claims(tmp_path, text, prompts=("A",)):
    file = tmp_path / "claims.json"
    file.write_text(text)
    return read_claims(file, prompts)


@pytest.mark.parametrize(
    ("stated", "right"),
    [
        ("0.31", True),
        ("0.3149", True),
        ("0.3", True),
        ("0.310", False),
        ("0.32", False),
        ("0", True),
        ("1", False),
        ("0.31490001", True),
        ("0.3149003", True),
        ("0.3149020", False),
    ],
)
def test_a_statement_is_as_exact_as_it_is_written(stated, right, tmp_path):
    found = claims(tmp_path, f'{{"rouge1": {stated}}}')
    faults = list(claim_faults(found, result(score("rouge1", 0.3149))))
    assert (not faults) == right
    if faults:
        assert f"prompt A, rouge1: {stated} is stated, 0.314900 was computed" in faults[0]


def test_a_score_that_has_no_value_confirms_nothing(tmp_path):
    found = claims(tmp_path, '{"A": {"rouge1": 0.5}}')
    (fault,) = claim_faults(found, result(score("rouge1", None, n=0)))
    assert "no value was computed" in fault


@pytest.mark.parametrize(("stated", "right"), [(70, True), (60, True), (90, False)])
def test_a_judges_score_may_differ_by_four_standard_errors(stated, right, tmp_path):
    # 25 answers of 50 and 90 in turn: mean 69.2, standard error 4.07.
    values = np.array([[50.0 if n % 2 else 90.0] for n in range(25)])
    items = ItemScores(tuple(f"{n:02}" for n in range(25)), ("similarity",), values)
    found = claims(tmp_path, f'{{"similarity": {stated}}}')
    mean = float(values.mean())
    whole = result(score("similarity", mean, n=25, judges=("grader",)))
    assert (not list(sample_faults(found, whole, items))) == right
    assert not list(claim_faults(found, whole))
    few = result(score("similarity", mean, n=FEWEST_JUDGED - 1, judges=("grader",)))
    assert not list(sample_faults(found, few, items))
    assert not list(sample_faults(found, whole, None))


def test_statements_nobody_can_check_are_told(tmp_path):
    found = claims(tmp_path, '{"A": {"bleu": 0.5}, "B": {"rouge1": 0.5}}', ("A", "B"))
    told = list(unknown_claims(found, (result(score("rouge1", 0.5)),)))
    assert len(told) == 2
    assert "'bleu' of prompt 'A'" in told[0]


@pytest.mark.parametrize(
    "text",
    ["[", "[]", '{"A": 1, "B": {}}', '{"A": {"x": "0.3"}}', '{"x": NaN}', '{"x": 1}', "[" * 99_999],
)
def test_a_file_of_another_form_is_refused(text, tmp_path):
    with pytest.raises(UserError):
        claims(tmp_path, text, ("A", "B"))
