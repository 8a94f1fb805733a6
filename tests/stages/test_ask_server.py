"""Steps that ask one server at the same time, seen through whole runs."""

import signal
import sqlite3
import time

import pytest
import tiny_recipe

from tests.doubles.chat_server import ChatServer
from tests.faults.runs import children_end, finish, output, start
from toolkit.execute import run_recipe
from toolkit.recipe.load import load_recipe

LATENCY = 0.05
PROMPTS = ("A", "B", "C", "D")
ITEMS = 6


def asked(folder, url, *, execution=None, items=ITEMS, **model):
    """Write a recipe whose four prompts are four steps that ask one server."""
    recipe = tiny_recipe.data(
        prompts={
            name: {"file": f"{name}.j2", "slots": {"text": "field:input"}} for name in PROMPTS
        },
        models={
            "served": {
                "provider": "openai_compatible",
                "model": "small",
                "base_url": url,
                "max_tokens": 20,
                **model,
            }
        },
        splits={"sizes": {"train": 1, "test": items}},
        generate={"split": "test", "models": ["served"], "prompts": list(PROMPTS)},
        metrics=["word_ratio"],
        validation={kind: {"on_failure": "off"} for kind in ("corpus", "splits", "generations")},
        execution={"workers": 1, **(execution or {})},
    )
    file = tiny_recipe.write(folder, recipe, tiny_recipe.rows(items + 6))
    for name in PROMPTS:
        (folder / f"{name}.j2").write_text(f"Prompt {name}:\n{{{{ text }}}}\n")
    return file


def kept_to(at_once, calls):
    """Return whether at most so many were in flight: see tests/ask/test_limits.py."""
    arrived = sorted(call["time"] for call in calls)
    pairs = zip(arrived, arrived[at_once:], strict=False)
    return all(after - before >= LATENCY for before, after in pairs)


@pytest.mark.parametrize(
    ("model", "execution", "at_once"),
    [({"concurrency": 1}, {}, 1), ({"concurrency": 3}, {}, 3), ({}, {"concurrency": 2}, 2)],
)
def test_four_prompts_keep_to_one_limit(tmp_path, model, execution, at_once):
    with ChatServer(tmp_path, latency=LATENCY) as server:
        file = asked(tmp_path / "recipe", server.url, execution=execution, **model)
        result = run_recipe(load_recipe(file), workspace=tmp_path / "w", until="generate")
        calls = server.calls
    assert len(calls) == result.calls["made"] == len(PROMPTS) * ITEMS
    assert kept_to(at_once, calls)
    assert at_once == 1 or not kept_to(at_once - 1, calls)


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow)],
)
def test_a_signal_while_asking_ends_the_run_with_its_code_and_repeats_nothing(
    tmp_path, number, code
):
    workspace = tmp_path / "workspace"
    items = 12
    with ChatServer(tmp_path, latency=0.2) as server:
        file = asked(tmp_path / "recipe", server.url, items=items, concurrency=4)
        process = start(workspace, "run", file, "--until", "generate")
        while len(server.calls) < 5:
            assert process.poll() is None, output(workspace)
            time.sleep(0.02)
        process.send_signal(number)
        finish(process, workspace, code)
        assert children_end(process)
        sent = len(server.calls)
        assert sent < len(PROMPTS) * items
        connection = sqlite3.connect(workspace / "ledger.sqlite")
        outcomes = connection.execute("SELECT outcome, COUNT(*) FROM calls GROUP BY 1").fetchall()
        connection.close()
        # What was in flight has ended, and is written down.
        assert outcomes == [("done", sent)]
        said = output(workspace)
        assert "Traceback" not in said
        assert "failed" not in said.replace("0 failed", "")
        result = run_recipe(load_recipe(file), workspace=workspace, until="generate")
        assert len(server.calls) == len(PROMPTS) * items
        assert set(server.hits.values()) == {1}
    assert result.calls["reused"] == sent
    assert result.calls["made"] == len(PROMPTS) * items - sent
