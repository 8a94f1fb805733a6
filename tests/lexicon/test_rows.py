"""Small tables in four formats, every fault with its line."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lexicon_data import write

from toolkit.errors import UserError
from toolkit.lexicon.rows import read_rows, require_columns


def test_four_formats_give_the_same_rows(tmp_path):
    pq.write_table(pa.table({"a": ["1"], "b": ["x, y"]}), tmp_path / "t.parquet")
    write(tmp_path, 'a,b\n1,"x, y"\n', "t.csv")
    write(tmp_path, "a\tb\n1\tx, y\n", "t.tsv")
    write(tmp_path, '\n{"a": "1", "b": "x, y"}\n', "t.jsonl")
    for name, line in (("t.parquet", 1), ("t.csv", 2), ("t.tsv", 2), ("t.jsonl", 2)):
        (row,) = read_rows(tmp_path / name)
        assert (row.line, row.values) == (line, {"a": "1", "b": "x, y"}), name


def test_lines_are_counted_over_cells_with_line_ends(tmp_path):
    rows = read_rows(write(tmp_path, 'a,b\n"one\ntwo",x\n\n3,y\n'))
    assert [row.line for row in rows] == [2, 5]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.csv", "a,b\n1\n", ":2: 1 values, but 2 columns"),
        ("t.csv", "a,a\n1,2\n", ":1: columns without a name or with the same: 'a'"),
        ("t.csv", 'a,b\n1,"x\n', "unexpected end of data"),
        ("t.jsonl", '{"a": 1}\n[2]\n', ":2: not a JSON object"),
        ("t.jsonl", '{"a": 1}\n{\n', ":2: not JSON"),
    ],
)
def test_a_damaged_line_is_named(tmp_path, name, text, said):
    with pytest.raises(UserError) as caught:
        read_rows(write(tmp_path, text, name))
    assert said in caught.value.message


def test_a_missing_file_and_missing_columns(tmp_path):
    with pytest.raises(UserError, match="No such file"):
        read_rows(tmp_path / "none.csv")
    file = write(tmp_path, "term,b\nx,y\n")
    with pytest.raises(UserError, match="'trem', 'c'"):
        require_columns(read_rows(file), ["trem", "b", "c"], file)
