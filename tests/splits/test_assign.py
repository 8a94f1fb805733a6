"""Assignment of items to splits: the laws, and what is refused."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.errors import UserError
from toolkit.recipe.splits_section import Splits
from toolkit.records import arrow_schema
from toolkit.splits.assign import assign
from toolkit.splits.result import SplitResult

FRACTIONS = Splits(fractions={"train": 0.8, "validation": 0.1, "test": 0.1})


def items(n: int, **columns: list[object]) -> pa.Table:
    return pa.table({"item_id": [f"{at:05d}" for at in range(n)], **columns})


def where(result: SplitResult) -> dict[str, str]:
    rows = result.splits.to_pylist()
    return {row["item_id"]: row["split"] for row in rows}


def why(result: SplitResult) -> dict[str, str]:
    return {row["item_id"]: row["reason"] for row in result.rejects.to_pylist()}


def accounted(result: SplitResult, table: pa.Table) -> bool:
    kept, rejected = where(result), why(result)
    together = sorted([*kept, *rejected])
    return together == sorted(table["item_id"].to_pylist())


def test_tables_have_the_declared_schema():
    result = assign(items(200), FRACTIONS, seed=1)
    assert result.splits.schema == arrow_schema("splits")
    assert result.rejects.schema == arrow_schema("rejects")


def test_fractions_are_kept_approximately():
    result = assign(items(20_000), FRACTIONS, seed=42)
    assert abs(result.sizes["train"] / 20_000 - 0.8) < 0.01
    assert abs(result.sizes["test"] / 20_000 - 0.1) < 0.01
    assert result.rejects.num_rows == 0


def test_fractions_below_one_leave_the_rest_out():
    result = assign(items(5_000), Splits(fractions={"a": 0.25, "b": 0.25}), seed=1)
    reasons = set(why(result).values())
    assert reasons == {"not_sampled"}
    assert abs(result.rejects.num_rows / 5_000 - 0.5) < 0.03


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_a_lone_item_never_moves_under_fractions(data):
    n = data.draw(st.integers(150, 300))
    seed = data.draw(st.integers(0, 10))
    table = items(n)
    rows = data.draw(st.permutations(range(n)))
    extra = data.draw(st.integers(1, 40))
    before = assign(table, FRACTIONS, seed=seed)
    assert where(assign(table.take(rows), FRACTIONS, seed=seed)) == where(before)
    larger = where(assign(items(n + extra), FRACTIONS, seed=seed))
    assert {item: larger[item] for item in where(before)} == where(before)


def test_the_seed_decides_and_a_section_may_have_its_own():
    table = items(500)
    one, two = (where(assign(table, FRACTIONS, seed=seed)) for seed in (1, 2))
    assert one != two
    own = Splits(fractions=FRACTIONS.fractions, seed=2)
    assert where(assign(table, own, seed=1)) == two


def test_known_places_hold_across_machines():
    result = assign(items(8), Splits(fractions={"a": 0.5, "b": 0.5}), seed=42)
    # The first digit of `printf '42\\0%05d' N | b2sum -l 64`: 0 to 7 is a, 8 to f is b.
    assert "".join(where(result)[f"{at:05d}"] for at in range(8)) == "babbbaba"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_sizes_are_exact_groups_whole_and_order_decides_nothing(data):
    sizes = data.draw(
        st.dictionaries(st.sampled_from("abc"), st.integers(1, 12), min_size=1, max_size=3)
    )
    n = sum(sizes.values()) + data.draw(st.integers(0, 20))
    # Enough lone items make every size reachable.
    lone = max(sizes.values()) * len(sizes)
    journals = data.draw(st.lists(st.sampled_from("xyz"), min_size=n, max_size=n))
    table = items(n + lone, journal=[*journals, *[None] * lone])
    params = Splits(by="group", group_by="journal", sizes=sizes)
    result = assign(table, params, seed=data.draw(st.integers(0, 5)))
    assert result.sizes == dict(sorted(sizes.items()))
    assert accounted(result, table)
    assert set(why(result).values()) <= {"not_sampled"}
    placed, column = where(result), table["journal"].to_pylist()
    for journal in "xyz":
        members = [f"{at:05d}" for at, mine in enumerate(column) if mine == journal]
        assert len({placed.get(item) for item in members}) <= 1
    rows = data.draw(st.permutations(range(table.num_rows)))
    reordered = Splits(by="group", group_by="journal", sizes=dict(reversed(list(sizes.items()))))
    again = assign(table.take(rows), reordered, seed=0)
    first = assign(table, params, seed=0)
    assert again.splits.equals(first.splits) and again.rejects.equals(first.rejects)


def test_train_may_grow_without_moving_test():
    def ids_of_test(train: int) -> set[str]:
        result = assign(items(300), Splits(sizes={"train": train, "test": 20}), seed=3)
        return {item for item, split in where(result).items() if split == "test"}

    assert ids_of_test(100) == ids_of_test(250)


def test_unreachable_sizes_are_refused_with_what_is_reachable():
    table = items(12, journal=["a"] * 4 + ["b"] * 4 + ["c"] * 4)
    params = Splits(by="group", group_by="journal", sizes={"train": 4, "test": 6})
    with pytest.raises(UserError, match=r"sizes\.test asks for 6") as caught:
        assign(table, params, seed=1)
    assert "to 4 or 8" in caught.value.hint
    with pytest.raises(UserError, match=r"sizes\.train asks for 20 items; 10 are left") as caught:
        assign(items(12), Splits(sizes={"train": 20, "test": 2}), seed=1)
    assert "by 10" in caught.value.hint


def test_a_missing_group_makes_no_group():
    table = items(40, patient=[None, ""] * 20)
    params = Splits(sizes={"a": 1, "b": 3}, keep_together="patient")
    assert assign(table, params, seed=1).sizes == {"a": 1, "b": 3}


def test_near_duplicates_stay_together_and_chain():
    pairs = [("00000", "00001", 0.9), ("00001", "00002", 0.85), ("00005", "00007", 1.0)]
    params = Splits(fractions={"a": 0.5, "b": 0.5}, keep_together="near_duplicates")
    for seed in range(20):
        result = assign(items(60), params, seed=seed, near_duplicates=pairs)
        places = where(result)
        assert len({places[f"{at:05d}"] for at in (0, 1, 2)}) == 1
        assert places["00005"] == places["00007"]
        group = {row["item_id"]: row["group"] for row in result.splits.to_pylist()}
        assert {group[f"{at:05d}"] for at in (0, 1, 2)} == {"00000"}
        assert group["00003"] == "00003"
        assert result.leakage.violations == ()


def test_groups_by_two_reasons_are_one_group():
    table = items(60, journal=["x", "y", "x", *[None] * 57])
    params = Splits(
        by="group",
        group_by="journal",
        fractions={"a": 0.5, "b": 0.5},
        keep_together="near_duplicates",
    )
    pairs = [("00001", "00003", 0.9), ("00003", "00002", 0.9)]
    for seed in range(10):
        places = where(assign(table, params, seed=seed, near_duplicates=pairs))
        assert len({places[f"{at:05d}"] for at in range(4)}) == 1


def test_dates_bound_the_splits():
    years = [2019, 2022, 2023, 2025, None, 1990]
    table = items(6, year=years)
    params = Splits(by="date", date={"train": (2000, 2022), "test": (2023, None)})
    result = assign(table, params, seed=1)
    assert where(result) == {
        "00000": "train",
        "00001": "train",
        "00002": "test",
        "00003": "test",
    }
    assert why(result) == {"00004": "no_date", "00005": "outside_dates"}
    assert result.rejects["year"].to_pylist() == [None, 1990]


def test_a_later_copy_of_an_earlier_item_leaves_the_later_split():
    table = items(4, year=[2020, 2023, 2024, 2021])
    params = Splits(
        by="date",
        date={"test": (2023, None), "train": (None, 2022)},
        keep_together="near_duplicates",
    )
    result = assign(table, params, seed=1, near_duplicates=[("00000", "00001", 0.9)])
    assert where(result) == {"00000": "train", "00002": "test", "00003": "train"}
    assert why(result) == {"00001": "linked_across_dates"}


def test_a_date_column_of_text_is_refused():
    params = Splits(by="date", date={"a": (2000, None)})
    with pytest.raises(UserError, match="'year' holds '2020'"):
        assign(items(1, year=["2020"]), params, seed=1)


def test_empty_splits_are_refused_by_name():
    with pytest.raises(UserError, match="test would be empty: 3 items came in") as caught:
        assign(items(3), Splits(fractions={"train": 0.99, "test": 0.01}), seed=1)
    assert "more items" in caught.value.hint
    with pytest.raises(UserError, match="would be empty: 0 items"):
        assign(items(0), FRACTIONS, seed=1)


def test_a_repeated_id_is_refused():
    with pytest.raises(UserError, match="'x' stands more than once"):
        assign(pa.table({"item_id": ["x", "x"]}), FRACTIONS, seed=1)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (Splits(), "exactly one of fractions, sizes and date"),
        (Splits(fractions={"a": 1.0}, sizes={"a": 1}), "found fractions and sizes"),
        (Splits(by="date", fractions={"a": 1.0}), "'by: date' goes with 'date'"),
        (Splits(date={"a": (None, None)}), "'by: hash' does not go with 'date'"),
        (Splits(fractions={"a": 0.7, "b": 0.4}), "more than 1"),
        (Splits(fractions={"a": 0.0}), r"fractions\.a is 0"),
        (Splits(fractions={}), "names no split"),
        (Splits(sizes={"a": 0}), r"sizes\.a is 0"),
        (Splits(by="group", sizes={"a": 1}), "group_by"),
        (Splits(group_by="journal", sizes={"a": 1}), "group_by"),
        (Splits(by="date", date={"a": (2020,)}), r"date\.a needs two values"),
        (Splits(by="date", date={"a": (2020, 2019)}), "ends before"),
        (Splits(by="date", date={"a": (None, 2020), "b": (2020, None)}), "overlap"),
        (Splits(sizes={"a": 1}, keep_together="pateint"), "no column 'pateint'; did you"),
    ],
)
def test_sections_that_contradict_themselves_are_refused(params, message):
    with pytest.raises(UserError, match=message):
        assign(items(5, year=[2020] * 5, patient=["p"] * 5), params, seed=1)


def test_decimal_fractions_add_up_to_one():
    thirds = {"a": 0.7, "b": 0.2, "c": 0.1}
    assert Splits(fractions=thirds).faults() == []
    assert assign(items(400), Splits(fractions=thirds), seed=1).rejects.num_rows == 0


def test_all_faults_are_said_at_once():
    params = Splits(by="group", sizes={"a": 0, "b": -1})
    assert len(params.faults()) == 3


def test_pairs_that_are_needed_or_name_no_item_are_a_bug():
    params = Splits(sizes={"a": 1}, keep_together="near_duplicates")
    with pytest.raises(ValueError, match="not given"):
        assign(items(3), params, seed=1)
    with pytest.raises(ValueError, match="no item"):
        assign(items(3), params, seed=1, near_duplicates=[("00000", "zzz", 0.9)])
