"""Everything that makes a dataset repository unloadable, or loadable as something else."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from release_world import released

from toolkit.errors import UserError
from toolkit.release.check import check_folder

TEST = "default/test-00000-of-00001.parquet"


@pytest.fixture
def folder(made, tmp_path):
    context, manifest = made
    for name, content in released(manifest, context).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


def card(folder, old, new):
    path = folder / "README.md"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def rewritten(folder, change, **options):
    table = change(pq.read_table(folder / TEST))
    pq.write_table(table, folder / TEST, **options)


def test_what_the_step_makes_is_sound(folder, made):
    assert check_folder(folder) == sorted(shard.name for shard in made[1].shards)


def move(folder, new):
    (folder / TEST).rename(folder / new)


CASES = {
    "stale number of rows": (
        lambda f: card(f, "num_examples: 8", "num_examples: 9"),
        "default, split test: 8 rows, and the card says 9",
    ),
    "stale sizes": (lambda f: card(f, "download_size: ", "download_size: 1"), "the card says 1"),
    "a column that the card lacks": (
        lambda f: rewritten(f, lambda t: t.append_column("new", pa.array([1] * 8))),
        f"{TEST}: the column 'new' is not in the card",
    ),
    "a column that the file lacks": (
        lambda f: rewritten(f, lambda t: t.drop_columns(["title"])),
        f"{TEST}: the column 'title' of the card is missing",
    ),
    "another type": (
        lambda f: rewritten(f, lambda t: t.set_column(1, "version", t["version"].cast(pa.int64()))),
        f"{TEST}: the column 'version' has another type",
    ),
    "large strings": (
        lambda f: rewritten(
            f, lambda t: t.set_column(0, "item_id", t["item_id"].cast(pa.large_string()))
        ),
        f"{TEST}: the column 'item_id' has another type",
    ),
    "a null type": (
        lambda f: rewritten(f, lambda t: t.set_column(3, "title", pa.nulls(8))),
        f"{TEST}: the column 'title' has another type",
    ),
    "an empty shard": (lambda f: rewritten(f, lambda t: t.slice(0, 0)), f"{TEST}: no rows"),
    "an empty split in the card": (
        lambda f: card(f, "num_examples: 8", "num_examples: 0"),
        "0 is less than the minimum",
    ),
    "a split without a file": (
        lambda f: (f / TEST).unlink(),
        "no file is called default/test-*.parquet",
    ),
    "a shard of another count": (
        lambda f: move(f, "default/test-00000-of-00002.parquet"),
        "not numbered 00000 to 00000",
    ),
    "unpadded names": (lambda f: move(f, "default/test-0.parquet"), "not numbered"),
    "no configs": (lambda f: card(f, "configs:", "config:"), "'configs' is a required"),
    "a folder that no configuration claims": (
        lambda f: ((f / "other").mkdir(), (f / TEST).rename(f / "other" / "x.parquet")),
        "other/x.parquet: no configuration claims it",
    ),
    "a hidden file": (lambda f: (f / ".env").write_text("A=1"), ".env: no configuration"),
    "a link to elsewhere": (
        lambda f: (f / "default" / "link").symlink_to("/etc/passwd"),
        "default/link: a symbolic link",
    ),
    "a split name with a dash": (
        lambda f: card(f, "split: test", "split: test-hard"),
        "configs.0.data_files.1.split: 'test-hard'",
    ),
    "a damaged file": (lambda f: (f / TEST).write_bytes(b"PAR1"), "not a Parquet file"),
    "no card": (lambda f: (f / "README.md").unlink(), "README.md is missing"),
}


@pytest.mark.parametrize("case", CASES)
def test_each_fault_is_named(folder, case):
    damage, message = CASES[case]
    damage(folder)
    with pytest.raises(UserError) as caught:
        check_folder(folder)
    assert message in caught.value.message
    assert caught.value.hint


def test_a_row_group_too_large_to_browse(folder):
    def longer(table):
        return pa.concat_tables([table] * 700)

    rewritten(folder, longer, row_group_size=100_000)
    with pytest.raises(UserError, match="a row group of 5600 rows"):
        check_folder(folder)


def test_what_is_no_folder(tmp_path):
    with pytest.raises(UserError, match="is no folder"):
        check_folder(tmp_path / "absent")
