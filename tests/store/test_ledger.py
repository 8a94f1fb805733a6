import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import wait
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import StoreError
from toolkit.store.ledger import Ledger, LedgerRequest, Settlement

ROOT = Path(__file__).parents[2]


def request(text="q", *, repeat=0, base_url="http://h/v1", **body):
    return LedgerRequest(
        "openai_compatible", base_url, "", {"model": "m", "messages": [text], **body}, repeat
    )


def finish(ledger, asked, response=b"{}", **extra):
    claim = ledger.claim(asked, run="r").result()
    assert claim.kind == "send"
    settlement = Settlement(outcome="done", response=response, **extra)
    ledger.settle(claim.call, settlement).result()


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as opened:
        yield opened


def test_a_finished_call_is_stored_and_never_granted_again(ledger):
    finish(ledger, request(), b'{"a": 1}')
    claim = ledger.claim(request(), run="other").result()
    assert claim.kind == "stored"
    assert claim.stored.response == b'{"a": 1}'
    assert ledger.lookup(request()).state == "done"


def test_a_failed_reply_is_finished_too(ledger):
    claim = ledger.claim(request(), run="r").result()
    ledger.settle(
        claim.call, Settlement(outcome="failed", reason="html", response=b"<html>")
    ).result()
    stored = ledger.claim(request(), run="r").result().stored
    assert (stored.state, stored.status, stored.reason) == ("failed", "error", "html")


def test_the_key_tells_requests_apart_and_nothing_else_does():
    different = [
        request(),
        request("other"),
        request(repeat=1),
        request(base_url="http://h2/v1"),
        request(temperature=0.0),
        request(temperature=1.0),
        request(max_tokens=16),
        request(max_tokens=400),
    ]
    assert len({asked.key for asked in different}) == len(different)
    assert request(a=1, b=2).key == request(b=2, a=1).key


@given(st.dictionaries(st.text(), st.one_of(st.integers(), st.text(), st.booleans())))
def test_the_key_does_not_depend_on_the_order_of_the_body(body):
    turned = dict(reversed(body.items()))
    one = LedgerRequest("p", "u", "", body, 0)
    two = LedgerRequest("p", "u", "", turned, 0)
    assert one.key == two.key


def test_a_claimed_request_is_busy_for_everybody_else(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as one, Ledger(path) as two:
        assert one.claim(request(), run="r").result().kind == "send"
        assert two.claim(request(), run="r").result().kind == "busy"
        assert one.claim(request(), run="r").result().kind == "busy"


def test_closing_turns_calls_in_flight_into_unknown(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as one:
        one.claim(request(), run="r").result()
    with Ledger(path) as two:
        counts = two.counts()
        assert counts.calls == {"unknown": 1}
        assert counts.requests == {"unknown": 1}
        assert two.claim(request(), run="r").result().kind == "send"
        # An unknown outcome stays on record although the request is sent again.
        assert two.counts().calls == {"unknown": 1, "sent": 1}


def test_turned_away_calls_cost_nothing_and_leave_the_request_open(ledger):
    claim = ledger.claim(request(), run="r", reserve_pico_usd=50).result()
    ledger.settle(claim.call, Settlement(outcome="not_processed", reason="429")).result()
    counts = ledger.counts("r")
    assert counts.requests == {"open": 1}
    assert counts.spent_pico_usd == 0


def test_money_is_reserved_before_and_corrected_after(ledger):
    claim = ledger.claim(request(), run="r", reserve_pico_usd=60, budget_pico_usd=100).result()
    refused = ledger.claim(request("b"), run="r", reserve_pico_usd=60, budget_pico_usd=100).result()
    assert refused.kind == "budget"
    ledger.settle(claim.call, Settlement(outcome="done", cost_pico_usd=10)).result()
    granted = ledger.claim(request("b"), run="r", reserve_pico_usd=60, budget_pico_usd=100).result()
    assert granted.kind == "send"
    ledger.settle(granted.call, Settlement(outcome="unknown", reason="timeout")).result()
    # What nobody knows counts at its upper bound.
    assert ledger.counts("r").spent_pico_usd == 70
    assert ledger.counts("other").spent_pico_usd == 0


def test_a_failing_operation_undoes_only_itself(ledger):
    good = ledger.claim(request("good"), run="r")
    bad = ledger.submit(lambda db: db.execute("INSERT INTO calls (id) VALUES (NULL)"))
    also_good = ledger.claim(request("also"), run="r")
    wait([good, bad, also_good])
    assert good.result().kind == also_good.result().kind == "send"
    with pytest.raises(sqlite3.IntegrityError):
        bad.result()


def test_acknowledged_writes_survive_the_death_of_the_writer(tmp_path):
    """Every write that was acknowledged before a kill -9 is there afterwards."""
    script = tmp_path / "writer.py"
    script.write_text(
        "import sys, pathlib\n"
        "from toolkit.store.ledger import Ledger, LedgerRequest, Settlement\n"
        "ledger = Ledger(pathlib.Path(sys.argv[1]))\n"
        "for n in range(100000):\n"
        "    asked = LedgerRequest('p', 'u', '', {'n': n}, 0)\n"
        "    claim = ledger.claim(asked, run='r').result()\n"
        "    done = Settlement(outcome='done', response=b'x')\n"
        "    ledger.settle(claim.call, done).result()\n"
        "    sys.stdout.write(f'{n}\\n'); sys.stdout.flush()\n"
    )
    path = tmp_path / "ledger.sqlite"
    child = subprocess.Popen(
        [sys.executable, str(script), str(path)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    for _ in range(40):
        last = child.stdout.readline()
    child.send_signal(signal.SIGKILL)
    rest = child.stdout.read()
    child.wait()
    child.stdout.close()
    acknowledged = int((last + rest).split()[-1]) if rest.endswith(b"\n") else int(last)
    with Ledger(path) as ledger:
        counts = ledger.counts()
        assert counts.requests["done"] >= acknowledged + 1
        assert counts.calls.get("sent", 0) == 0
        assert counts.calls.get("unknown", 0) <= 1


def test_claims_of_a_killed_process_are_taken_over_while_another_lives(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as living:
        code = (
            "import sys, pathlib, os, signal\n"
            "from toolkit.store.ledger import Ledger, LedgerRequest\n"
            "ledger = Ledger(pathlib.Path(sys.argv[1]))\n"
            "asked = LedgerRequest('p', 'u', '', {'n': 1}, 0)\n"
            "ledger.claim(asked, run='r').result()\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        subprocess.run(
            [sys.executable, "-c", code, str(path)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=False,
        )
        asked = LedgerRequest("p", "u", "", {"n": 1}, 0)
        assert living.claim(asked, run="r").result().kind == "send"
        assert living.counts().calls == {"unknown": 1, "sent": 1}


def kill_with_open_wal(path):
    """Leave a ledger as a killed process leaves it: commits in the -wal file only."""
    code = (
        "import sys, pathlib, os, signal\n"
        "from toolkit.store.ledger import Ledger, LedgerRequest, Settlement\n"
        "ledger = Ledger(pathlib.Path(sys.argv[1]))\n"
        "for n in range(3):\n"
        "    asked = LedgerRequest('p', 'u', '', {'n': n}, 0)\n"
        "    claim = ledger.claim(asked, run='r').result()\n"
        "    ledger.settle(claim.call, Settlement(outcome='done', response=b'x')).result()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert path.with_name("ledger.sqlite-wal").stat().st_size > 0


def test_a_killed_ledger_opens_with_all_it_had(tmp_path):
    path = tmp_path / "ledger.sqlite"
    kill_with_open_wal(path)
    with Ledger(path) as ledger:
        assert ledger.counts().requests == {"done": 3}


def test_a_deleted_wal_file_is_refused(tmp_path):
    path = tmp_path / "ledger.sqlite"
    kill_with_open_wal(path)
    path.with_name("ledger.sqlite-wal").unlink()
    with pytest.raises(StoreError, match="of its last commits"):
        Ledger(path)


def test_a_deleted_ledger_is_refused_until_its_trace_is_removed_too(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        finish(ledger, request())
    path.unlink()
    with pytest.raises(StoreError, match="is gone") as caught:
        Ledger(path)
    trace = path.with_name("ledger.sqlite-seq")
    assert str(trace) in caught.value.hint
    trace.unlink()
    with Ledger(path) as ledger:
        assert ledger.counts().requests == {}


def test_an_old_copy_put_back_is_refused(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        finish(ledger, request("a"))
    copy = tmp_path / "copy"
    shutil.copy(path, copy)
    with Ledger(path) as ledger:
        finish(ledger, request("b"))
    shutil.copy(copy, path)
    with pytest.raises(StoreError, match="an old copy was put back"):
        Ledger(path)


def test_another_ledger_in_its_place_is_refused(tmp_path):
    for name in ("one", "two"):
        with Ledger(tmp_path / name / "ledger.sqlite") as ledger:
            finish(ledger, request())
    shutil.copy(tmp_path / "two/ledger.sqlite", tmp_path / "one/ledger.sqlite")
    with pytest.raises(StoreError, match="another ledger"):
        Ledger(tmp_path / "one/ledger.sqlite")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: b"", "is empty"),
        (lambda data: b"{}" + data, "not an SQLite file"),
        (lambda data: data[: len(data) // 2], "damaged"),
        (lambda data: data[:4096] + b"\xff" * 4096 + data[8192:], "damaged"),
    ],
)
def test_a_damaged_ledger_is_refused_and_never_taken_for_an_empty_one(tmp_path, damage, words):
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        for number in range(50):
            finish(ledger, request(str(number)), b"y" * 500)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(StoreError, match=words):
        Ledger(path)


def test_a_changed_reply_is_refused_when_it_is_read(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        finish(ledger, request(), b"unmistakable reply")
    data = path.read_bytes()
    assert data.count(b"unmistakable") == 1
    path.write_bytes(data.replace(b"unmistakable", b"unmistakeable"[:12]))
    with Ledger(path) as ledger, pytest.raises(StoreError, match="checksum"):
        ledger.lookup(request())


def test_another_sqlite_file_is_refused(tmp_path):
    path = tmp_path / "ledger.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    with pytest.raises(StoreError, match="not a ledger"):
        Ledger(path)


def test_a_newer_ledger_is_refused_by_name(tmp_path):
    path = tmp_path / "ledger.sqlite"
    Ledger(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(StoreError, match="version 99"):
        Ledger(path)


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None,
    reason="needs root and setpriv to give permissions up",
)
def test_a_read_only_ledger_is_refused(tmp_path):
    folder = tmp_path / "workspace"
    folder.mkdir()
    path = folder / "ledger.sqlite"
    Ledger(path).close()
    for parent in (tmp_path, *list(tmp_path.parents)[:-2]):
        parent.chmod(0o755)
    code = (
        "import sys, pathlib\n"
        "from toolkit.errors import StoreError\n"
        "from toolkit.store.ledger import Ledger\n"
        "try:\n    Ledger(pathlib.Path(sys.argv[1]))\n"
        "except StoreError as error:\n    sys.exit(f'StoreError: {error.message}')\n"
    )
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--clear-groups", sys.executable, "-B", "-c", code, str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "cannot be written" in done.stderr, done.stderr


def test_a_closed_ledger_leaves_no_side_files_but_its_trace(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        finish(ledger, request())
    left = {item.name for item in tmp_path.rglob("*") if item.is_file()}
    assert {"ledger.sqlite", "ledger.sqlite-seq"} <= left
    assert not any(name.endswith((".tmp", "-wal", "-shm")) for name in left)
    assert not list((tmp_path / "ledger.sqlite.owners").iterdir())


def test_requests_and_replies_are_readable_with_any_sqlite_tool(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        finish(ledger, request("hello"), b"{}", prompt_tokens=3)
    connection = sqlite3.connect(path)
    body, tokens = connection.execute(
        "SELECT body, prompt_tokens FROM requests JOIN calls USING (key)"
    ).fetchone()
    connection.close()
    assert json.loads(body)["messages"] == ["hello"]
    assert tokens == 3


def test_a_finished_request_is_asked_again_only_when_told_how_many_do_not_count(ledger):
    finish = {"http_status": 200, "content_type": "application/json"}
    for number, body in enumerate((b"first", b"second"), 1):
        claim = ledger.claim(request(), run="r", beyond=number - 1).result()
        assert claim.kind == "send"
        done = Settlement(outcome="done", response=body, cost_pico_usd=7, **finish)
        ledger.settle(claim.call, done).result()
        stored = ledger.claim(request(), run="r", beyond=number - 1).result().stored
        assert (stored.response, stored.calls) == (body, number)
        assert ledger.claim(request(), run="r").result().stored.response == body
        assert ledger.find(request(), count=True).result() == stored
    counts = ledger.counts()
    assert (counts.requests, counts.calls) == ({"done": 1}, {"done": 2})
    assert counts.spent_pico_usd == 14


def test_a_second_call_that_dies_leaves_the_request_unknown_and_not_answered(ledger):
    claim = ledger.claim(request(), run="r").result()
    ledger.settle(claim.call, Settlement(outcome="done", response=b"first")).result()
    assert ledger.claim(request(), run="r", beyond=1).result().kind == "send"
    path = ledger.path
    ledger.close()
    with Ledger(path) as again:
        assert again.lookup(request()) is None
        assert again.counts().requests == {"unknown": 1}
        assert again.claim(request(), run="r", beyond=1).result().kind == "send"


def test_the_key_is_the_digest_of_all_that_is_sent(ledger):
    from toolkit.store.canonical import digest

    body = {"messages": [{"content": 'Grüße "x"', "role": "user"}], "b": 1, "a": [1.5, None]}
    asked = LedgerRequest("p\u00e4", "http://h/v1", "2024-01", body, 3)
    assert asked.key == digest(
        {
            "provider": "p\u00e4",
            "base_url": "http://h/v1",
            "api_version": "2024-01",
            "body": body,
            "repeat": 3,
        }
    )
    assert json.loads(asked.content) == body
