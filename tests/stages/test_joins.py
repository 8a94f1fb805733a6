"""Tables that a recipe joins: every row by its key, or the line that is wrong."""

import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import SourceError
from toolkit.recipe.sections import Join
from toolkit.stages.joins import load_joins


def load(file, on="key"):
    (table,) = load_joins([Join(file=str(file), on=on)])
    return table


def write(folder, name, text):
    file = folder / name
    file.write_bytes(text.encode("utf-8"))
    return file


ODD = "one\ntwo\r\nthree\u2028four\x85five, 'six' \"seven\""


def test_csv_values_may_hold_line_ends_and_quotes(tmp_path):
    file = tmp_path / "more.csv"
    with file.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows([["key", "text", "other"], ["a", ODD, ""], ["b", "x", "y"]])
    table = load(file)
    assert table.columns == ("text", "other")
    assert table.rows == {"a": (ODD, ""), "b": ("x", "y")}


def test_jsonl_values_may_hold_line_separators(tmp_path):
    rows = [{"key": "a", "text": ODD}, {"key": 2, "text": None}]
    text = "\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    assert load(write(tmp_path, "more.jsonl", text)).rows == {"a": (ODD,), "2": (None,)}


@given(values=st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=4))
def test_what_was_written_is_read(tmp_path_factory, values):
    folder = tmp_path_factory.mktemp("joins")
    rows = [[f"k{n}", value] for n, value in enumerate(values)]
    with (folder / "a.csv").open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle, quoting=csv.QUOTE_ALL).writerows([["key", "text"], *rows])
    lines = [json.dumps({"key": k, "text": v}, ensure_ascii=False) for k, v in rows]
    jsonl = write(folder, "a.jsonl", "\n".join(lines))
    expected = {key: (value,) for key, value in rows}
    assert load(folder / "a.csv").rows == load(jsonl).rows == expected


def test_columns_are_those_of_all_rows(tmp_path):
    text = '{"key": "a"}\n\n{"key": "b", "late": 1}\n{"later": 2, "key": "c"}\n'
    table = load(write(tmp_path, "more.jsonl", text))
    assert table.columns == ("late", "later")
    assert table.rows == {"a": (None, None), "b": ("1", None), "c": (None, "2")}


def test_parquet_rows_are_found_too(tmp_path):
    pq.write_table(pa.table({"key": [1, 2], "x": ["a", None]}), tmp_path / "more.parquet")
    assert load(tmp_path / "more.parquet").rows == {"1": ("a",), "2": (None,)}
    pq.write_table(pa.table({"key": [1, None], "x": ["a", "b"]}), tmp_path / "more.parquet")
    with pytest.raises(SourceError, match="row 2: the key 'key' is missing"):
        load(tmp_path / "more.parquet")


BAD = {
    "more values": ("m.csv", "key,x\na,1\n\nb,1,2\n", "m.csv:4: 3 values, but the header names 2"),
    "fewer values": ("m.csv", 'key,x\n"a\nb",1\nc\n', "m.csv:4: 1 values"),
    "an open quote": ("m.csv", 'key,x\na,1\nb,"2\nc,3\n', "m.csv:3: unexpected end of data"),
    "a column twice": ("m.csv", "key,x,x\na,1,2\n", "m.csv:1: two columns are called 'x'"),
    "a nameless column": ("m.csv", "key,x,\na,1,2\n", "m.csv:1: a column has no name"),
    "a key twice": ("m.csv", 'key,x\n"a",1\n\na,2\n', "m.csv:4: the key 'a' is repeated"),
    "no key": ("m.csv", "id,x\na,1\n", "no rows with a column 'key'"),
    "nothing": ("m.csv", "", "no rows with a column 'key'"),
    "a list": ("m.jsonl", '{"key": 1}\n[1]\n', "m.jsonl:2: not a JSON object"),
    "half a line": ("m.jsonl", '{"key": 1}\n{"key":\n', "m.jsonl:2: not JSON"),
    "a row without key": ("m.jsonl", '{"key": 1}\n{"x": 1}\n', "m.jsonl:2: the key 'key' is miss"),
    "a null key": ("m.jsonl", '{"key": null, "x": 1}\n', "m.jsonl:1: the key 'key' is missing"),
}


@pytest.mark.parametrize(("name", "text", "reason"), BAD.values(), ids=list(BAD))
def test_a_bad_row_is_named_by_its_line(tmp_path, name, text, reason):
    with pytest.raises(SourceError) as caught:
        load(write(tmp_path, name, text))
    assert reason in caught.value.message
    assert str(tmp_path) in caught.value.message


def test_other_encodings_and_missing_files_are_refused(tmp_path):
    (tmp_path / "m.csv").write_bytes("key,x\na,é\n".encode("latin-1"))
    for name in ("m.csv", "absent.csv"):
        with pytest.raises(SourceError, match=name):
            load(tmp_path / name)
