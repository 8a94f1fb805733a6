"""The versions of a dataset: each is released once, in rising order, and says what changed."""

import dataclasses
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import UserError
from toolkit.release.changes import Changes, count_changes
from toolkit.release.history import (
    SplitVersion,
    Version,
    history_text,
    ids_digest,
    next_history,
    read_history,
    version_key,
)
from toolkit.release.withdrawn import Withdrawn, read_withdrawn, withdrawn_text


def version(number, data="a", **more):
    splits = {"test": SplitVersion(3, ids_digest(["1", "2", "3"]))}
    return Version(version=number, data_digest=data * 64, splits=splits, **more)


def test_a_history_grows_and_survives_its_file():
    first = next_history((), version("1.0"))
    second = next_history(first, version("1.1", "b", added=2, removed=0, changed=1, note="|<b>"))
    assert [one.version for one in second] == ["1.0", "1.1"]
    assert read_history(history_text(second)) == second
    assert read_history(None) == read_history("") == ()
    assert history_text(read_history(history_text(second))) == history_text(second)


def test_the_same_release_again_changes_nothing():
    first = next_history((), version("1.0", note="first"))
    assert next_history(first, version("1.0", note="other words")) == first
    assert next_history(first, version("1.0.0")) == first


@pytest.mark.parametrize(
    ("known", "new", "message"),
    [
        (["1.0"], version("1.0", "b"), "1.0 is released already, with other data"),
        (["1.0", "1.1"], version("1.0", "b"), "1.0 is released already, with other data"),
        (["1.9", "1.10"], version("1.9.5", "b"), "1.9.5 comes before 1.10"),
        (["2"], version("1.0"), "1.0 comes before 2"),
        ([], version("next"), "'next' cannot be released"),
    ],
)
def test_a_released_version_never_changes_and_numbers_rise(known, new, message):
    history = [version(number) for number in known]
    with pytest.raises(UserError, match=message) as caught:
        next_history(history, new)
    assert caught.value.hint


@given(
    st.lists(st.integers(0, 99), min_size=1, max_size=4),
    st.lists(st.integers(0, 99), min_size=1, max_size=4),
)
def test_versions_compare_by_their_numbers(one, two):
    keys = [version_key(".".join(map(str, numbers))) for numbers in (one, two)]
    padded = [numbers + [0] * (4 - len(numbers)) for numbers in (one, two)]
    assert (keys[0] < keys[1]) == (padded[0] < padded[1])
    assert (keys[0] == keys[1]) == (padded[0] == padded[1])


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"versions": [{}]}', '{"versions": [{"version": 1}]}']
)
def test_a_damaged_history_is_an_error_and_no_fresh_start(text):
    with pytest.raises(UserError, match=r"releases\.json cannot be read"):
        read_history(text)


def test_withdrawn_items_are_kept_by_id():
    items = [
        Withdrawn("9", "asked", "2026-12-01", "1.0"),
        Withdrawn("1", "wrong", "2026-11-01", "1.0"),
    ]
    text = withdrawn_text(items)
    assert [item.item_id for item in read_withdrawn(text)] == ["1", "9"]
    assert json.loads(text)["schema"] == 1
    assert withdrawn_text([]) == "" and read_withdrawn("") == ()
    with pytest.raises(UserError, match=r"withdrawn\.json cannot be read"):
        read_withdrawn('{"items": [{"item_id": "1"}]}')


@given(st.sets(st.text(max_size=5)))
def test_the_digest_of_ids_is_that_of_a_set(ids):
    assert ids_digest(ids) == ids_digest(sorted(ids, reverse=True))
    assert ids_digest([*ids, "new id"]) != ids_digest(ids)


def write(folder, split, rows, **columns):
    (folder / "default").mkdir(parents=True, exist_ok=True)
    table = pa.table({"item_id": rows, **columns})
    pq.write_table(table, folder / "default" / f"{split}-00000-of-00001.parquet")


def test_changes_are_counted_item_by_item(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    write(old, "train", ["a", "b"], x=[1, 2], group=["g", "g"])
    write(old, "test", ["c", "d", "e"], x=[3, 4, 5], group=["h", "h", "h"])
    # a stays; b is another; c moves; d goes; e has another group only; f comes.
    write(new, "train", ["a", "b", "c"], x=[1, 9, 3], group=["g", "g", "h"], y=[0, 0, 0])
    write(new, "test", ["f", "e"], x=[6, 5], group=["i", "k"], y=[0, 0])
    splits = ("train", "test")
    assert count_changes(old, splits, new, splits, "default") == Changes(1, 1, 2)
    assert count_changes(old, splits, old, splits, "default") == Changes(0, 0, 0)


def test_where_there_are_digests_they_decide(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    flags = {"retracted": [False, False]}
    write(old, "test", ["a", "b"], content_sha256=["1", "2"], year=[1, 1], **flags)
    write(new, "test", ["a", "b"], content_sha256=["1", "2"], year=[1, 2], retracted=[True, False])
    assert count_changes(old, ("test",), new, ("test",), "default") == Changes(0, 0, 1)


def test_a_version_is_immutable():
    with pytest.raises(dataclasses.FrozenInstanceError):
        version("1.0").version = "2.0"
