import pyarrow as pa
import pytest

from toolkit.errors import StoreError
from toolkit.store.artifact import open_artifact
from toolkit.store.manifest import Manifest, read_manifest, write_manifest
from toolkit.store.pieces import all_shards, ensure_piece


@pytest.fixture
def folder(tmp_path):
    def make(start):
        rows = pa.table({"item_id": [str(n) for n in range(start, start + 3)], "n": [1, 2, 3]})
        return lambda writer: writer.table("items", rows) or {}

    pieces = [ensure_piece(tmp_path, f"{k:05d}", make(3 * k)) for k in range(2)]
    manifest = Manifest(
        step="corpus",
        stage="corpus",
        fingerprint="f" * 64,
        inputs=("a" * 64,),
        access="open",
        shards=all_shards(pieces),
        facts={"funnel": [1]},
    )
    write_manifest(tmp_path, manifest)
    return tmp_path


def test_rows_come_back_in_order(folder):
    artifact = open_artifact(folder)
    assert [row["item_id"] for row in artifact.rows("items")] == list("012345")
    assert artifact.manifest.rows("items") == 6
    assert artifact.read("items", ["n"]).column_names == ["n"]


def test_without_a_manifest_there_is_no_artifact(tmp_path):
    assert open_artifact(tmp_path) is None


def test_the_manifest_comes_back_as_it_was(folder):
    manifest = read_manifest(folder)
    before = (folder / "manifest.json").read_bytes()
    write_manifest(folder, manifest)
    assert (folder / "manifest.json").read_bytes() == before


def test_a_changed_byte_is_refused_before_a_row_is_used(folder):
    artifact = open_artifact(folder)
    file = folder / artifact.shards("items")[1].name
    data = bytearray(file.read_bytes())
    data[40] ^= 1
    file.write_bytes(data)
    with pytest.raises(StoreError, match="was changed after it was written") as caught:
        list(artifact.rows("items"))
    assert str(folder) in caught.value.hint


def test_a_missing_shard_is_named(folder):
    artifact = open_artifact(folder)
    (folder / artifact.shards("items")[0].name).unlink()
    with pytest.raises(StoreError, match=r"items-00000\.parquet"):
        artifact.files("items")


def test_a_newer_manifest_is_refused(folder):
    file = folder / "manifest.json"
    file.write_text(file.read_text().replace('"schema_version": 1', '"schema_version": 2'))
    with pytest.raises(StoreError, match="schema version 2"):
        open_artifact(folder)


def test_a_damaged_manifest_is_refused(folder):
    (folder / "manifest.json").write_text('{"step": "cor')
    with pytest.raises(StoreError, match=r"manifest\.json"):
        open_artifact(folder)


def test_a_changed_fact_is_refused(folder):
    file = folder / "manifest.json"
    good = file.read_text()
    for old, new in (('"open"', '"oven"'), ('"stage"', '"stags"'), ('"sha256"', '"sha257"')):
        file.write_text(good.replace(old, new, 1))
        with pytest.raises(StoreError, match=r"manifest\.json.*was changed after it was written"):
            open_artifact(folder)


def test_facts_come_back_whatever_their_keys_were(tmp_path):
    facts = {"years": {2: 1, 10: 2}, "pairs": (1, 2)}
    write_manifest(
        tmp_path,
        Manifest(
            step="corpus",
            stage="corpus",
            fingerprint="a" * 64,
            inputs=(),
            access="open",
            shards=(),
            facts=facts,
        ),
    )
    found = read_manifest(tmp_path)
    assert found is not None
    assert found.facts == {"years": {"2": 1, "10": 2}, "pairs": [1, 2]}
