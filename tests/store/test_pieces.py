import json

import pyarrow as pa
import pytest

from toolkit.store.pieces import all_shards, ensure_piece, find_piece

ROWS = pa.table({"item_id": ["a", "b"], "value": [1.0, None]})


def write(writer):
    writer.table("scores", ROWS)
    writer.table("rejects", ROWS.slice(0, 0))
    writer.text("note", "hello\n", ".txt")
    return {"n": 2}


def test_a_finished_piece_is_never_made_again(tmp_path):
    calls = []

    def make(writer):
        calls.append(1)
        return write(writer)

    first = ensure_piece(tmp_path, "00000", make)
    assert ensure_piece(tmp_path, "00000", make) == first
    assert calls == [1]
    assert first.facts == {"n": 2}


def test_an_empty_table_leaves_no_file(tmp_path):
    piece = ensure_piece(tmp_path, "00000", write)
    assert [shard.table for shard in piece.shards] == ["scores", "note"]
    assert not list(tmp_path.glob("rejects*"))


def test_bytes_do_not_depend_on_when_they_were_written(tmp_path):
    one = ensure_piece(tmp_path / "one", "00000", write)
    two = ensure_piece(tmp_path / "two", "00000", write)
    assert one == two


@pytest.mark.parametrize("damage", ["flip", "truncate", "remove", "facts", "list", "note"])
def test_a_damaged_piece_is_made_again(tmp_path, damage):
    piece = ensure_piece(tmp_path, "00000", write)
    file = tmp_path / piece.shards[0].name
    if damage == "flip":
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    elif damage == "truncate":
        file.write_bytes(file.read_bytes()[:-7])
    elif damage == "remove":
        file.unlink()
    elif damage == "facts":
        note = tmp_path / "pieces" / "00000.json"
        note.write_text(note.read_text().replace('"n": 2', '"n": 3'))
    else:
        text = "[]" if damage == "list" else '{"key": '
        (tmp_path / "pieces" / "00000.json").write_text(text)
    assert find_piece(tmp_path, "00000") is None
    assert ensure_piece(tmp_path, "00000", write) == piece
    assert find_piece(tmp_path, "00000") == piece


def test_a_failure_leaves_nothing_that_looks_finished(tmp_path):
    def fails(writer):
        writer.table("scores", ROWS)
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        ensure_piece(tmp_path, "00000", fails)
    assert find_piece(tmp_path, "00000") is None
    assert not list(tmp_path.rglob("*.tmp"))


def test_facts_are_strict_json(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        ensure_piece(tmp_path, "00000", lambda writer: {"mean": float("nan")})


def test_facts_are_the_same_for_who_made_the_piece_and_who_finds_it(tmp_path):
    made = ensure_piece(tmp_path, "00000", lambda writer: {"pair": (1, 2), "years": {10: 1, 9: 2}})
    assert made == find_piece(tmp_path, "00000")
    assert made.facts == {"pair": [1, 2], "years": {"10": 1, "9": 2}}


def test_shards_come_by_table_and_then_by_piece(tmp_path):
    pieces = [ensure_piece(tmp_path, f"{k:05d}", write) for k in (1, 0)]
    names = [shard.name for shard in all_shards(pieces)]
    assert names == sorted(names)
    assert json.loads((tmp_path / "pieces" / "00001.json").read_text())["key"] == "00001"
