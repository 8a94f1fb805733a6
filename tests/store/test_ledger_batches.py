"""Calls that are claimed long before they are sent: what a killed process owes for them."""

import pytest

from toolkit.store.ledger import Ledger, LedgerRequest, Settlement
from toolkit.store.ledger_batches import FOR_BATCH, claimed_and_left, give_back_unsent


def request(text):
    return LedgerRequest("openai_compatible", "http://h/v1", "", {"messages": [text]}, 0)


def claim(ledger, text, *, reason=FOR_BATCH):
    claimed = ledger.claim(request(text), run="r", reserve_pico_usd=7, reason=reason).result()
    assert claimed.kind == "send"
    return claimed.call


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.sqlite"


def test_what_was_never_in_a_file_costs_nothing_and_the_rest_stays_unknown(path):
    with Ledger(path) as ledger:
        unsent, sent = claim(ledger, "unsent"), claim(ledger, "sent")
        claim(ledger, "interactive", reason="")
    with Ledger(path) as ledger:
        assert ledger.counts().calls == {"unknown": 3}
        assert ledger.counts().spent_pico_usd == 21
        assert ledger.submit(claimed_and_left).result() == [unsent, sent]
        assert ledger.submit(lambda db: give_back_unsent(db, [unsent])).result() == 1
        assert ledger.submit(lambda db: give_back_unsent(db, [unsent])).result() == 0
        after = ledger.counts()
        assert after.calls == {"not_processed": 1, "unknown": 2}
        assert after.requests == {"open": 1, "unknown": 2}
        assert after.spent_pico_usd == 14
        budget = ledger.claim(
            request("more"), run="r", reserve_pico_usd=7, budget_pico_usd=21
        ).result()
        assert budget.kind == "send"


def test_a_living_claim_is_not_given_back(path):
    with Ledger(path) as ledger:
        call = claim(ledger, "living")
        assert ledger.submit(lambda db: give_back_unsent(db, [call])).result() == 0
        assert ledger.counts().calls == {"sent": 1}


@pytest.mark.parametrize("outcome", ["unknown", "not_processed"])
def test_a_call_that_is_taken_back_is_paid_once(path, outcome):
    """Somebody settled a part of a batch and was killed; the next settles all of it."""
    with Ledger(path) as ledger:
        call = claim(ledger, "q")
        ledger.settle(call, Settlement(outcome=outcome, reason="before the kill")).result()
        assert ledger.take_back(request("q").key, call).result() == "taken"
        assert ledger.counts().spent_pico_usd == 7
        assert ledger.take_back(request("q").key, call).result() == "busy"
        done = Settlement(outcome="done", response=b"{}", cost_pico_usd=3)
        ledger.settle(call, done).result()
        assert ledger.counts().spent_pico_usd == 3
        assert ledger.take_back(request("q").key, call).result() == "finished"
        for budget, kind in [(9, "budget"), (10, "send")]:
            claimed = ledger.claim(
                request("next"), run="r", reserve_pico_usd=7, budget_pico_usd=budget
            ).result()
            assert claimed.kind == kind
