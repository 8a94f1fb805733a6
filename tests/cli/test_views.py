"""What people see of a run that asked a server: status, show, plan, judge."""

import json
import shutil

import pytest
from click.testing import CliRunner

from tests.doubles.chat_server import ChatServer
from tests.stages.test_judge import llm, says, write
from toolkit.cli.main import cli

ESCAPE = "\x1b[31mred"


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A finished run with two judges' replies, some of them no scores."""
    folder = tmp_path_factory.mktemp("views")
    script = [
        says("no idea", match="Compare.", times=2),
        says('<think>hm</think>{"similarity": 70, "safety": 1}', match="Compare."),
        {"match": "question 1", "message": {"content": f"Bad {ESCAPE} text."}, "times": 0},
        says("It works."),
    ]
    with ChatServer(folder, script) as server:
        file = write(
            folder / "r", server.url, {"one": llm(reask=0)},
            execution={"workers": 1, "budget_usd": 5.0},
        )  # fmt: skip
        found = call(folder, "judge", str(file))
        assert found.exit_code == 0, found.output
        made = len(server.calls)
        assert call(folder, "run", str(file)).exit_code == 0
        assert len(server.calls) == made
        yield folder, file, made


def call(folder, *arguments):
    return CliRunner().invoke(cli, ["--workspace", str(folder / "w"), *arguments])


def test_judge_stops_after_judging_and_run_goes_on_without_asking(world):
    folder, _, made = world
    assert made == 6 + 12
    listed = call(folder, "status").output
    assert "complete" in listed


def test_status_counts_calls_tokens_money_and_reasons(world):
    folder, _, made = world
    text = call(folder, "status", "latest").output
    assert f"{made} finished, 0 of them no answer" in text
    assert "tokens: " in text
    assert "money: at most $0.0" in text
    assert "judge/one/first" in text


def test_status_tells_what_the_last_start_took_from_the_ledger(world):
    folder, file, made = world
    for answers in ("generate", "judge"):
        shutil.rmtree(folder / "w" / "artifacts" / answers)
    assert call(folder, "run", str(file)).exit_code == 0
    text = call(folder, "status", "latest").output
    assert f"last start: 0 calls made, {made} finished before and not made again" in text


def test_show_goes_from_source_to_score(world):
    folder, _, _ = world
    run = [line.split()[0] for line in call(folder, "status").output.splitlines()][-1]
    for number in range(12):
        item = f"row-{number:02d}"
        lines = call(folder, "show", run, item, "--json").output.splitlines()
        rows = [json.loads(line) for line in lines]
        tables = [row["table"] for row in rows]
        if "generations" in tables:
            break
    assert tables.index("items") < tables.index("generations") < tables.index("judgements")
    assert tables.index("judgements") < len(tables) - 1 - tables[::-1].index("scores")
    prompts = [row for row in rows if row["table"] == "prompt"]
    assert any("Write about" in row.get("user", "") for row in prompts)
    assert any("<candidate>" in row.get("user", "") for row in prompts)
    text = call(folder, "show", run, item, "--model", "writer").output
    assert "model: writer" in text
    assert "model: first" not in text
    assert "--- judge/one/writer/A (judgements)" in text


def test_reasoning_is_shown_apart_and_no_escape_sequence_reaches_the_terminal(world):
    folder, _, _ = world
    shown = "".join(call(folder, "show", "latest", f"row-{n:02d}").output for n in range(12))
    assert "reasoning: hm" in shown
    assert "[U+001B]" in shown
    assert "\x1b" not in shown


def test_show_of_an_item_that_is_not_there(world):
    folder, _, _ = world
    found = call(folder, "show", "latest", "nothing")
    assert "no item 'nothing'" in str(found.exception)


def test_plan_prices_judges_and_says_what_is_left_of_the_budget(world):
    folder, file, _ = world
    done = json.loads(call(folder, "plan", str(file), "--json").output)
    judged = {step["name"]: step for step in done["steps"] if step["stage"] == "judge"}
    assert all(step["state"] == "reused" and not step["calls"] for step in judged.values())
    fresh = CliRunner().invoke(cli, ["--workspace", str(folder / "new"), "plan", str(file)])
    assert "budget: $5.00, $0.0000 spent by this run so far" in fresh.output


def test_plan_counts_the_calls_of_judges_once_the_answers_are_there(world):
    folder, file, _ = world
    found = call(folder, "plan", str(file), "--json", "--set", "judges.one.repeats=3")
    steps = {step["name"]: step for step in json.loads(found.output)["steps"]}
    step = steps["judge/one/first"]
    assert step["calls"] == 6 * 3
    assert 0 < step["usd_low"] < step["usd_high"]
