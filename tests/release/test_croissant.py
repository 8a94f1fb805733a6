"""``croissant.json`` as mlcroissant reads it, with the records of our own files."""

import json
import logging

import pyarrow.parquet as pq
import pytest

mlcroissant = pytest.importorskip("mlcroissant")


@pytest.fixture(scope="module")
def dataset(made):
    context, _ = made
    logging.getLogger("absl").setLevel(logging.ERROR)
    return mlcroissant.Dataset(str(context.folder / "croissant.json"))


@pytest.mark.filterwarnings("ignore")
def test_it_is_valid_and_says_what_responsible_use_needs(dataset):
    issues = dataset.metadata.ctx.issues
    assert issues.errors == set()
    # A day would make two builds of the same release differ.
    assert all("datePublished" in warning for warning in issues.warnings)
    said = dataset.metadata.to_json()
    for field in ("dataBiases", "dataLimitations", "personalSensitiveInformation"):
        assert said[f"rai:{field}"]
    assert said["version"] == "1.0.0"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("split", ["train", "test"])
def test_its_records_are_those_of_the_files(dataset, made, split):
    context, _ = made
    table = pq.read_table(context.folder / "default" / f"{split}-00000-of-00001.parquet")
    records = list(dataset.records(f"default/{split}"))
    fields = {field.id.rsplit("/", 1)[-1] for field in _record_set(dataset, split).fields}
    assert fields == set(table.column_names)
    for record, row in zip(records, table.to_pylist(), strict=True):
        for column in ("item_id", "title", "year", "retracted", "languages", "withheld"):
            assert _plain(record[f"default/{split}/{column}"]) == row[column], column
        sections = record[f"default/{split}/sections"]
        texts = [_plain(part[f"default/{split}/sections/text"]) for part in sections]
        assert texts == ([part["text"] for part in row["sections"]] if row["sections"] else [None])


def _record_set(dataset, split):
    return next(one for one in dataset.metadata.record_sets if one.id == f"default/{split}")


def _plain(value):
    if isinstance(value, bytes):
        return value.decode()
    return [_plain(one) for one in value] if isinstance(value, list) else value


def test_every_file_is_listed_with_its_digest(made):
    context, manifest = made
    data = json.loads((context.folder / "croissant.json").read_text())
    listed = {file["@id"]: file["sha256"] for file in data["distribution"]}
    assert listed == {
        shard.name: shard.sha256 for shard in manifest.shards if shard.name.endswith(".parquet")
    }
