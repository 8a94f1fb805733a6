from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.corpus.jsonl import Jsonl
from toolkit.corpus.source import Source, dropped, surviving
from toolkit.errors import SourceError


def build(
    folder: Path, **params: Any
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], pa.Schema]:
    params.setdefault("files", ("*.jsonl*",))
    source = Jsonl(Jsonl.Params(**params), folder)
    schema = source.schema()
    results = [source.read(part, folder / "out" / part.name, schema) for part in source.parts()]
    drops = source.merge(results)
    items, rejects = [], []
    for result in results:
        for batch in surviving(result, drops.get(result.part)):
            assert batch.schema == schema
            items += batch.to_pylist()
        rejects += pa.parquet.read_table(result.rejects).to_pylist()
        rejects += dropped(result, drops.get(result.part)).to_pylist()
    assert len(items) + len(rejects) == sum(r.rows + r.rejected for r in results)
    return items, rejects, schema


def write(path: Path, *rows: Mapping[str, Any] | str) -> None:
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_it_is_a_source(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"id": 1})
    source = Jsonl(Jsonl.Params(files=("a.jsonl",)), tmp_path)
    assert isinstance(source, Source)
    assert source.resolve(tmp_path, {}) is source
    assert (source.facts(), source.inputs()) == ({}, ())


def test_types_fit_all_lines_of_all_files(tmp_path: Path) -> None:
    write(
        tmp_path / "b.jsonl",
        {"id": "x", "n": 1, "score": 2, "ok": None, "tags": [], "text": "ä"},
        "",
        {"id": 7, "n": None, "score": 0.5, "ok": True, "tags": ["a", "b"], "rest": None},
    )
    with gzip.open(tmp_path / "a.jsonl.gz", "wb") as handle:
        handle.write(b'\xef\xbb\xbf{"id": "y", "n": 3}\n')
    items, rejects, schema = build(tmp_path)
    assert rejects == []
    assert {field.name: str(field.type) for field in schema} == {
        "item_id": "string",
        "n": "int64",
        "ok": "bool",
        "rest": "string",
        "score": "double",
        "tags": "list<item: string>",
        "text": "string",
    }
    assert [item["item_id"] for item in items] == ["y", "x", "7"]
    assert items[1]["score"] == 2.0
    assert items[2]["tags"] == ["a", "b"]
    assert items[0]["text"] is None


def test_fields_choose_and_rename(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"key": "1", "q": "why", "nested": "no"})
    items, _, _ = build(tmp_path, id="key", fields={"question": "q"})
    assert items == [{"item_id": "1", "question": "why"}]
    with pytest.raises(SourceError, match="'qu'") as caught:
        build(tmp_path, id="key", fields={"question": "qu"})
    assert "did you mean 'q'" in caught.value.hint
    with pytest.raises(SourceError, match="'id'"):
        build(tmp_path)


def test_a_second_item_id_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"id": "1", "item_id": "2"})
    with pytest.raises(SourceError, match="item_id"):
        build(tmp_path)
    assert build(tmp_path, id="item_id")[0] == [{"item_id": "2", "id": "1"}]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"id": 1, "id": 2}', "a key stands twice"),
        ('{"id": "2", "n": NaN}', "NaN"),
        ('{"id": "2", "n": -Infinity}', "-Infinity"),
        ("[" * 100_000, "not JSON"),
        (b'{"id": "2", "t": "\xe4"}', "not UTF-8"),
        (b"\x00\x00", "not JSON"),
    ],
)
def test_a_malformed_line_stops_by_file_and_line_or_is_rejected(
    tmp_path: Path, line: str | bytes, words: str
) -> None:
    raw = line if isinstance(line, bytes) else line.encode()
    (tmp_path / "a.jsonl").write_bytes(b'{"id": "1", "n": 1.5}\n' + raw + b'\n{"id": "3"}\n')
    with pytest.raises(SourceError, match=r"a\.jsonl:2") as caught:
        build(tmp_path)
    assert words in caught.value.message
    items, rejects, _ = build(tmp_path, on_bad_row="reject")
    assert [item["item_id"] for item in items] == ["1", "3"]
    assert [(r["reason"], r["position"], r["source_file"]) for r in rejects] == [
        ("malformed_line", 1, "a.jsonl")
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"n": 1.0}, "missing_id"),
        ({"id": " ", "n": 1.0}, "missing_id"),
        ('{"id": "2", "n": 1e999}', "not_finite"),
        ('{"id": "2", "t": "\\ud800"}', "bad_text"),
        ('{"id": "\\ud800"}', "bad_text"),
        ({"id": "1", "n": 2.0}, "duplicate_id"),
    ],
)
def test_a_bad_row_stops_or_is_rejected(tmp_path: Path, row: Any, reason: str) -> None:
    write(tmp_path / "a.jsonl", {"id": "1", "n": 0.5, "t": "x"}, row)
    with pytest.raises(SourceError):
        build(tmp_path)
    items, rejects, _ = build(tmp_path, on_bad_row="reject")
    assert [item["item_id"] for item in items] == ["1"]
    assert [r["reason"] for r in rejects] == [reason]


@pytest.mark.parametrize(
    ("first", "second"),
    [("1", 2), (1, True), ([], "x"), (["a"], [1]), ({"a": 1}, None), (2**63, 1)],
)
def test_mixed_and_nested_values_are_refused_with_file_and_line(
    tmp_path: Path, first: Any, second: Any
) -> None:
    write(tmp_path / "a.jsonl", {"id": "1", "v": first}, {"id": "2", "v": second})
    with pytest.raises(SourceError, match=r"a\.jsonl:[12]: 'v'"):
        build(tmp_path, on_bad_row="reject")


def test_damaged_gzip_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(b'{"id": "%d"}\n' % n for n in range(20_000)))
    out = tmp_path / "out"
    for damaged in (whole[: len(whole) // 2], whole[:-8] + b"\x00" * 8, whole + b"junk"):
        (tmp_path / "a.jsonl.gz").write_bytes(damaged)
        source = Jsonl(Jsonl.Params(files=("a.jsonl.gz",)), tmp_path)
        schema = pa.schema([("item_id", pa.string())])
        with pytest.raises(SourceError, match=r"a\.jsonl\.gz"):
            source.read(source.parts()[0], out, schema)
        assert not out.exists() or list(out.iterdir()) == []


def test_all_missing_and_empty_files_are_listed_at_once(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    source = Jsonl(Jsonl.Params(files=("no/*.jsonl", "gone.jsonl", "empty.jsonl")), tmp_path)
    with pytest.raises(SourceError) as caught:
        source.parts()
    assert all(name in caught.value.message for name in ("no/*.jsonl", "gone.jsonl", "empty.jsonl"))


def test_namesakes_are_refused_and_order_does_not_matter(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        write(tmp_path / name / f"{name}.jsonl", {"id": name})
    one = Jsonl(Jsonl.Params(files=("b/*.jsonl", "a/a.jsonl", "*/a.jsonl")), tmp_path).parts()
    two = Jsonl(Jsonl.Params(files=("**/*.jsonl",)), tmp_path).parts()
    assert one == two
    assert [part.name for part in one] == ["a.jsonl", "b.jsonl"]
    write(tmp_path / "b" / "a.jsonl", {"id": "1"})
    with pytest.raises(SourceError, match=r"two files are called 'a\.jsonl'"):
        Jsonl(Jsonl.Params(files=("**/*.jsonl",)), tmp_path).parts()


def test_a_file_without_objects_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n\n", encoding="utf-8")
    with pytest.raises(SourceError, match="no line"):
        build(tmp_path)


VALUES = st.one_of(st.none(), st.text(max_size=5).filter(lambda t: t.isprintable()))
ROWS = st.lists(
    st.fixed_dictionaries({"a": VALUES, "n": st.one_of(st.none(), st.integers(-9, 9))}), min_size=1
)


@settings(max_examples=30, deadline=None)
@given(rows=ROWS)
def test_what_goes_in_comes_out(rows: list[dict[str, Any]], tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("rows")
    write(folder / "a.jsonl", *({"id": n, **row} for n, row in enumerate(rows)))
    items, rejects, _ = build(folder)
    assert items == [{"item_id": str(n), **row} for n, row in enumerate(rows)]
    assert rejects == []
