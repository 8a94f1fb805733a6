"""YAML without its surprises: every trap is read as written or refused with its line."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import RecipeError
from toolkit.recipe.strict_yaml import load_yaml, parse_value


def refused(text: str) -> tuple[int, str]:
    with pytest.raises(RecipeError) as caught:
        load_yaml(text, "r.yaml")
    (fault,) = caught.value.faults
    assert fault.file == "r.yaml"
    assert fault.column >= 1
    return fault.line, fault.reason


READ = {
    "the words of YAML 1.1 are text": (
        "[no, yes, on, off, y, n]",
        ["no", "yes", "on", "off", "y", "n"],
    ),
    "and so they are as keys": ("{on: 1, no: 2}", {"on": 1, "no": 2}),
    "truth is spelled out": ("[true, False, TRUE]", [True, False, True]),
    "clock times are text": ("12:30:00", "12:30:00"),
    "no base 60": ("190:20:30", "190:20:30"),
    "exponents make numbers": ("[1e3, 1e-5, 1.0e5, -2E+3]", [1e3, 1e-5, 1e5, -2e3]),
    "underscores make text": ("1_000", "1_000"),
    "a version is a number": ("3.10", 3.1),
    "quotes make text": ("['0755', \"2024-01-02\", 'no', '1']", ["0755", "2024-01-02", "no", "1"]),
    "equals is text": ("=", "="),
    "binary is text": ("0b101", "0b101"),
    "octal as YAML 1.2 writes it": ("0o17", 15),
    "hexadecimal": ("0x1F", 31),
    "points at the ends": ("[.5, 5.]", [0.5, 5.0]),
    "words for no number are text": ("[nan, inf, NaN]", ["nan", "inf", "NaN"]),
    "null": ("[null, ~, Null, ]", [None, None, None]),
    "zero": ("[0, -0, 0.0]", [0, 0, 0.0]),
    "braces are a mapping": ("{abstract}", {"abstract": None}),
    "a directive changes nothing": ("%YAML 1.1\n---\nno", "no"),
    "nothing": ("# only a comment\n", None),
}


@pytest.mark.parametrize("case", READ)
def test_values_are_read_as_written(case):
    text, expected = READ[case]
    read = load_yaml(text, "r.yaml").data
    assert read == expected
    assert repr(read) == repr(expected)


REFUSED = {
    "an octal of YAML 1.1": ("a: 1\nb: 0755", 2, "leading zero"),
    "an id with zeros": ("pmid: 0012345", 1, "leading zero"),
    "a negative one": ("a: -012", 1, "leading zero"),
    "a digit no octal has": ("a: 08", 1, "leading zero"),
    "a date": ("a: 1\nb: 2024-01-02", 2, 'in quotes: "2024-01-02"'),
    "a date with a time": ("a: 2024-01-02T10:00:00Z", 1, "looks like a date"),
    "not a number": ("a: .nan", 1, "not a usable number"),
    "infinity": ("a: -.inf", 1, "not a usable number"),
    "infinity in capitals": ("a: .INF", 1, "not a usable number"),
    "a number that overflows": ("a: 1e999", 1, "not a usable number"),
    "a number beyond 64 bits": ("a: 9223372036854775808", 1, "64 bits"),
    "a number of 5,000 digits": ("a: " + "9" * 5000, 1, "64 bits"),
    "a key twice": ("a: 1\nb: 2\na: 3", 3, "duplicate key 'a', first written in line 1"),
    "a key twice, once in quotes": ("a: 1\n'a': 2", 2, "duplicate key 'a'"),
    "a key twice further in": (
        "a:\n  b: 1\n  b: 2",
        3,
        "duplicate key 'b', first written in line 2",
    ),
    "a number as a key": ("1: a", 1, "key '1' is not text"),
    "truth as a key": ("true: a", 1, "key 'true' is not text"),
    "null as a key": ("~: a", 1, "not text"),
    "a list as a key": ("[a, b]: 1", 1, "not text"),
    "a mapping as a key": ("? {a: 1}\n: 2", 1, "not text"),
    "Python's tags": ("a: !!python/object/apply:os.system ['true']", 1, "not allowed"),
    "tags of one's own": ("a: !env HOME", 1, "'!env' is not allowed"),
    "tags of YAML": ("a: !!str 5", 1, "not allowed"),
    "a tag on everything": ("!!map {a: 1}", 1, "not allowed"),
    "a tab that indents": ("a:\n\tb: 1", 2, "tab"),
    "a tab between": ("a:\tb", 1, "tab"),
    "a NUL": ("a: 1\nb: 'x\0y'", 2, "U+0000"),
    "a NUL written as an escape": ('a: "x\\0y"', 1, "NUL"),
    "a control character": ("a: \x07", 1, "U+0007"),
    "half a surrogate": ("a: \ud800", 1, "U+D800"),
    "colons": ("prompt: a: b", 1, "mapping values are not allowed"),
    "two documents": ("a: 1\n---\nb: 2", 2, "another document"),
    "an alias of nothing": ("a: *x", 1, "undefined alias"),
    "an alias of itself": ("a: &a [*a]", 1, "contains itself"),
    "a mapping that holds itself": ("a: &a {b: *a}", 1, "contains itself"),
    "merging a number": ("a: {<<: 5}", 1, "merging"),
    "a bracket left open": ("a: [1, 2", 1, "expected"),
    "deep lists": ("[" * 5000 + "]" * 5000, 1, "nested more than 40 levels"),
    "deep mappings": ("{a: " * 60 + "1" + "}" * 60, 1, "nested more than 40 levels"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_safe_reading_is_refused_with_its_line(case):
    text, line, words = REFUSED[case]
    found, reason = refused(text)
    assert words in reason
    assert found == line


def bomb(levels: int) -> str:
    names = "abcdefghijklmnop"[: levels + 1]
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"{new}: &{new} [{', '.join(['*' + old] * 6)}]" for old, new in pairwise(names)]
    return "\n".join(lines)


def test_alias_bombs_are_refused_before_they_grow():
    assert len(bomb(9)) < 600
    assert "aliases" in refused(bomb(9))[1]


def test_merge_bombs_are_refused_before_they_grow():
    lines = ["a: &a {x: 1}", "m0: &m0 {<<: [" + ", ".join(["*a"] * 7) + "]}"]
    lines += [f"m{i}: &m{i} {{<<: [{', '.join([f'*m{i - 1}'] * 7)}]}}" for i in range(1, 9)]
    assert "once aliases are expanded" in refused("\n".join(lines))[1]


def test_many_aliases_and_many_values_are_refused():
    many = "a: &a 1\n" + "".join(f"b{i}: *a\n" for i in range(100))
    assert "more than 64 aliases" in refused(many)[1]
    assert "more than 50000 values" in refused("[" + "1," * 50_001 + "]")[1]
    assert "larger than 2 MiB" in refused("# " + "x" * (2 << 20))[1]


def test_a_few_aliases_and_merges_work():
    text = "base: &b {x: 1, y: 2}\nown: {<<: *b, y: 3}\nsame: *b\nboth: {<<: [*b, {y: 9, z: 4}]}"
    document = load_yaml(text, "r.yaml")
    assert document.data == {
        "base": {"x": 1, "y": 2},
        "own": {"x": 1, "y": 3},
        "same": {"x": 1, "y": 2},
        "both": {"x": 1, "y": 2, "z": 4},
    }
    # What a mapping says itself stands there; what it merges in stands where it was written.
    assert document.keys[("own", "y")].line == 2
    assert document.keys[("own", "x")].line == 1


def test_every_value_and_key_knows_its_place():
    document = load_yaml("a: 1\nb:\n  - c: x\n  - [5, 6]\n", "dir/r.yaml")
    places = {path: (mark.line, mark.column) for path, mark in document.values.items()}
    assert places[("a",)] == (1, 4)
    assert places[("b", 0, "c")] == (3, 8)
    assert places[("b", 1, 1)] == (4, 9)
    assert (document.keys[("b", 0, "c")].line, document.keys[("b", 0, "c")].column) == (3, 5)
    assert document.values[("a",)].file == "dir/r.yaml"


def test_values_of_the_command_line_follow_the_same_rules():
    assert parse_value("no", "--set a") == "no"
    assert parse_value("[1, 2]", "--set a") == [1, 2]
    assert parse_value("", "--set a") is None
    with pytest.raises(RecipeError, match="--set a"):
        parse_value("0755", "--set a")


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        load_yaml(text, "r.yaml")
    except RecipeError as error:
        assert all(fault.line >= 1 for fault in error.faults)


WORDS = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=12)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_json_is_read_as_json(value):
    assert same(load_yaml(json.dumps(value, ensure_ascii=False), "r.yaml").data, value)


def same(read, value):
    if isinstance(value, dict):
        return read.keys() == value.keys() and all(same(read[key], value[key]) for key in value)
    if isinstance(value, list):
        return len(read) == len(value) and all(map(same, read, value))
    if isinstance(value, float):
        return isinstance(read, float) and read == value
    return read == value and type(read) is type(value)


def test_reading_a_recipe_runs_no_code(tmp_path):
    mark = tmp_path / "ran"
    text = f"a: !!python/object/apply:os.system ['touch {mark}']"
    code = (
        "import sys; from toolkit.recipe.strict_yaml import load_yaml; load_yaml(sys.argv[1], 'r')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, text], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "not allowed" in done.stderr
    assert not mark.exists()
