import json

import pytest

from toolkit.errors import SourceError, StoreError
from toolkit.store.ledger import Ledger, LedgerRequest, Settlement
from toolkit.store.ledger_transfer import Imported, export_ledger, import_ledger, merge_ledger


def request(number):
    return LedgerRequest("p", "http://h/v1", "", {"messages": [f"naïve {number}"]}, 0)


def answer(ledger, number, response=None, outcome="done"):
    claim = ledger.claim(request(number), run="r", reserve_pico_usd=9).result()
    body = response or f"réponse {number}".encode()
    ledger.settle(
        claim.call, Settlement(outcome=outcome, response=body, prompt_tokens=3, reason="x")
    ).result()


@pytest.fixture
def one(tmp_path):
    with Ledger(tmp_path / "one.sqlite") as ledger:
        yield ledger


@pytest.fixture
def two(tmp_path):
    with Ledger(tmp_path / "two.sqlite") as ledger:
        yield ledger


def test_an_export_brings_all_finished_calls_and_nothing_else(one, two, tmp_path):
    # All claims at once, then all replies: a few commits instead of hundreds.
    claims = [one.claim(request(number), run="r", reserve_pico_usd=9) for number in range(450)]
    for number, claim in enumerate(claims):
        settlement = Settlement(outcome="done", response=b"%d" % number, prompt_tokens=3)
        one.settle(claim.result().call, settlement)
    answer(one, 450, b"<html>", "failed")
    claim = one.claim(request(451), run="r").result()
    one.settle(claim.call, Settlement(outcome="unknown", reason="timeout")).result()
    file = tmp_path / "export.jsonl"
    assert export_ledger(one, file) == 451
    assert import_ledger(two, file) == Imported(new=451, present=0)
    assert import_ledger(two, file) == Imported(new=0, present=451)
    for number in range(451):
        assert two.lookup(request(number)) == one.lookup(request(number))
    assert two.lookup(request(451)) is None
    counts = two.counts()
    assert counts.requests == {"done": 450, "failed": 1}
    assert counts.prompt_tokens == 451 * 3
    assert counts.spent_pico_usd == 0


def test_exports_of_equal_ledgers_are_equal(one, two, tmp_path):
    for number in range(5):
        answer(one, number)
        answer(two, 4 - number)
    export_ledger(one, tmp_path / "a")
    export_ledger(two, tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_merge_answers_what_was_open_here(one, two):
    answer(one, 1)
    answer(one, 2)
    claim = two.claim(request(1), run="r").result()
    two.settle(claim.call, Settlement(outcome="unknown", reason="timeout")).result()
    path = one.path
    one.close()
    assert merge_ledger(two, path) == Imported(new=2, present=0)
    assert two.claim(request(1), run="r").result().kind == "stored"
    # That a call was made whose outcome nobody knows stays true.
    assert two.counts().calls == {"unknown": 1, "done": 2}


def test_two_replies_to_one_request_are_refused(one, two, tmp_path):
    answer(one, 1, b"first")
    answer(two, 1, b"second")
    export_ledger(one, tmp_path / "a")
    with pytest.raises(StoreError, match="different replies"):
        import_ledger(two, tmp_path / "a")
    assert two.lookup(request(1)).response == b"second"


def test_a_request_that_is_being_asked_is_not_overwritten(one, two, tmp_path):
    answer(one, 1)
    export_ledger(one, tmp_path / "a")
    two.claim(request(1), run="r").result()
    with pytest.raises(StoreError, match="right now"):
        import_ledger(two, tmp_path / "a")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda row: {**row, "body": {"messages": ["other"]}}, "key is not that"),
        (lambda row: {**row, "response": "%"}, "base64"),
        (lambda row: {**row, "state": "open"}, "no finished call"),
        (lambda row: {**row, "status": None}, "text is missing"),
        (lambda row: [], "no call"),
    ],
)
def test_a_damaged_line_is_named_and_nothing_is_imported(one, two, tmp_path, change, words):
    answer(one, 1)
    answer(one, 2)
    file = tmp_path / "a.jsonl"
    export_ledger(one, file)
    head, first, second = file.read_text().splitlines()
    file.write_text("\n".join([head, first, json.dumps(change(json.loads(second)))]) + "\n")
    with pytest.raises(SourceError, match=f"a.jsonl:3: .*{words}"):
        import_ledger(two, file)
    assert two.counts().requests == {}


def test_another_file_is_refused(two, tmp_path):
    (tmp_path / "a").write_text('{"format": "other"}\n')
    with pytest.raises(SourceError, match="not an export"):
        import_ledger(two, tmp_path / "a")
    (tmp_path / "a").write_bytes(b"\xff\n")
    with pytest.raises(SourceError, match="UTF-8"):
        import_ledger(two, tmp_path / "a")
    with pytest.raises(StoreError, match="no ledger at"):
        merge_ledger(two, tmp_path / "none.sqlite")
