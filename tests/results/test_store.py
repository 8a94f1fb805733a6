"""The folder of records: append-only, whole, one owner a name."""

from dataclasses import replace

import pytest
from results_world import record

from toolkit.errors import UserError
from toolkit.results.owners import counting_first
from toolkit.results.record import items_path, record_path
from toolkit.results.store import ResultStore


@pytest.fixture
def store(tmp_path):
    return ResultStore(tmp_path)


def test_records_are_there_again(store, tmp_path):
    kept = store.add(*record())
    again = ResultStore(tmp_path)
    assert again.results == {kept.record_id: kept}
    assert again.items(kept.record_id).column("rouge1").tolist() == [0.5, 0.6, 0.4]
    assert again.paths() == sorted([record_path(kept), items_path(kept)])


def test_the_same_evaluation_again_writes_nothing(store, tmp_path):
    first = store.add(*record())
    before = {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in tmp_path.rglob("*.json*")}
    result, items = record(date="2026-03-01", toolkit="0.2.0")
    assert store.add(result, items) == first
    assert {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in before} == before
    assert len(store.results) == 1


def test_another_file_under_the_same_name_is_refused(store, tmp_path):
    result, items = record()
    kept = store.add(result, items)
    (tmp_path / record_path(kept)).write_text("{}")
    other = ResultStore.__new__(ResultStore)
    with pytest.raises(UserError, match="not a record"):
        other.__init__(tmp_path)
    (tmp_path / record_path(kept)).unlink()
    (tmp_path / items_path(kept)).write_text("{}")
    with pytest.raises(UserError, match="says something else"):
        ResultStore(tmp_path).add(result, items)


def test_every_fault_of_a_folder_is_named_at_once(store, tmp_path):
    kept = store.add(*record())
    gone = store.add(*record("beta"))
    path = tmp_path / record_path(kept)
    path.write_text(path.read_text().replace('"ada"', '"eve"'))
    (path.parent / ("0" * 20 + ".json")).write_text("nothing")
    (tmp_path / items_path(gone)).unlink()
    (tmp_path / "results" / "notes.txt").write_text("hello")
    with pytest.raises(UserError) as caught:
        ResultStore(tmp_path)
    said = caught.value.message.splitlines()[1:]
    assert len(said) == 4
    assert any("not that of the record" in line for line in said)
    assert any("0.json: not JSON" in line for line in said)
    assert f"{items_path(gone)}: missing" in said
    assert "results/notes.txt: belongs to no record" in said


def test_a_record_in_the_folder_of_another_is_refused(store, tmp_path):
    kept = store.add(*record())
    wrong = tmp_path / "results" / "1.0" / "beta" / f"{kept.record_id}.json"
    wrong.parent.mkdir()
    wrong.write_bytes((tmp_path / record_path(kept)).read_bytes())
    with pytest.raises(UserError, match=r"belongs to results/1\.0/alpha"):
        ResultStore(tmp_path)


def test_item_scores_that_were_changed_are_refused(store, tmp_path):
    kept = store.add(*record())
    path = tmp_path / items_path(kept)
    path.write_text(path.read_text().replace("0.5", "0.9"))
    with pytest.raises(UserError, match="checksum"):
        ResultStore(tmp_path).items(kept.record_id)


def test_scores_whose_record_never_came_are_no_fault_and_not_published(store, tmp_path):
    result, items = record()
    kept = store.add(result, items)
    (tmp_path / record_path(kept)).unlink()
    again = ResultStore(tmp_path)
    assert again.paths() == []
    assert again.add(result, items).record_id == kept.record_id
    assert len(again.paths()) == 2


def test_a_withdrawal_adds_a_file_and_deletes_none(store, tmp_path):
    kept = store.add(*record())
    before = store.paths()
    first = store.withdraw(kept.record_id, reason="a bug", by="ada", date="2026-02-01")
    assert set(before) < set(store.paths())
    assert store.withdraw(kept.record_id, reason="x", by="eve", date="2026-02-02") == first
    assert ResultStore(tmp_path).withdrawals == {kept.record_id: first}
    with pytest.raises(UserError, match="no record"):
        store.withdraw("f" * 20, reason="a", by="b", date="2026-02-01")


def test_a_later_record_says_whose_place_it_takes(store):
    first = store.add(*record())
    second = store.add(*record(values={"rouge1": [0.1, 0.2, 0.3]}))
    third = store.add(*record(values={"rouge1": [0.2, 0.2, 0.3]}))
    assert second.supersedes == first.record_id
    # All three came on one day: the chain says in which order.
    assert counting_first(list(store.results.values())) == [third, second, first]
    older = replace(third, date="2025-01-01")
    assert counting_first([older, first])[0] == first


def test_nobody_takes_the_place_of_somebody_elses_record(store):
    store.add(*record(tier="re-scored"))
    for tier in ("self-reported", "re-scored"):
        with pytest.raises(UserError, match="handed in by ada"):
            store.add(*record(tier=tier, submitter="eve"))
    again = store.add(*record(tier="re-generated", submitter="org"))
    assert again.supersedes
    assert store.add(*record(prompt="B", submitter="eve")).supersedes == ""


def test_a_record_without_item_scores_is_kept_with_the_reason(store, tmp_path):
    kept = store.add(record(withheld="credentialed")[0], None)
    assert ResultStore(tmp_path).items(kept.record_id) is None
    assert store.paths() == [record_path(kept)]


def test_a_lower_tier_takes_no_place_not_even_of_its_own_submitter(store):
    kept = store.add(*record(tier="re-generated"))
    with pytest.raises(UserError, match="re-generated, record"):
        store.add(*record(tier="re-scored", values={"rouge1": [0.9, 0.9, 0.9]}))
    assert list(store.results) == [kept.record_id]


@pytest.mark.parametrize("twin", ["Alpha", "al\u200bpha", "alpha ", "\uff41lpha"])
def test_a_name_that_looks_like_another_is_that_name(store, twin):
    store.add(*record("alpha"))
    with pytest.raises(UserError, match="handed in by ada"):
        store.add(*record(twin, submitter="eve"))
    # Of the same submitter it is another line, which harms nobody.
    assert store.add(*record(twin, submitter="ada")).supersedes == ""


def test_of_files_that_no_store_let_in_the_owners_record_of_the_highest_tier_counts():
    own = record(tier="re-generated", submitter="org", date="2026-01-01")[0]
    foreign = record(tier="re-generated", submitter="eve", date="2026-03-01")[0]
    lower = record(tier="re-scored", submitter="org", date="2026-04-01")[0]
    assert counting_first([lower, foreign, own]) == [own, foreign, lower]
