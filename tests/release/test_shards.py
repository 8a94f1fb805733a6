import hashlib
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from release_world import write_artifact

from toolkit.errors import StoreError
from toolkit.gate.column_types import features
from toolkit.release.columns import Table, choose_columns, release_schema
from toolkit.release.content import ColumnDigests
from toolkit.release.read_back import Block, ExpectedSplit, read_back
from toolkit.release.shards import GROUP_ROWS, ShardTask, cut, shard_name, write_shard
from toolkit.release.withheld import Withhold
from toolkit.store.workspace import Workspace

OWN = Table(pubmed=False, journals=False, grouped=False)


@given(st.integers(0, 10**7), st.integers(0, 10**13), st.integers(1, 10**6))
def test_shards_cover_every_row_once_and_none_is_empty(rows, size, most):
    if rows > most * 1000 or size > 10**12:
        most = max(most, rows // 100 + 1)
        size = size % 10**11
    ranges = cut(rows, size, most=most)
    assert [first for first, _ in ranges] == [0, *(last for _, last in ranges)][: len(ranges)]
    assert (ranges[-1][1] if ranges else 0) == rows
    lengths = [last - first for first, last in ranges]
    assert all(1 <= length <= most for length in lengths)
    assert max(lengths, default=0) - min(lengths, default=0) <= 1


def test_large_items_make_more_shards():
    assert len(cut(1000, 1)) == 1
    assert len(cut(1000, 1_000_000_000)) == 7
    assert len(cut(250_000, 1)) == 3
    assert cut(0, 5) == []


def numbered(count: int) -> pa.Table:
    return pa.table(
        {
            "item_id": [f"i{n:05d}" for n in range(count)],
            "text": [f"words {n}" if n % 7 else None for n in range(count)],
            "parts": [[{"n": n, "t": "x" * (n % 3)}] if n % 2 else [] for n in range(count)],
        }
    )


def tasks(folder, items, table, columns, ranges):
    folder.mkdir(parents=True, exist_ok=True)
    return [
        ShardTask(
            name=shard_name("default", "test", index, len(ranges)),
            key=f"test-{index:05d}",
            split="test",
            folder=folder,
            items=items,
            table=table,
            first=first,
            last=last,
            columns=columns,
            withhold=Withhold(),
        )
        for index, (first, last) in enumerate(ranges)
    ]


def test_many_shards_hold_the_rows_in_order(tmp_path):
    whole = numbered(1201)
    parts = [whole.slice(0, 500), whole.slice(500, 1), whole.slice(501)]
    items = write_artifact(Workspace(tmp_path / "w"), "corpus", {"items": parts}, {}, "open")
    columns = choose_columns(whole.schema, "full_text", OWN, sjr_rights=False)
    made = [
        write_shard(task)
        for task in tasks(tmp_path / "out", items, "items", columns, cut(1201, 1, most=100))
    ]
    names = [shard.name for piece in made for shard in piece.shards]
    assert len(names) == 13
    assert names == sorted(names)
    tables = [pq.read_table(tmp_path / "out" / name) for name in names]
    assert pa.concat_tables(tables).to_pylist() == whole.to_pylist()
    whole_digests = ColumnDigests(whole.column_names)
    whole_digests.update(whole)
    # One block over all rows is what the shards' rows say together, whatever the shards.
    read_back(
        {
            **{name: tmp_path / "out" / name for name in names},
            "README.md": write_card(tmp_path, columns, made),
        },
        [
            ExpectedSplit(
                config="default",
                split="test",
                features=features(release_schema(columns)),
                blocks=[Block(1201, whole_digests.result())],
            )
        ],
        tmp_path / "scratch",
    )


def write_card(folder, columns, made):
    from toolkit.gate.recipe import License
    from toolkit.release.front_matter import (
        ConfigInfo,
        SplitInfo,
        build_front_matter,
        yaml_text,
    )

    info = SplitInfo(
        name="test",
        rows=sum(shard.rows for piece in made for shard in piece.shards),
        num_bytes=sum(piece.facts["num_bytes"] for piece in made),
        file_bytes=sum(shard.bytes for piece in made for shard in piece.shards),
        files=len(made),
    )
    front = build_front_matter(
        pretty_name="x",
        license=License("mit"),
        languages=["en"],
        tags=[],
        configs=[
            ConfigInfo(name="default", features=features(release_schema(columns)), splits=[info])
        ],
    )
    path = folder / "card.md"
    path.write_text(yaml_text(front))
    return path


def test_bytes_do_not_depend_on_how_the_items_are_stored(tmp_path):
    whole = numbered(GROUP_ROWS + 777)
    columns = choose_columns(whole.schema, "full_text", OWN, sjr_rights=False)
    found = []
    for name, parts in {
        "one": [whole],
        "many": [whole.slice(at, 611) for at in range(0, whole.num_rows, 611)],
    }.items():
        items = write_artifact(Workspace(tmp_path / name), "corpus", {"items": parts}, {}, "open")
        (task,) = tasks(tmp_path / f"out-{name}", items, "items", columns, [(0, whole.num_rows)])
        piece = write_shard(task)
        found.append(((task.folder / task.name).read_bytes(), piece.facts))
    assert found[0] == found[1]
    metadata = pq.ParquetFile(task.folder / task.name).metadata
    groups = [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)]
    assert groups == [GROUP_ROWS, 777]


def test_long_texts_close_a_row_group_early(tmp_path):
    long = pa.table({"item_id": [str(n) for n in range(1500)], "t": ["x" * 100_000] * 1500})
    items = write_artifact(Workspace(tmp_path / "w"), "corpus", {"items": long}, {}, "open")
    columns = choose_columns(long.schema, "full_text", OWN, sjr_rights=False)
    (task,) = tasks(tmp_path / "out", items, "items", columns, [(0, 1500)])
    write_shard(task)
    metadata = pq.ParquetFile(task.folder / task.name).metadata
    assert metadata.num_row_groups == 2
    assert metadata.row_group(0).total_byte_size < 286 << 20


def test_metadata_of_a_table_of_ones_own_keeps_no_text(tmp_path):
    table = pa.table(
        {
            "item_id": ["a", "b"],
            "text": ["secret words", None],
            "tags": [["secret"], []],
            "n": [1, 2],
            "box": [{"x": 1.5}, {"x": None}],
            "group": ["patient=7", "b"],
        }
    )
    items = write_artifact(Workspace(tmp_path / "w"), "corpus", {"items": table}, {}, "restricted")
    grouped = Table(pubmed=False, journals=False, grouped=True)
    columns = choose_columns(table.schema, "metadata", grouped, sjr_rights=False)
    (task,) = tasks(tmp_path / "out", items, "items", columns, [(0, 2)])
    write_shard(task)
    rows = pq.read_table(task.folder / task.name).to_pylist()
    assert list(rows[0]) == ["item_id", "n", "box", "group_sha256", "content_sha256"]
    item = {"item_id": "a", "text": "secret words", "tags": ["secret"], "n": 1, "box": {"x": 1.5}}
    text = json.dumps(item, sort_keys=True, separators=(",", ":"))
    assert rows[0]["content_sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert rows[0]["group_sha256"] == hashlib.sha256(b"patient=7").hexdigest()
    assert b"secret" not in (task.folder / task.name).read_bytes()


def test_a_damaged_item_file_stops_the_release(tmp_path):
    table = numbered(5)
    items = write_artifact(Workspace(tmp_path / "w"), "corpus", {"items": table}, {}, "open")
    path = items.folder / items.shards("items")[0].name
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    columns = choose_columns(table.schema, "full_text", OWN, sjr_rights=False)
    (task,) = tasks(tmp_path / "out", items, "items", columns, [(0, 5)])
    with pytest.raises(StoreError, match="checksum differs"):
        write_shard(task)
    assert not (task.folder / task.name).exists()


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=4)),
            st.one_of(st.none(), st.lists(st.integers(-9, 9), max_size=3)),
        ),
        min_size=1,
        max_size=20,
    ),
    st.integers(1, 5),
)
def test_digests_do_not_depend_on_batches_and_tell_values_apart(rows, size):
    table = pa.table(
        {
            "a": pa.array([a for a, _ in rows], pa.string()),
            "b": pa.array([b for _, b in rows], pa.list_(pa.int64())),
        }
    )
    whole, parts = ColumnDigests(["a", "b"]), ColumnDigests(["a", "b"])
    whole.update(table)
    for batch in table.to_batches(max_chunksize=size):
        parts.update(batch)
    assert whole.result() == parts.result()
    changed = ColumnDigests(["a", "b"])
    changed.update(table.set_column(0, "a", pa.array([f"{a}." for a, _ in rows])))
    assert changed.result()["a"] != whole.result()["a"]
    assert changed.result()["b"] == whole.result()["b"]
