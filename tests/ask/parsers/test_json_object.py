import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.ask.parser import make_parser, parse_answer
from toolkit.models.base import Answer
from toolkit.store.canonical import canonical_json

SCHEMA = {
    "type": "object",
    "required": ["score"],
    "properties": {
        "score": {"type": "number", "minimum": 1, "maximum": 5},
        "reason": {"type": "string"},
    },
}
SCORE = make_parser({"json": {"schema": SCHEMA}})
CLAIMS = make_parser({"json": {"schema": {"type": "array", "items": {"type": "string"}}}})


@pytest.mark.parametrize(
    ("text", "status", "value"),
    [
        ('{"score": 3}', "ok", {"score": 3}),
        ('\n {"score": 4.5}\n', "ok", {"score": 4.5}),
        ('```json\n{"score": 4}\n```', "repaired", {"score": 4}),
        ('```\n{"score": 4}\n```', "repaired", {"score": 4}),
        ('Here it is: {"score": 4}. Good luck!', "repaired", {"score": 4}),
        ('Here:\n```json\n{"score": 4}\n```\nBye.', "repaired", {"score": 4}),
        ('\ufeff{"score": 4}', "repaired", {"score": 4}),
        ('The set {a, b} [see {"score": 2}]', "repaired", {"score": 2}),
        ('Form: {"score": <int>}. Mine: {"score": 2}', "repaired", {"score": 2}),
        ('[1] says so: {"score": 2}', "repaired", {"score": 2}),
    ],
)
def test_forms_of_a_reply(text, status, value):
    read = SCORE.read(text)
    assert (read.status, read.value) == (status, value)
    assert read.answer == canonical_json(value)
    assert (read.reason == "") == (status == "ok")


def test_the_last_valid_object_is_taken_and_said_to_be():
    planted = 'The answer contains {"score": 5} but that is wrong.\n{"score": 1}'
    read = SCORE.read(planted)
    assert (read.status, read.value) == ("repaired", {"score": 1})
    assert read.reason == "multiple_json: 2 objects, the last valid one was taken"
    # One that breaks the schema is none.
    assert SCORE.read('{"score": 2} is out of {"most": 5}').value == {"score": 2}
    assert SCORE.read('{"score": 1}{"score": 2}').value == {"score": 2}


def test_strings_stay_byte_identical():
    assert SCORE.read('{"reason": "list is (1, 2,] ok", "score": 3}').value == {
        "reason": "list is (1, 2,] ok",
        "score": 3,
    }
    fenced = 'see ```json\n{"score": 5}\n``` and <think> too'
    for wrapped in ("{}", "Here: {} .", "```json\n{}\n```"):
        reply = wrapped.replace("{}", json.dumps({"reason": fenced, "score": 3}))
        read = SCORE.read(reply)
        assert read.value == {"reason": fenced, "score": 3}
        assert (read.status == "ok") == (wrapped == "{}")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"score": NaN}', "NaN is not JSON"),
        ('{"score": -Infinity}', "-Infinity is not JSON"),
        ('{"score": 1e999}', "the number 1e999 is too large"),
        ('{"score": ' + "9" * 5000 + "}", "is too large"),
        ('{"score": "4/5"}', "'score': '4/5' is not of type 'number'"),
        ('{"score": 4/5}', "it is no JSON"),
        ('{"score": true}', "'score': True is not of type 'number'"),
        ('{"score": null}', "'score': None is not of type 'number'"),
        ('{"score": 7}', "'score': 7 is greater than the maximum of 5"),
        ('{"score": 0.99}', "'score': 0.99 is less than the minimum of 1"),
        ('{"scor": 3}', "'score' is a required property"),
        ('{"score": 2, "score": 3}', "the key 'score' stands twice in one object"),
        ('{"score": 2, "reason": "\\ud800"}', "half of a surrogate pair"),
        ('[{"score": 3}]', "is not of type 'object'"),
        ("3", "3 is not of type 'object'"),
        ("{'score': 3}", "it is no JSON: expecting property name"),
        ('{"score": 3,}', "it is no JSON"),
        ("Score: 3", "it is no JSON: expecting value at 'Score: 3'"),
        ("", "the answer is empty"),
        (" \n", "the answer is empty"),
        ('{"score": 4, "reason": "the summ', "an object or list is never closed"),
        # A cut one after a whole one: which is the last is not known.
        ('{"score": 4} or rather {"score": 2, "reas', "an object or list is never closed"),
    ],
)
def test_what_is_no_answer_and_why(text, fault):
    read = SCORE.read(text)
    assert (read.status, read.answer, read.value) == ("invalid", None, None)
    assert fault in read.reason


@pytest.mark.parametrize(
    "text",
    [
        '{"draft": {"score": 5}, "final": NaN}',
        '{"final": {"score": 5}, "final": {"score": 1}}',
        '{"draft": {"score": 5}, "final": {"score": ',
        '{"all": [{"score": 5}]}',
        '[{"score": 5}, oops]',
        '["\\ud800", {"score": 5}]',
    ],
)
def test_a_part_of_an_object_is_no_answer(text):
    assert SCORE.read(text).status == "invalid"


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 1} <think>or {"score": 5}?</think>',
        'So: {"score": 1}\n<think>but maybe {"score": 5}',
        'So [THINK]{"score": 5}[/THINK] {"score": 1}',
        '{"reason": "a <think> mark", "score": 1}',
        'So {"reason": "a <think> mark", "score": 1} and [THINK]{"score": 5}[/THINK]',
    ],
)
def test_no_object_is_taken_out_of_reasoning_further_on(text):
    assert SCORE.read(text).value["score"] == 1


def test_lists_where_the_schema_says_so():
    assert CLAIMS.read('["a", "b"]').value == ["a", "b"]
    assert CLAIMS.read("[]").answer == "[]"
    assert CLAIMS.read('The claims [1]:\n["a"]').value == ["a"]
    assert CLAIMS.read('{"claims": ["a"]}').status == "invalid"
    quoted = parse_answer(Answer("ok", answer='["it says </think>[] here"]'), CLAIMS)
    assert quoted.parsed == '["it says </think>[] here"]'


def test_faults_are_few_and_short_enough_to_send_back():
    wrong = SCORE.read(
        '{"reason": ' + json.dumps([1] * 10_000) + ', "score": "' + "x" * 9999 + '"}'
    )
    assert wrong.status == "invalid"
    assert "is not of type 'number'" in wrong.reason
    assert "is not of type 'string'" in wrong.reason
    assert len(wrong.reason) < 700
    many = CLAIMS.read(json.dumps(list(range(1000))))
    assert "'0': 0 is not of type 'string'" in many.reason
    assert many.reason.endswith("and at least 47 more")


def test_faults_do_not_depend_on_the_order_of_a_schemas_keys():
    other = {key: SCHEMA[key] for key in reversed(SCHEMA)}
    other["properties"] = {key: SCHEMA["properties"][key] for key in ("reason", "score")}
    wrong = '{"reason": 1, "score": 9}'
    assert make_parser({"json": {"schema": other}}).read(wrong) == SCORE.read(wrong)


def test_the_schema_that_servers_are_asked_for():
    given = {"type": "object", "required": ["a"]}
    assert make_parser("json").schema == {"type": "object"}
    assert make_parser("json", schema=given).schema == given
    assert make_parser({"json": {"schema": SCHEMA}}, schema=given).schema == SCHEMA
    assert make_parser("json", schema=given).read("{}").status == "invalid"


def test_it_travels_to_another_process():
    SCORE.read('{"score": 3}')
    there = pickle.loads(pickle.dumps(SCORE))
    assert there.read('{"score": 3}').value == {"score": 3}
    assert there.schema == SCHEMA


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
OBJECTS = st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), JSON, max_size=4)


@given(OBJECTS, st.booleans(), st.sampled_from([None, 2]))
def test_any_object_comes_back_as_it_is(value, ascii_only, indent):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    parser = make_parser("json")
    read = parser.read(text)
    assert (read.status, read.answer) == ("ok", canonical_json(value))
    for wrapped in (f"```json\n{text}\n```", f"Here you are:\n{text}\nthat is all"):
        again = parser.read(wrapped)
        assert (again.status, again.answer) == ("repaired", canonical_json(value))


@given(OBJECTS, st.data())
def test_no_beginning_of_an_object_is_an_answer(value, data):
    text = json.dumps(value)
    cut = data.draw(st.integers(0, len(text) - 1))
    assert make_parser("json").read(text[:cut]).status == "invalid"


@given(st.text(alphabet='{}[]",:1a\\ \n`<>/think', max_size=60))
def test_every_text_is_read_without_an_error(text):
    for parser in (SCORE, CLAIMS, make_parser("json")):
        read = parser.read(text)
        assert (read.answer is None) == (read.status == "invalid") == bool(read.value is None)


LONG = ["{", "[", '{"', '{"a"}', "[]", '{"a":"<think>"}', '{"score":3} ', "{ ", '"', '{"a":"\\']


@pytest.mark.parametrize("piece", LONG)
def test_long_replies_are_read_in_linear_time(piece):
    """A megabyte within pytest's timeout; anything quadratic would take hours."""
    for before in ("", "x "):
        read = SCORE.read(before + piece * (1_000_000 // len(piece)))
        assert read.status == "invalid"


def test_long_nests_and_long_objects():
    deep = "[" * 500_000 + "]" * 500_000
    assert SCORE.read(deep).reason == "it is nested more than 100 deep"
    wide = {f"key {number}": number for number in range(60_000)} | {"score": 3}
    assert SCORE.read(f"x {json.dumps(wide)}").status == "repaired"
    hundred = "[" * 100 + "]" * 100
    assert make_parser({"json": {"schema": {"type": "array"}}}).read(hundred).status == "ok"
