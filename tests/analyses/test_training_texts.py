import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from toolkit.analyses.training_texts import training_texts
from toolkit.errors import SourceError


def read(*files, column="text", unit="line"):
    return [tuple(text) for text in training_texts([str(file) for file in files], column, unit)]


def test_jsonl_plain_and_packed(tmp_path):
    lines = "\n".join(json.dumps({"text": text}) for text in ("one", None, "two — é"))
    (tmp_path / "a.jsonl").write_text(lines + "\n\n", encoding="utf-8")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    assert read(tmp_path / "*.jsonl*") == [
        (name, position, text)
        for name in ("a.jsonl", "b.jsonl.gz")
        for position, text in ((0, "one"), (2, "two — é"))
    ]


def test_parquet_reads_the_column(tmp_path):
    table = pa.table({"body": ["one", None, "two"], "other": [1, 2, 3]})
    pq.write_table(table, tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet", column="body") == [
        ("a.parquet", 0, "one"),
        ("a.parquet", 2, "two"),
    ]
    with pytest.raises(SourceError, match="no column 'text'") as caught:
        read(tmp_path / "a.parquet")
    assert "body, other" in caught.value.hint


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("line", [(0, "a"), (1, "b"), (4, "c")]),
        ("paragraph", [(0, "a\nb"), (1, "c")]),
        ("file", [(0, "a\nb\n\n \nc")]),
    ],
)
def test_units_of_a_text_file(tmp_path, unit, expected):
    (tmp_path / "a.txt").write_bytes(
        b"\xef\xbb\xbfa\r\nb\r\n\n \nc" if unit != "line" else b"a\nb\n\n \nc"
    )
    found = read(tmp_path / "a.txt", unit=unit)
    assert [(position, text) for _, position, text in found] == expected


def test_lines_longer_than_a_block(tmp_path):
    long = "word " * 300_000
    (tmp_path / "a.txt").write_text(f"{long}\nshort\n", encoding="utf-8")
    assert [text for _, _, text in read(tmp_path / "a.txt")] == [long, "short"]


def test_faults_name_file_and_line(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "x"}\n{"text": \n', encoding="utf-8")
    with pytest.raises(SourceError, match=r"a\.jsonl:2: not JSON"):
        read(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").write_text('{"body": "x"}\n', encoding="utf-8")
    with pytest.raises(SourceError, match=r"b\.jsonl:1: no column 'text'"):
        read(tmp_path / "b.jsonl")
    (tmp_path / "c.txt").write_bytes(b"fine\nbro\xffken\n")
    with pytest.raises(SourceError, match=r"c\.txt:2: not UTF-8: byte 4"):
        read(tmp_path / "c.txt")
    (tmp_path / "d.parquet").write_bytes(b"nothing")
    with pytest.raises(SourceError, match="not a sound Parquet file"):
        read(tmp_path / "d.parquet")
    with pytest.raises(SourceError, match="matches no file"):
        read(tmp_path / "*.none")
