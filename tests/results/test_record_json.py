"""Records as JSON: nothing is lost, nothing can be changed, nothing missing is a number."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from results_world import HOSTILE, judged, number, record

from toolkit.errors import UserError
from toolkit.results.record import ModelUse, Withdrawal, model_folder, record_path
from toolkit.results.record_json import (
    read_result,
    read_withdrawal,
    result_json,
    withdrawal_json,
)

words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)
reals = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=60)
@given(words, words, words, st.one_of(st.none(), reals), st.sampled_from(["lower", "target"]))
def test_what_is_written_is_read(title, prompt, submitter, value, direction):
    target = 1.5 if direction == "target" else None
    odd = number("odd", [value], value=value, direction=direction, target=target, digits=1)
    result, _ = record(
        ModelUse(name=title, title=title), scores=[odd, number("rouge1", [0.5])],
        prompt=prompt, submitter=submitter,
    )  # fmt: skip
    text = result_json(result)
    again = read_result(text, "here")
    assert again == result
    assert again.record_id == result.record_id
    assert json.loads(text) == json.loads(text.encode().decode())


def test_judges_and_their_audits_stand_beside_the_number_they_gave():
    result, _ = judged()
    data = json.loads(result_json(result))
    quality = next(r for r in data["evaluation_results"] if r["evaluation_name"] == "quality")
    scoring = quality["metric_config"]["llm_scoring"]
    assert scoring["judges"][0]["model_info"]["name"] == "judge-a"
    assert scoring["judges"][0]["temperature"] == 0.0
    assert "c" * 64 in scoring["input_prompt"]
    assert quality["metric_config"]["max_score"] == 100.0
    assert quality["metric_config"]["min_score"] == "-Infinity"
    assert read_result(result_json(result), "x").judges["primary"].audit["quality"]["reacts"] == 0.6


def test_a_score_without_a_value_is_no_number_and_keeps_its_reason():
    result, _ = record(scores=[number("dead", [None, None]), number("rouge1", [0.5])])
    data = json.loads(result_json(result))
    assert [r["evaluation_name"] for r in data["evaluation_results"]] == ["rouge1"]
    again = read_result(result_json(result), "here").score("dead")
    assert (again.value, again.n, again.missing) == (None, 0, 2)
    assert again.reason.startswith("no row has a value")


@pytest.mark.parametrize(
    ("old", "new"),
    [('"score": 0.5', '"score": 0.9'), ('"ada"', '"eve"'), ('"tier": "re-sc', '"tier": "re-ge')],
)
def test_a_record_that_was_edited_is_refused(old, new):
    text = result_json(record(values={"rouge1": [0.5, 0.5]})[0])
    edited = text.replace(old, new).replace("re-geored", "re-generated")
    assert edited != text
    with pytest.raises(UserError, match="not that of the record"):
        read_result(edited, "here")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"date": "2026-02-31"}, "is no day"),
        ({"date": "yesterday"}, "evaluation_timestamp"),
        ({"tier": "best"}, "tier"),
        ({"version": "../1"}, "benchmark_version"),
        ({"version": ""}, "benchmark_version"),
        ({"submitter": "a\nb"}, "submitter"),
        ({"submitter": "\ud800"}, "half a character"),
        ({"split": "te-st"}, "split"),
        ({"recipe": "x"}, "recipe_fingerprint"),
    ],
)
def test_what_no_record_may_hold_is_refused_before_it_is_kept(changes, said):
    result, _ = record()
    with pytest.raises(UserError, match=said):
        result_json(replace(result, **changes))


def test_json_that_is_no_record_is_refused():
    for text in ("", "[", '{"a": 1, "a": 2}', '{"a": NaN}', "[" * 100_000, "{}"):
        with pytest.raises(UserError):
            read_result(text, "here")


def test_the_id_is_of_the_evaluation_and_of_no_day():
    result, _ = record()
    assert replace(result, date="2027-01-01", toolkit="9").record_id == result.record_id
    assert replace(result, supersedes="0" * 20).record_id == result.record_id
    for changes in ({"submitter": "eve"}, {"prompt": "B"}, {"recipe": "c" * 64}):
        assert replace(result, **changes).record_id != result.record_id


@given(words, words)
def test_two_models_never_share_a_folder(one, other):
    if one != other:
        assert model_folder(one).casefold() != model_folder(other).casefold()
    assert "/" not in model_folder(one)
    assert model_folder(one)[0].isalnum()


def test_names_that_lead_elsewhere_stay_inside():
    for name in ("../../etc", ".hidden", "a/b", HOSTILE, "CON", "x" * 300):
        result, _ = record(ModelUse(name=name, title="t"))
        parts = record_path(result).split("/")
        assert parts[:2] == ["results", "1.0"]
        assert len(parts) == 4
        assert not any(part.startswith(".") for part in parts)


def test_a_withdrawal_is_read_as_it_was_written():
    withdrawal = Withdrawal(record="0" * 20, reason=HOSTILE, by="ada", date="2026-01-06")
    assert read_withdrawal(withdrawal_json(withdrawal), "here") == withdrawal
    with pytest.raises(UserError, match="reason"):
        withdrawal_json(replace(withdrawal, reason=""))
