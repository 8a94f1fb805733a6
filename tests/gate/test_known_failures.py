"""Every way in which a dataset repository was seen to break is stopped before it goes out.

Numbers are those of the table of failures that were reproduced with datasets 5.2.0.
"""

import pyarrow as pa
import pytest
from gate_world import OPEN, card, rows, said, sound, write

from toolkit.gate import shards

TRAIN = "default/train-00000-of-00001.parquet"
TEST = "default/test-00000-of-00001.parquet"


def splits(folder, train, test, **more):
    """Write two splits; the card is that of the first, as push_to_hub would make it."""
    sound(folder, train=train, test=test, with_card=False)
    card(folder, OPEN, **more)


def column(train, test):
    return lambda folder: splits(
        folder, rows(0, len(train), x=train), rows(5, 5 + len(test), x=test)
    )


def stale_rows(folder):
    sound(folder)
    write(folder, TEST, rows(5, 7))


def stale_features(folder):
    sound(folder)
    for name, first, last in ((TRAIN, 0, 5), (TEST, 5, 8)):
        write(folder, name, rows(first, last, new=pa.array(["x"] * (last - first))))


def without_configs(folder):
    splits(folder, rows(0, 5), rows(5, 8), change=lambda front: _without(front, "configs"))


def eval_without_configs(folder):
    without_configs(folder)
    (folder / "eval.yaml").write_text("tasks:\n- {id: a, config: default, split: test}\n")


def split_without_file(folder):
    sound(folder)
    (folder / TEST).unlink()


def generated_card(folder):
    """Overwrite the card as a library that makes its own would."""
    sound(folder)
    (folder / "README.md").write_text("---\nlicense: mit\n---\n# Dataset Card\n")


def two_defaults(folder):
    def change(front):
        second = front["configs"][0] | {"config_name": "other"}
        front["configs"].append(second)
        front["dataset_info"].append(front["dataset_info"][0] | {"config_name": "other"})
        return front

    splits(folder, rows(0, 5), rows(5, 8), change=change)


def empty_shard(folder):
    sound(folder)
    write(folder, "default/train-00000-of-00002.parquet", rows(0, 5))
    write(folder, "default/train-00001-of-00002.parquet", rows(0, 0))
    (folder / TRAIN).unlink()


def unpadded(folder):
    sound(folder)
    for number in range(2):
        write(folder, f"default/train-{number}.parquet", rows(number, number + 1))
    (folder / TRAIN).unlink()


def wrong_order(folder):
    sound(folder)
    for number in (0, 2):
        write(folder, f"default/train-{number:05d}-of-00002.parquet", rows(number, number + 1))
    (folder / TRAIN).unlink()


def _without(front, key):
    return {name: value for name, value in front.items() if name != key}


def maps(folder):
    table = pa.array([[("k", 1)]] * 3, pa.map_(pa.string(), pa.int64()))
    sound(folder, with_card=False, train=rows(0, 3, m=table), test=rows(3, 6, m=table))


CASES = {
    "1 other columns": (
        lambda f: splits(f, rows(0, 1, y=[1]), rows(5, 6, z=[1])),
        [f"{TRAIN}: the column 'z' is absent, and int64 in {TEST}", "one name and type"],
    ),
    "2 number and text": (
        column([1, 2], ["abc", "d"]),
        [f"{TRAIN}: the column 'x' is int64, and string in {TEST}"],
    ),
    "2 text and number": (
        column(["abc", "d"], [1, 2]),
        [f"{TRAIN}: the column 'x' is string, and int64 in {TEST}"],
    ),
    "3 nothing but nulls": (
        column(pa.nulls(2), ["abc"]),
        [f"{TRAIN}: the column 'x' has the type null", "explicit plain type"],
    ),
    "3 nulls inside a struct": (
        column([{"a": None}], [{"a": None}]),
        ["the column 'x.a' has the type null"],
    ),
    "4 empty lists": (
        column(pa.array([[]], pa.list_(pa.null())), [["a"]]),
        ["the column 'x[]' has the type null"],
    ),
    "5 another key in a struct": (
        column([{"a": 1}], [{"a": 1, "c": 2}]),
        ["the column 'x' is struct<a: int64>, and struct<a: int64, c: int64>"],
    ),
    "6 an empty split": (
        lambda f: splits(f, rows(0, 5), rows(0, 0)),
        [f"{TEST}: no rows; such a file breaks the loading", "num_examples: 0 is less"],
    ),
    "6 an empty shard": (
        empty_shard,
        ["default/train-00001-of-00002.parquet: no rows"],
    ),
    "7 large strings": (
        column(pa.array(["a"], pa.large_string()), pa.array(["b"], pa.large_string())),
        ["the column 'x' has the type large_string"],
    ),
    "7 large lists and views": (
        column(
            pa.array([["a"]], pa.large_list(pa.string_view())),
            pa.array([["a"]], pa.large_list(pa.string_view())),
        ),
        ["the column 'x' has the type large_list<"],
    ),
    "8 a map": (maps, ["the column 'm' has the type map<"]),
    "8 a dictionary": (
        column(pa.array(["a"]).dictionary_encode(), pa.array(["b"]).dictionary_encode()),
        ["the column 'x' has the type dictionary<"],
    ),
    "9 stale counts": (
        stale_rows,
        ["default, split test: 2 rows, and the card says 3", "make the card anew"],
    ),
    "10 a column that the card lacks": (
        stale_features,
        [f"{TEST}: the column 'new' is not in the card"],
    ),
    "10 a column that the files lack": (
        lambda f: splits(f, rows(0, 5), rows(5, 8), change=_one_more),
        ["the column 'ghost' of the card is missing"],
    ),
    "11 no configs": (without_configs, ["'configs' is a required property"]),
    "12 eval.yaml without configs": (
        eval_without_configs,
        ["eval.yaml: it stands beside a card without configs"],
    ),
    "13 a split with a dash": (
        lambda f: splits(f, rows(0, 5), rows(5, 8), change=_dashed),
        ["'test-hard' does not match"],
    ),
    "14 a split without a file": (
        split_without_file,
        ["no file is called default/test-*.parquet", "the split 'test' of 'default' has no file"],
    ),
    "15 a card that somebody generated": (
        generated_card,
        ["'configs' is a required property", "'dataset_info' is a required property"],
    ),
    "two defaults": (two_defaults, ["exactly one configuration is the default"]),
    "names whose order is not that of the rows": (
        unpadded,
        ["default/train-0.parquet: no split claims this file"],
    ),
    "a gap in the numbers": (wrong_order, ["not numbered 00000 to 00001"]),
}


def _one_more(front):
    front["dataset_info"][0]["features"].append({"name": "ghost", "dtype": "string"})
    return front


def _dashed(front):
    front["configs"][0]["data_files"][1]["split"] = "test-hard"
    return front


@pytest.mark.parametrize("case", CASES)
def test_the_gate_stops_it_and_says_what_to_do(tmp_path, case):
    make, wanted = CASES[case]
    make(tmp_path)
    text = said(tmp_path)
    for part in wanted:
        assert part in text


def test_a_split_name_that_datasets_cannot_use(tmp_path):
    sound(tmp_path)
    text = said(tmp_path, configs={"default": ("train", "test-hard")})
    assert "the split 'test-hard' cannot be published" in text
    assert "rename it, e.g. test_hard" in text
    assert "means all splits" in said(tmp_path, configs={"default": ("train", "all")})


def test_a_row_group_too_large_to_browse(tmp_path, monkeypatch):
    assert shards.GROUP_BYTES == 286 * 1024 * 1024
    monkeypatch.setattr(shards, "GROUP_BYTES", 3 << 20)
    table = rows(0, 4, big=["x" * (1 << 20)] * 4)
    sound(tmp_path, train=table, test=table.slice(0, 2))
    assert f"{TRAIN}: a row group of 4 MiB in memory; the Hub shows up to 286" in said(tmp_path)
    write(tmp_path, TRAIN, table, row_group_size=2)
    card(tmp_path, OPEN)
    assert said(tmp_path) == ""


def test_a_file_that_is_cut_short(tmp_path):
    sound(tmp_path)
    (tmp_path / TEST).write_bytes((tmp_path / TEST).read_bytes()[:-20])
    assert f"{TEST}: not a Parquet file" in said(tmp_path)
