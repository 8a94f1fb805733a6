"""Refused replies: asked again as often as the recipe says, counted over all runs."""

import pytest

from tests.ask.asking import answer_of, questions_for
from tests.doubles.chat_server import ChatServer
from toolkit.ask.engine import AskSettings, ask_all
from toolkit.store.ledger import Ledger
from toolkit.store.ledger_transfer import Imported, export_ledger, import_ledger

FILTERED = {"finish": "content_filter", "message": {"content": "", "refusal": None}}
SAID_NO = {"message": {"content": None, "refusal": "I cannot help with that."}}
BY_STATUS = {"status": 400, "body": {"error": {"message": "no", "code": "content_filter"}}}

SORTS = pytest.mark.parametrize(
    "refusal", [FILTERED, SAID_NO, BY_STATUS], ids=["finish", "refusal", "status"]
)


@SORTS
@pytest.mark.parametrize("retries", [0, 1, 3])
def test_a_refusal_is_the_answer_only_after_all_retries(asker, tmp_path, refusal, retries):
    with ChatServer(tmp_path, [{**refusal, "times": 0}]) as server:
        (answer,) = asker.ask(server, 1, refusal_retries=retries)
        assert (answer.status, answer.answer) == ("refused", None)
        assert len(server.calls) == 1 + retries
        (again,) = asker.ask(server, 1, refusal_retries=retries)
        assert again == answer
        assert len(server.calls) == 1 + retries
    assert asker.reused == 1


@SORTS
def test_an_answer_after_a_refusal_is_the_answer(asker, tmp_path, refusal):
    with ChatServer(tmp_path, [{**refusal, "times": 2}]) as server:
        (answer,) = asker.ask(server, 1, refusal_retries=5)
        assert answer.status == "ok"
        assert len(server.calls) == 3
        assert asker.ask(server, 1, refusal_retries=5) == [answer]
        # It stands now, whatever the number of retries is.
        assert asker.ask(server, 1) == [answer]
        assert len(server.calls) == 3
    finished = {name: n for name, n in asker.counts.calls.items() if name in ("done", "failed")}
    assert sum(finished.values()) == 3
    assert asker.counts.requests == {"done": 1}


def test_more_retries_later_ask_the_refused_again_and_nothing_else(asker, tmp_path):
    refused = {**FILTERED, "match": "abstract 1", "times": 0}
    with ChatServer(tmp_path, [refused]) as server:
        asker.ask(server, 3)
        assert len(server.calls) == 3
        answers = asker.ask(server, 3, refusal_retries=2)
        assert len(server.calls) == 5
    assert [answer.status for answer in answers] == ["ok", "refused", "ok"]
    assert asker.reused == 2


def test_refusals_count_over_runs_however_a_run_ends(asker, tmp_path):
    """Two retries, the first of which has no outcome: it does not count as one."""
    lost = {"close": "before", "match": "abstract 0"}
    refused = {**FILTERED, "times": 0}
    with ChatServer(tmp_path, [{**FILTERED}, lost, refused]) as server:
        with pytest.raises(Exception, match="unknown outcome"):
            asker.ask(server, 1, refusal_retries=2, max_unknown_retries=0)
        assert asker.counts.requests == {"unknown": 1}
        (answer,) = asker.ask(server, 1, refusal_retries=2)
        assert answer.status == "refused"
        assert asker.counts.calls == {"done": 3, "unknown": 1}
        assert len(server.calls) == 4


def test_what_is_reported_counts_every_call(asker, tmp_path):
    seen = []
    with ChatServer(tmp_path, [{**FILTERED, "times": 2}]) as server, Ledger(asker.path) as ledger:
        (asked,) = ask_all(
            asker.model(server, refusal_retries=2),
            questions_for(1),
            ledger,
            settings=AskSettings(run="r", clock=asker.clock),
            on_progress=seen.append,
        )
        spent = ledger.counts("r").spent_pico_usd
    assert answer_of(asked).status == "ok"
    assert not asked.reused
    assert (seen[-1].made, seen[-1].reused) == (3, 0)
    assert seen[-1].cost_pico_usd == spent > 0


def test_an_export_carries_the_reply_that_stands(asker, tmp_path):
    with ChatServer(tmp_path, [{**FILTERED}]) as server:
        (answer,) = asker.ask(server, 1, refusal_retries=1)
        with Ledger(asker.path) as ledger:
            export_ledger(ledger, tmp_path / "export.jsonl")
        asker.path = tmp_path / "other.sqlite"
        with Ledger(asker.path) as other:
            assert import_ledger(other, tmp_path / "export.jsonl") == Imported(new=1, present=0)
        assert asker.ask(server, 1, refusal_retries=1) == [answer]
        assert len(server.calls) == 2
    assert answer.status == "ok"
