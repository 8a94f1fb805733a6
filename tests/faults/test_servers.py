"""Fault catalogue 25-27: what a server does wrong, seen through whole runs."""

import socket

import pyarrow.parquet as pq
import pytest

from tests.doubles.chat_server import ChatServer
from tests.faults.runs import children_end, finish, output, run_here, start
from tests.faults.test_ledger_damage import served

ANSWER = {"error": {"message": "Incorrect API key provided: it was revoked.", "type": "invalid"}}


@pytest.fixture(scope="module", autouse=True)
def away(tmp_path_factory):
    """Start a run whose server is not there: it tries for a while, and other tests go on."""
    folder = tmp_path_factory.mktemp("away")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    file = served(folder / "recipe", f"http://127.0.0.1:{port}/v1")
    process = start(folder / "workspace", "run", file)
    yield process, file, folder / "workspace", port
    process.kill()
    process.wait()


@pytest.mark.timeout(120)
def test_26_a_refused_key_stops_at_the_first_request(tmp_path):
    workspace = tmp_path / "workspace"
    with ChatServer(tmp_path, [{"status": 401, "body": ANSWER, "times": 0}]) as server:
        file = served(tmp_path / "recipe", server.url, concurrency=4)
        process = start(workspace, "run", file)
        finish(process, workspace, code=2)
        assert len(server.calls) == 1
    said = output(workspace)
    assert "Incorrect API key provided: it was revoked." in said
    assert "Traceback" not in said
    assert not list(workspace.glob("artifacts/generate/*/manifest.json"))
    assert children_end(process)


def test_27_a_web_page_for_an_answer_is_an_error_and_never_a_text(tmp_path, scheduler):
    page = "<html><body><h1>Gateway</h1><p>All is well.</p></body></html>"
    script = [
        {"match": "question 3", "body": page, "headers": {"Content-Type": "text/html"}, "times": 0},
        {"match": "question 4", "body": {}, "times": 0},
        {"match": "question 5", "patch": {"choices": []}, "times": 0},
        {"match": "question 6", "body": page, "times": 0},
    ]
    with ChatServer(tmp_path, script) as server:
        file = served(tmp_path / "recipe", server.url)
        overrides = ["splits.sizes.train=1", "splits.sizes.test=11"]
        result = run_here(file, tmp_path / "w", scheduler, overrides=overrides)
    answers = {
        row["item_id"]: row for row in result.artifacts["generate/served/A"].rows("generations")
    }
    bad = {key for key in ("row-03", "row-04", "row-05", "row-06") if key in answers}
    assert len(bad) >= 3
    for key, row in answers.items():
        assert (row["status"] == "error") == (key in bad), row
        assert (row["answer"] is None) == (key in bad)
        assert bool(row["reason"]) == (key in bad)
    step = next(name for name in result.artifacts if name.startswith("score/"))
    for row in result.artifacts[step].rows("scores"):
        assert (row["value"] is None) == (row["item_id"] in bad)
        assert bool(row["reason"]) == (row["item_id"] in bad)
    board = pq.read_table(result.folder / "leaderboard.parquet").to_pylist()
    assert {(row["n"], row["n_missing"]) for row in board} == {(11 - len(bad), len(bad))}
    assert "All is well" not in (result.folder / "leaderboard.csv").read_text()


def test_25_a_server_that_asks_for_patience_gets_it(tmp_path, scheduler):
    script = [{"status": 429, "headers": {"Retry-After": "1"}, "body": {"error": {}}, "times": 2}]
    with ChatServer(tmp_path, script) as server:
        file = served(tmp_path / "recipe", server.url, concurrency=2)
        result = run_here(file, tmp_path / "w", scheduler, until="generate")
        calls = server.calls
    statuses = [row["status"] for row in result.artifacts["generate/served/A"].rows("generations")]
    assert statuses == ["ok"] * 6
    assert len(calls) == 8
    assert result.calls["made"] == 6
    assert result.calls["unknown"] == 0
    # The first request went alone, was turned away twice, and waited each time as it was told.
    assert calls[1]["time"] - calls[0]["time"] >= 1
    assert calls[2]["time"] - calls[1]["time"] >= 1


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_26_a_server_that_is_away_leaves_a_run_that_can_go_on(away, tmp_path, scheduler):
    process, file, workspace, port = away
    finish(process, workspace, code=3)
    said = output(workspace)
    assert "Traceback" not in said
    assert "run the same command to go on" in said
    assert not list(workspace.glob("artifacts/generate/*/manifest.json"))
    assert children_end(process)
    with ChatServer(tmp_path, port=port) as server:
        result = run_here(file, workspace, scheduler, until="generate")
        assert len(server.calls) == 6
    assert result.calls["unknown"] == 0
