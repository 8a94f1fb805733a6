"""Fault catalogue 33: a ledger that cannot be trusted is refused; it never begins empty."""

import os
import shutil
import sqlite3

import pytest
import tiny_recipe

from tests.doubles.chat_server import ChatServer
from tests.faults.runs import finish, output, run_here, wrapped
from tests.tiny_recipe import UNCHECKED
from toolkit.errors import ToolkitError


def served(folder, url, **model):
    """Write a recipe that asks a server about six items."""
    recipe = tiny_recipe.data(
        prompts={"A": {"file": "a.j2", "slots": {"text": "field:input"}}},
        models={
            "served": {
                "provider": "openai_compatible",
                "model": "small",
                "base_url": url,
                "max_tokens": 20,
                **model,
            }
        },
        generate={"split": "test", "models": ["served"], "prompts": ["A"]},
        metrics=["word_ratio"],
        validation=UNCHECKED,
    )
    file = tiny_recipe.write(folder, recipe)
    (folder / "a.j2").write_text("Conclude:\n{{ text }}\n")
    return file


@pytest.fixture
def paid(tmp_path, scheduler):
    """Pay for six answers and lose what was made of them; only the ledger remembers."""
    workspace = tmp_path / "workspace"
    with ChatServer(tmp_path) as server:
        file = served(tmp_path / "recipe", server.url)
        run_here(file, workspace, scheduler, until="generate")
        assert len(server.calls) == 6
        shutil.rmtree(workspace / "artifacts" / "generate")
        yield file, workspace, server


def damage(workspace, how):
    ledger = workspace / "ledger.sqlite"
    content = ledger.read_bytes()
    if how == "truncated":
        ledger.write_bytes(content[: len(content) // 2])
    elif how == "emptied":
        ledger.write_bytes(b"")
    elif how == "overwritten":
        ledger.write_bytes(b"not a database " * 100)
    elif how == "removed":
        ledger.unlink()
    elif how == "garbled":
        ledger.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))
    elif how == "an older copy":
        connection = sqlite3.connect(ledger)
        connection.execute("UPDATE meta SET value = '2' WHERE name = 'sequence'")
        connection.commit()
        connection.close()
    elif how == "newer":
        connection = sqlite3.connect(ledger)
        connection.execute("PRAGMA user_version = 99")
        connection.commit()
        connection.close()
    elif how == "another program's":
        ledger.unlink()
        connection = sqlite3.connect(ledger)
        connection.execute("CREATE TABLE things (name TEXT)")
        connection.commit()
        connection.close()


HOWS = {
    "truncated": "damaged",
    "emptied": "empty",
    "overwritten": "not an SQLite file",
    "removed": "is gone",
    "garbled": "damaged",
    "an older copy": "commits",
    "newer": "schema version 99",
    "another program's": "not a ledger",
}


def test_33_a_damaged_ledger_is_refused_and_nothing_is_paid_again(paid, scheduler, tmp_path):
    file, workspace, server = paid
    kept = {path: path.read_bytes() for path in workspace.glob("ledger.sqlite*") if path.is_file()}
    for how, words in HOWS.items():
        damage(workspace, how)
        with pytest.raises(ToolkitError) as caught:
            run_here(file, workspace, scheduler, until="generate")
        message = str(caught.value)
        assert caught.value.exit_code == 2, how
        assert words in message, (how, message)
        assert str(workspace / "ledger.sqlite") in message, how
        assert len(server.calls) == 6, how
        assert not list(workspace.glob("artifacts/generate/*/manifest.json")), how
        for path in workspace.glob("ledger.sqlite*"):
            if path.is_file():
                path.unlink()
        for path, content in kept.items():
            path.write_bytes(content)
    result = run_here(file, workspace, scheduler, until="generate")
    assert len(server.calls) == 6, "what was paid is found again once the ledger is back"
    assert result.calls["reused"] == 6


@pytest.mark.timeout(120)
def test_33_a_read_only_ledger_is_refused_by_the_command(paid):
    file, workspace, server = paid
    prefix = []
    if os.geteuid() == 0:
        # Root may write anywhere; without this capability it is an owner like any other.
        if shutil.which("setpriv") is None:
            pytest.skip("root ignores file modes, and setpriv is not here to change that")
        prefix = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
    ledger = workspace / "ledger.sqlite"
    ledger.chmod(0o444)
    try:
        process = wrapped(workspace, prefix, "run", file, "--until", "generate")
        finish(process, workspace, code=2)
    finally:
        ledger.chmod(0o644)
    said = output(workspace)
    assert "ledger.sqlite cannot be written" in said or "cannot be opened" in said
    assert "Traceback" not in said
    assert len(server.calls) == 6
