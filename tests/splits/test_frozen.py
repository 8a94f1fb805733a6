"""Released ids: they never move, and what is next to them is decided."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.errors import SourceError, UserError
from toolkit.recipe.splits_section import Splits
from toolkit.splits.assign import assign
from toolkit.splits.frozen import Frozen, load_frozen
from toolkit.splits.result import SplitResult


def items(ids: list[str], **columns: list[object]) -> pa.Table:
    return pa.table({"item_id": ids, **columns})


def where(result: SplitResult) -> dict[str, str]:
    return {row["item_id"]: row["split"] for row in result.splits.to_pylist()}


def why(result: SplitResult) -> dict[str, str]:
    return {row["item_id"]: row["reason"] for row in result.rejects.to_pylist()}


def params(**more: object) -> Splits:
    return Splits(frozen="released.csv", **{"sizes": {"train": 4, "test": 2}, **more})


RELEASED = Frozen("released.csv", {"a1": "train", "a2": "train", "b1": "test"})


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_three_formats_say_the_same(tmp_path, kind):
    path = tmp_path / f"released.{kind}"
    rows = [{"item_id": "007", "split": "test", "x": 1}, {"item_id": "b", "split": "train", "x": 2}]
    if kind == "csv":
        path.write_text("\ufeffitem_id,split,x\n007,test,1\nb,train,2\n", encoding="utf-8")
    elif kind == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8")
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    assert load_frozen(path) == Frozen(path.name, {"007": "test", "b": "train"})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("r.csv", "id,split\n1,test\n", r"r\.csv:1: .*item_id; found id, split"),
        ("r.csv", "", r"r\.csv:1: .*columns item_id and split; found none"),
        ("r.csv", "item_id,split\n", "no released id"),
        ("r.csv", "item_id,split\n1,test\n1,train\n", r"r\.csv:3: '1' stands in 'test' and"),
        ("r.csv", "item_id,split\n1,\n", r"r\.csv:2: .*needed"),
        ("r.csv", 'item_id,split\n"1,test\n', r"r\.csv:2: .*CSV"),
        ("r.csv", "item_id,split\n1,te-st\n", r"r\.csv:2: .*'te-st'"),
        ("r.jsonl", '{"item_id": 1, "split": "test"}\n{"item', r"r\.jsonl:2: .*no JSON"),
        ("r.jsonl", "[1]\n", r"r\.jsonl:1: .*object"),
        ("r.jsonl", '{"item_id": true, "split": "test"}\n', r"r\.jsonl:1: .*'True'"),
        ("r.parquet", "not parquet", "no readable Parquet"),
        ("r.txt", "x", r"'\.txt' file"),
    ],
)
def test_files_that_cannot_be_used_are_refused_with_their_line(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=message) as caught:
        load_frozen(path)
    assert caught.value.hint


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(SourceError, match=r"absent\.csv"):
        load_frozen(tmp_path / "absent.csv")


def test_released_items_stay_and_new_ones_fill_the_rest():
    ids = ["a1", "a2", "b1", *[f"n{at}" for at in range(10)]]
    result = assign(items(ids), params(), seed=1, near_duplicates=[], frozen=RELEASED)
    places = where(result)
    assert {item: places[item] for item in RELEASED.splits} == RELEASED.splits
    assert result.sizes == {"test": 2, "train": 4}
    assert result.frozen is not None
    assert result.frozen.pinned == {"test": 1, "train": 2}
    assert sum(reason == "not_sampled" for reason in why(result).values()) == 7


def test_a_released_id_that_is_gone_is_reported_and_its_place_filled():
    ids = ["a1", "b1", *[f"n{at}" for at in range(10)]]
    result = assign(items(ids), params(), seed=1, near_duplicates=[], frozen=RELEASED)
    assert result.frozen is not None
    assert result.frozen.missing == ("a2",)
    assert result.frozen.to_dict()["missing_examples"] == ["a2"]
    assert result.sizes == {"test": 2, "train": 4}


@pytest.mark.parametrize("jaccard", [0.85, 1.0])
def test_a_new_near_duplicate_is_rejected_or_joins(jaccard):
    ids = ["a1", "a2", "b1", *[f"n{at}" for at in range(10)]]
    pairs = [("b1", "n3", jaccard)]
    rejected = assign(items(ids), params(), seed=1, near_duplicates=pairs, frozen=RELEASED)
    assert why(rejected)["n3"] == "duplicate_of_released"
    (row,) = [row for row in rejected.rejects.to_pylist() if row["item_id"] == "n3"]
    assert row["detail"] == "near-duplicate of b1, test"
    joining = params(new_duplicates="join")
    joined = assign(items(ids), joining, seed=1, near_duplicates=pairs, frozen=RELEASED)
    assert where(joined)["n3"] == "test"
    assert joined.frozen is not None and joined.frozen.joined == 1
    assert joined.sizes == {"test": 2, "train": 4}


@pytest.mark.parametrize("policy", ["reject", "join"])
def test_what_links_two_splits_is_rejected_and_counted(policy):
    ids = ["a1", "a2", "b1", *[f"n{at}" for at in range(10)]]
    pairs = [("a1", "n3", 0.9), ("b1", "n3", 0.9)]
    result = assign(
        items(ids), params(new_duplicates=policy), seed=1, near_duplicates=pairs, frozen=RELEASED
    )
    assert why(result)["n3"] == "links_released_splits"
    assert result.frozen is not None
    assert result.frozen.rejected == {"links_released_splits": 1}


def test_new_items_that_link_two_splits_only_together_are_rejected_when_joining():
    ids = ["a1", "a2", "b1", *[f"n{at}" for at in range(10)]]
    pairs = [("a1", "n3", 0.9), ("n3", "n4", 0.9), ("b1", "n4", 0.9)]
    both = params(new_duplicates="join", keep_together="near_duplicates")
    result = assign(items(ids), both, seed=1, near_duplicates=pairs, frozen=RELEASED)
    assert {why(result)["n3"], why(result)["n4"]} == {"links_released_splits"}


def test_a_near_duplicate_of_a_rejected_item_is_free():
    ids = ["a1", "a2", "b1", *[f"n{at}" for at in range(3)]]
    pairs = [("a1", "n0", 0.9), ("n0", "n1", 0.9)]
    sizes = {"train": 3, "test": 2}
    result = assign(
        items(ids),
        params(sizes=sizes, keep_together="near_duplicates"),
        seed=1,
        near_duplicates=pairs,
        frozen=RELEASED,
    )
    assert why(result) == {"n0": "duplicate_of_released"}
    assert result.leakage.violations == ()


def test_copies_count_as_direct_neighbours_of_a_released_copy():
    ids = ["a1", "a2", "b1", "a0", "a3", "n0", "n1", "n2"]
    # One class {a0, b1, a3}: its pairs name the smallest id only.
    pairs = [("a0", "a3", 1.0), ("a0", "b1", 1.0)]
    result = assign(items(ids), params(), seed=1, near_duplicates=pairs, frozen=RELEASED)
    assert why(result) == {"a0": "duplicate_of_released", "a3": "duplicate_of_released"}


def test_new_items_of_a_released_patient_join_the_patient():
    ids = ["a1", "a2", "b1", "n0", "n1", "n2", "n3"]
    table = items(ids, patient=["p", "q", "r", "p", "r", "r", "s"])
    sizes = {"train": 4, "test": 2}
    result = assign(
        table, params(sizes=sizes, keep_together="patient"), seed=1, near_duplicates=[],
        frozen=RELEASED,
    )  # fmt: skip
    places = where(result)
    assert (places["n0"], places["n3"]) == ("train", "train")
    assert sorted(item for item in ("n1", "n2") if places.get(item) == "test") != []
    assert set(why(result).values()) == {"not_sampled"} and len(why(result)) == 1


def test_leaks_of_a_release_are_reported_and_not_held_against_the_new_splits():
    released = Frozen("r.csv", {"a1": "train", "b1": "test"})
    table = items(["a1", "b1", "n0", "n1"], patient=["p", "p", "q", "p"])
    result = assign(
        table,
        params(sizes={"train": 2, "test": 1}, keep_together="patient"),
        seed=1,
        near_duplicates=[],
        frozen=released,
    )
    assert why(result) == {"n1": "links_released_splits"}
    (leak,) = [leak for leak in result.leakage.leaks if leak.kind == "group:patient"]
    assert (leak.clusters, leak.released) == (1, 1)
    result.leakage.check()


def test_more_released_than_asked_for_is_refused():
    with pytest.raises(UserError, match=r"sizes\.train is 1, but 2 items") as caught:
        assign(
            items(["a1", "a2", "b1"]),
            params(sizes={"train": 1, "test": 1}),
            seed=1,
            near_duplicates=[],
            frozen=RELEASED,
        )
    assert "at least 2" in caught.value.hint


def test_a_released_split_that_the_recipe_does_not_name_is_refused():
    with pytest.raises(UserError, match="are in test, which"):
        assign(
            items(["a1", "a2", "b1"]),
            params(sizes={"train": 2}),
            seed=1,
            near_duplicates=[],
            frozen=RELEASED,
        )


def test_released_ids_that_are_needed_and_not_given_are_a_bug():
    with pytest.raises(ValueError, match="released ids"):
        assign(items(["a"]), params(), seed=1, near_duplicates=[])


def test_released_items_keep_their_split_whatever_the_dates_say():
    released = Frozen("r.csv", {"a": "test"})
    table = items(["a", "b", "c", "d"], year=[2010, 2010, 2023, 2011])
    dated = Splits(
        by="date",
        date={"train": (None, 2022), "test": (2023, None)},
        frozen="r.csv",
        new_duplicates="join",
    )
    result = assign(table, dated, seed=1, near_duplicates=[("a", "b", 0.9)], frozen=released)
    assert where(result) == {"a": "test", "c": "test", "d": "train"}
    assert why(result) == {"b": "linked_across_dates"}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_pinned_items_never_move_and_every_id_is_accounted_for(data):
    n = data.draw(st.integers(6, 30))
    ids = [f"{at:02d}" for at in range(n)]
    pins = data.draw(
        st.dictionaries(st.sampled_from([*ids, "gone"]), st.sampled_from(["train", "test"]))
    )
    pairs = data.draw(
        st.lists(
            st.tuples(st.sampled_from(ids), st.sampled_from(ids), st.sampled_from([0.9, 1.0]))
            .filter(lambda pair: pair[0] != pair[1]),
            max_size=12,
        )
    )  # fmt: skip
    section = Splits(
        fractions={"train": 0.5, "test": 0.5},
        keep_together=data.draw(st.sampled_from(["near_duplicates", "none"])),
        new_duplicates=data.draw(st.sampled_from(["join", "reject"])),
        frozen="r.csv",
    )
    frozen = Frozen("r.csv", pins)
    table = items(ids)
    try:
        result = assign(table, section, seed=1, near_duplicates=pairs, frozen=frozen)
    except UserError as error:
        assert "would be empty" in str(error)
        return
    places, rejected = where(result), why(result)
    assert sorted([*places, *rejected]) == ids
    assert all(places[item] == split for item, split in pins.items() if item in ids)
    for one, two, _ in pairs:
        new = [item for item in (one, two) if item not in pins and item in places]
        pinned = [item for item in (one, two) if item in pins]
        if new and pinned:
            assert section.new_duplicates == "join"
            assert places[new[0]] == pins[pinned[0]]
        if len(new) == 2 and section.keep_together == "near_duplicates":
            assert places[one] == places[two]
    assert result.leakage.violations == ()
    order = data.draw(st.permutations(range(n)))
    again = assign(table.take(order), section, seed=1, near_duplicates=pairs[::-1], frozen=frozen)
    assert again.splits.equals(result.splits) and again.rejects.equals(result.rejects)
    assert again.to_dict() == result.to_dict()
