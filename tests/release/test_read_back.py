"""What `datasets` loads must be what was meant, or the release is not done."""

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from toolkit.errors import RunError
from toolkit.gate.column_types import features
from toolkit.release.content import ColumnDigests
from toolkit.release.read_back import Block, ExpectedSplit, read_back


@pytest.fixture
def release(made, tmp_path):
    """Return the files of a release in a folder of their own, and what is expected of them."""
    context, manifest = made
    files = {}
    for shard in manifest.shards:
        path = tmp_path / "files" / shard.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((context.folder / shard.name).read_bytes())
        files[shard.name] = path
    expected = [
        _expected("train", files),
        _expected("test", files),
    ]
    return files, expected, tmp_path / "scratch"


def _expected(split, files):
    table = pq.read_table(files[f"default/{split}-00000-of-00001.parquet"])
    schema = table.schema
    digests = ColumnDigests(schema.names)
    digests.update(table)
    return ExpectedSplit(
        config="default",
        split=split,
        features=features(schema),
        blocks=[Block(table.num_rows, digests.result())],
    )


def rewrite(path, change):
    pq.write_table(change(pq.read_table(path)), path)


def test_another_value_is_found_by_split_and_column(release):
    files, expected, scratch = release
    path = files["default/test-00000-of-00001.parquet"]
    place = pq.read_schema(path).names.index("conclusion")

    def change(table):
        text = pc.replace_substring(table["conclusion"], "It works 5.", "It fails 5.")
        return table.set_column(place, "conclusion", text)

    rewrite(path, change)
    with pytest.raises(RunError, match=r"'test' of 'default'.* in the column 'conclusion'"):
        read_back(files, expected, scratch)
    assert not scratch.exists()


def test_another_order_of_the_rows_is_found(release):
    files, expected, scratch = release
    rewrite(
        files["default/train-00000-of-00001.parquet"], lambda t: t.take(list(range(11, -1, -1)))
    )
    with pytest.raises(RunError, match=r"'train' of 'default'.* in the column 'item_id'"):
        read_back(files, expected, scratch)


def test_a_column_that_the_card_hides_or_fills_is_found(release):
    files, expected, scratch = release
    card = files["README.md"]
    # datasets then fills the column that no file has with nulls, in silence.
    card.write_text(
        card.read_text().replace(
            "  - name: item_id\n", "  - name: extra\n    dtype: string\n  - name: item_id\n", 1
        )
    )
    with pytest.raises(RunError, match="column 'extra'"):
        read_back(files, expected, scratch)


def test_a_stale_card_is_an_error_of_loading(release):
    files, expected, scratch = release
    card = files["README.md"]
    card.write_text(card.read_text().replace("num_examples: 8", "num_examples: 7"))
    with pytest.raises(RunError, match=r"cannot load the release: .*NonMatchingSplitsSizesError"):
        read_back(files, expected, scratch)
    assert not scratch.exists()


def test_a_missing_split_is_found(release):
    files, expected, scratch = release
    card = files["README.md"]
    text = card.read_text()
    entry = "  - split: test\n    path: default/test-*.parquet\n"
    info = text[text.index("  - name: test\n") : text.index("  download_size:")]
    card.write_text(text.replace(entry, "").replace(info, ""))
    with pytest.raises(RunError, match="has the splits default/train, and not default/train, "):
        read_back(files, expected, scratch)


def test_it_needs_no_hub_no_token_and_no_hard_links(release, monkeypatch):
    files, expected, scratch = release

    def refuse(*arguments):
        raise OSError("no links here")

    monkeypatch.setattr("os.link", refuse)
    monkeypatch.setenv("HF_TOKEN", "hf_" + "a" * 30)
    # A hub that would be asked for anything does not exist; offline it is not asked.
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    read_back(files, expected, scratch)
    assert not scratch.exists()


def test_a_process_that_dies_is_no_success(release, monkeypatch, tmp_path):
    files, expected, scratch = release
    broken = tmp_path / "broken" / "toolkit"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise SystemExit('no toolkit here')\n")
    monkeypatch.syspath_prepend(str(broken.parent))
    with pytest.raises(RunError, match=r"ended with exit code 1: no toolkit here"):
        read_back(files, expected, scratch)
