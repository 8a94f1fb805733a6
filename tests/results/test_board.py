"""Who is ranked, where, and who is not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from results_world import number, record, shifted, with_model

from toolkit.errors import UserError
from toolkit.results.board import build_board, version_order
from toolkit.results.record import ModelUse
from toolkit.results.store import ResultStore

BASE = np.random.default_rng(3).uniform(0.2, 0.7, 40).tolist()


def board_of(folder, *pairs):
    store = ResultStore(folder)
    for result, items in pairs:
        store.add(result, items)
    return build_board(store)


def ranks(table, score="rouge1", mode="A"):
    """Return (rank, first, last) by model, in the order of the board."""
    return {
        entry.result.model.name: (entry.rank, entry.rank_low, entry.rank_high)
        for entry in table.entries
        if (entry.number.score, entry.mode) == (score, mode)
    }


def test_those_whom_no_test_tells_apart_share_a_rank(tmp_path):
    pairs = [
        record(name, {"rouge1": shifted(BASE, by)})
        for name, by in (("low", 0.0), ("high", 0.2), ("near", 0.201), ("mid", 0.1))
    ]
    found = ranks(board_of(tmp_path, *pairs).tables[0])
    assert found["high"] == found["near"] == (1, 1, 2)
    assert found["mid"] == (3, 3, 3)
    assert found["low"] == (4, 4, 4)


def test_items_of_a_cluster_are_one_piece_of_evidence(tmp_path):
    # Ten items of a cluster share their advantage: plain item by item, not in four clusters.
    noise = np.repeat([0.06, -0.02, 0.05, 0.01], 10)
    values = [(np.array(BASE) + noise).tolist(), BASE]
    single = [record(n, {"rouge1": v}) for n, v in zip("ab", values, strict=True)]
    names = tuple(np.repeat([f"{i:016x}" for i in range(4)], 10))
    clustered = [
        record(n, {"rouge1": v}, clusters=names) for n, v in zip("ab", values, strict=True)
    ]
    assert len(set(ranks(board_of(tmp_path / "1", *single).tables[0]).values())) == 2
    assert set(ranks(board_of(tmp_path / "2", *clustered).tables[0]).values()) == {(1, 1, 2)}


def test_what_has_no_value_is_listed_and_never_ranked(tmp_path):
    failed = record("failed", {"rouge1": [None] * 40})
    reference = with_model(record("gold", {"rouge1": [1.0] * 40}), kind="reference")
    pairs = [record("one", {"rouge1": BASE}), failed, reference]
    table = board_of(tmp_path, *pairs).tables[0]
    found = ranks(table)
    assert list(found) == ["one", "failed", "gold"]
    assert found["one"] == (1, 1, 1)
    assert found["failed"] == found["gold"] == (None, None, None)
    reasons = {e.result.model.name: e.unranked for e in table.entries if e.unranked}
    assert "no row has a value" in reasons["failed"]
    assert "ceiling" in reasons["gold"]


def test_what_nobody_else_computed_is_listed_and_never_ranked(tmp_path):
    claimed = record("claimed", {"rouge1": shifted(BASE, 0.3)}, tier="self-reported")
    table = board_of(tmp_path, record("one", {"rouge1": BASE}), claimed).tables[0]
    assert ranks(table) == {"one": (1, 1, 1), "claimed": (None, None, None)}
    assert table.entries[-1].unranked.startswith("self-reported")


@pytest.mark.parametrize(
    ("direction", "target", "first"),
    [("higher", None, "three"), ("lower", None, "near"), ("target", 1.0, "near")],
)
def test_the_direction_says_who_is_first(tmp_path, direction, target, first):
    pairs = []
    for name, mean in (("half", 1.5), ("near", 1.05), ("three", 3.0)):
        values = shifted([mean] * 40, 0.0)
        score = number("rouge1", values, direction=direction, target=target, most=None)
        pairs.append(record(name, {"rouge1": values}, scores=[score]))
    found = ranks(board_of(tmp_path, *pairs).tables[0])
    assert next(iter(found)) == first
    assert found[first] == (1, 1, 1)


def test_two_sides_of_a_target_are_not_told_apart(tmp_path):
    pairs = []
    for name, mean in (("under", 0.8), ("over", 1.3)):
        values = shifted([mean] * 40, 0.0)
        score = number("rouge1", values, direction="target", target=1.0)
        pairs.append(record(name, {"rouge1": values}, scores=[score]))
    assert set(ranks(board_of(tmp_path, *pairs).tables[0]).values()) == {(1, 1, 2)}


def test_a_score_without_a_better_end_ranks_nobody(tmp_path):
    pairs = []
    for name in "ab":
        score = number("rouge1", BASE, direction="none")
        pairs.append(record(name, {"rouge1": BASE}, scores=[score]))
    table = board_of(tmp_path, *pairs).tables[0]
    assert {entry.unranked for entry in table.entries} == {"the score has no better end"}


def test_the_latest_counts_never_the_best_and_a_withdrawal_brings_the_one_before_back(tmp_path):
    store = ResultStore(tmp_path)
    good = store.add(*record("m", {"rouge1": shifted(BASE, 0.2)}, date="2026-01-01"))
    bad = store.add(*record("m", {"rouge1": BASE}, date="2026-02-01"))
    table = build_board(store).tables[0]
    assert [entry.result.record_id for entry in table.entries] == [bad.record_id]
    assert [(p.result.record_id, p.state, p.by) for p in table.history] == [
        (bad.record_id, "counts", ""),
        (good.record_id, "superseded", bad.record_id),
    ]
    store.withdraw(bad.record_id, reason="wrong template", by="ada", date="2026-03-01")
    table = build_board(store).tables[0]
    assert [entry.result.record_id for entry in table.entries] == [good.record_id]
    assert [(p.state, p.withdrawal and p.withdrawal.reason) for p in table.history] == [
        ("withdrawn", "wrong template"),
        ("counts", None),
    ]


def test_a_version_whose_records_are_all_withdrawn_keeps_its_history(tmp_path):
    store = ResultStore(tmp_path)
    kept = store.add(*record())
    store.withdraw(kept.record_id, reason="leak", by="ada", date="2026-03-01")
    table = build_board(store).tables[0]
    assert (table.entries, table.groups) == ((), ())
    assert table.history[0].state == "withdrawn"


def test_each_version_has_a_table_that_a_newer_one_leaves_alone(tmp_path):
    pairs = [record(m, {"rouge1": shifted(BASE, b)}) for m, b in (("a", 0.0), ("b", 0.1))]
    before = board_of(tmp_path / "1", *pairs).tables[0]
    newer = record("a", {"rouge1": BASE}, version="1.10")
    tables = board_of(tmp_path / "2", *pairs, newer).tables
    assert [table.version for table in tables] == ["1.10", "1.0"]
    assert tables[1] == before


def test_versions_are_ordered_as_people_count():
    names = ["2.0", "1.10", "1.9", "1.0.1", "1.0", "1.0-rc1"]
    assert (
        sorted(["1.0", "1.9", "2.0", "1.0-rc1", "1.10", "1.0.1"], key=version_order)[::-1] == names
    )


def test_prompt_modes_are_ranked_apart_and_a_baseline_stands_in_each(tmp_path):
    baseline = with_model(record("first", {"rouge1": BASE}, prompt=""), kind="baseline")
    pairs = [
        baseline,
        record("m", {"rouge1": shifted(BASE, 0.2)}, prompt="A"),
        record("m", {"rouge1": shifted(BASE, -0.2)}, prompt="B"),
    ]
    table = board_of(tmp_path, *pairs).tables[0]
    assert table.modes == ("A", "B")
    assert ranks(table, mode="A") == {"m": (1, 1, 1), "first": (2, 2, 2)}
    assert ranks(table, mode="B") == {"first": (1, 1, 1), "m": (2, 2, 2)}


def test_splits_are_ranked_apart(tmp_path):
    pairs = [record("a", {"rouge1": BASE}), record("b", {"rouge1": BASE}, split="hard")]
    table = board_of(tmp_path, *pairs).tables[0]
    assert table.groups == (("hard", "A"), ("test", "A"))
    assert [entry.rank for entry in table.entries] == [1, 1]


def test_a_number_of_another_scorer_is_not_compared(tmp_path):
    def scored(name, version):
        score = number("rouge1", BASE, signature=f"rouge1|version:{version}|n:40|seed:1")
        return record(name, {"rouge1": BASE}, scores=[score])

    table = board_of(tmp_path, scored("a", 1), scored("b", 1), scored("c", 2)).tables[0]
    assert ranks(table)["c"] == (None, None, None)
    assert "version:2" in next(e.unranked for e in table.entries if e.unranked)


def test_without_item_scores_the_intervals_tell_apart_what_lies_far_apart(tmp_path):
    values = {"far": shifted(BASE, 0.9), "near": shifted(BASE, 0.02), "base": BASE}
    pairs = [(record(name, {"rouge1": v})[0], None) for name, v in values.items()]
    found = ranks(board_of(tmp_path, *pairs).tables[0])
    assert found == {"far": (1, 1, 1), "near": (2, 2, 3), "base": (2, 2, 3)}


def test_equal_competitors_stand_in_the_order_they_came(tmp_path):
    pairs = [
        record("zeta", {"rouge1": BASE}, date="2026-01-01"),
        record("alpha", {"rouge1": BASE}, date="2026-01-02"),
    ]
    assert list(ranks(board_of(tmp_path, *pairs).tables[0])) == ["zeta", "alpha"]


@settings(max_examples=6)
@given(st.permutations(range(5)), st.integers(0, 1000))
def test_a_board_does_not_depend_on_the_order_of_arrival(tmp_path_factory, order, seed):
    rng = np.random.default_rng(seed)
    pairs = [
        record(f"m{at}", {"rouge1": (np.array(BASE) + rng.normal(0, 0.1, 40)).tolist()})
        for at in range(5)
    ]
    tables = [
        board_of(tmp_path_factory.mktemp("b"), *(pairs[at] for at in way)).tables[0]
        for way in (range(5), order)
    ]
    assert tables[0] == tables[1]
    for rank, low, high in ranks(tables[0]).values():
        assert 1 <= rank == low <= high <= 5


def test_what_is_no_board_is_refused(tmp_path):
    with pytest.raises(UserError, match="no record"):
        build_board(ResultStore(tmp_path))
    with pytest.raises(UserError, match="several benchmarks: demo, other"):
        board_of(tmp_path, record("a"), record("b", benchmark="other"))


def test_names_of_models_are_theirs(tmp_path):
    odd = ModelUse(name="Ada/GPT 4 ☃", title="x")
    table = board_of(tmp_path, record(odd, {"rouge1": BASE})).tables[0]
    assert table.entries[0].result.model == odd


def without(share):
    """Return values of 40 items, the lowest of which are missing."""
    known = sorted(BASE)[int(share * 40) :]
    return [None] * (40 - len(known)) + known


@pytest.mark.parametrize(("tier", "submitter"), [("re-scored", "eve"), ("re-generated", "org")])
def test_who_answers_only_what_suits_it_has_no_rank(tmp_path, tier, submitter):
    picky = record(
        "picky", {"rouge1": without(0.5)}, statuses={"ok": 20, "refused": 20},
        tier=tier, submitter=submitter,
    )  # fmt: skip
    honest = record("honest", {"rouge1": sorted(BASE)}, statuses={"ok": 40})
    nearly = record("nearly", {"rouge1": without(0.05)}, statuses={"ok": 38, "error": 2})
    store = ResultStore(tmp_path)
    for pair in (picky, honest, nearly):
        store.add(*pair)
    table = build_board(store).tables[0]
    entries = {entry.result.model.name: entry for entry in table.entries}
    assert entries["picky"].number.value > entries["honest"].number.value
    assert (entries["picky"].rank, entries["picky"].unranked) == (
        None, "50.0% of its answers failed, and up to 5% are ranked",
    )  # fmt: skip
    assert entries["honest"].rank and entries["nearly"].rank
    generous = build_board(store, max_failed=0.5).tables[0]
    assert all(entry.rank for entry in generous.entries)


def test_answers_that_no_score_can_be_made_of_count_as_missing(tmp_path):
    # A judge that fails on half of the answers, whose model answered every time.
    pairs = [record("a", {"q": without(0.5)}), record("b", {"q": BASE}), record("c", {"q": BASE})]
    table = board_of(tmp_path, *pairs).tables[0]
    reasons = {entry.result.model.name: entry.unranked for entry in table.entries}
    assert reasons == {
        "a": "20 of 40 answers have no value, and up to 5% are ranked", "b": "", "c": "",
    }  # fmt: skip


def test_a_score_that_many_answers_have_none_of_ranks_all_who_answered(tmp_path):
    pairs = [
        record("a", {"numbers": without(0.3)}),
        record("b", {"numbers": without(0.2)}),
        record("full", {"numbers": BASE}),
        record("failing", {"numbers": without(0.5)}, statuses={"ok": 20, "error": 20}),
    ]
    found = ranks(board_of(tmp_path, *pairs).tables[0], score="numbers")
    assert [name for name, (rank, _, _) in found.items() if rank is None] == ["failing"]
