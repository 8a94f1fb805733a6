"""Rows read by number are those that stand there."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.stages.slices import RowReader, picked_rows, slices
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import all_shards, ensure_piece

SHARDS = (1500, 1, 2300)
TOTAL = sum(SHARDS)


@pytest.fixture(scope="module")
def items(tmp_path_factory):
    """Return an artifact of three shards, two of which have several row groups."""
    folder = tmp_path_factory.mktemp("items")
    pieces, start = [], 0
    for number, rows in enumerate(SHARDS):
        table = pa.table({"n": range(start, start + rows), "half": [k / 2 for k in range(rows)]})
        pieces.append(
            ensure_piece(folder, f"{number:05d}", lambda w, t=table: w.table("items", t) or {})
        )
        start += rows
    manifest = Manifest(
        step="corpus",
        stage="corpus",
        fingerprint="0" * 64,
        inputs=(),
        access="open",
        shards=all_shards(pieces),
    )
    return Artifact(folder, manifest)


@given(numbers=st.lists(st.integers(0, TOTAL - 1), max_size=40))
def test_rows_by_number(items, numbers):
    reader = RowReader(items, "items")
    assert reader.column("n", numbers) == numbers
    ascending = sorted(set(numbers))
    assert [row["n"] for row in reader.picked(ascending, ["n"])] == ascending


def test_numbers_at_the_edges_of_shards_and_row_groups(items):
    edges = [0, 999, 1000, 1499, 1500, 1501, 2500, 2501, TOTAL - 1]
    assert RowReader(items, "items").column("n", edges[::-1]) == edges[::-1]
    rows = list(picked_rows(items.files("items")[2], [0, 999, 1000, 2299], ["half", "n"]))
    assert rows[-1] == {"half": 1149.5, "n": TOTAL - 1}
    assert [row["n"] for row in rows] == [1501, 2500, 2501, TOTAL - 1]


def test_a_number_that_is_no_row_is_an_error(items):
    with pytest.raises(ValueError, match="shorter"):
        RowReader(items, "items").column("n", [TOTAL])


@pytest.mark.parametrize("rows", [70, 1000, TOTAL, TOTAL + 1])
def test_slices_cover_every_row_once(items, rows):
    reader = RowReader(items, "items")
    parts = slices(items, "items", rows)
    assert [part.key for part in parts] == sorted(part.key for part in parts)
    seen = [row["n"] for part in parts for row in reader.rows(part, ["n"])]
    assert seen == list(range(TOTAL))
