"""Fault catalogue 14, 21: killed at any moment, a run goes on and ends with the same bytes."""

import random
import sqlite3

import pytest
import tiny_recipe

from tests.doubles.chat_server import ChatServer
from tests.faults.runs import ROOT, children_end, finish, kill, start, tree

QUICKSTART = (
    "run",
    ROOT / "recipes" / "quickstart.yaml",
    *("--set", "models.smollm2.max_tokens=6", "--limit", "3"),
)
KILLS = 20


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_quickstart_survives_twenty_kills(tmp_path):
    pytest.importorskip("xllamacpp")
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    finish(start(undisturbed, *QUICKSTART), undisturbed)
    chance = random.Random(21)
    done = 0
    for _ in range(KILLS):
        process = start(killed, *QUICKSTART)
        done += kill(process, chance.uniform(0.2, 7.0))
    finish(start(killed, *QUICKSTART), killed)
    assert done >= KILLS // 2
    assert tree(killed) == tree(undisturbed)
    before = tree(killed)
    again = start(killed, *QUICKSTART)
    finish(again, killed)
    assert tree(killed) == before
    assert "0 steps made" in (killed / "output.txt").read_text()
    assert children_end(again)


def server_recipe(folder, url):
    recipe = tiny_recipe.data(
        prompts={"A": {"file": "a.j2", "slots": {"text": "field:input"}}},
        models={
            "served": {
                "provider": "openai_compatible",
                "model": "small",
                "base_url": url,
                "concurrency": 4,
                "max_tokens": 20,
                "max_unknown_retries": 10,
            }
        },
        generate={"split": "all", "models": ["served"], "prompts": ["A"]},
        metrics=["word_ratio"],
        splits={"sizes": {"test": 40}},
    )
    file = tiny_recipe.write(folder, recipe, tiny_recipe.rows(40))
    (folder / "a.j2").write_text("Conclude:\n{{ text }}\n")
    return file


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_server_is_never_paid_twice(tmp_path):
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    chance = random.Random(23)
    with ChatServer(tmp_path, latency=0.6) as server:
        file = server_recipe(tmp_path / "recipe", server.url)
        done = 0
        for _ in range(6):
            process = start(killed, "run", file)
            done += kill(process, chance.uniform(4.0, 12.0))
            process.wait()
        finish(start(killed, "run", file), killed)
        hits, calls = server.hits, len(server.calls)
        finish(start(killed, "run", file), killed)
        assert len(server.calls) == calls, "a finished run was paid again"
    assert done > 0
    database = sqlite3.connect(killed / "ledger.sqlite")
    unknown = dict(
        database.execute(
            "SELECT key, COUNT(*) FROM calls WHERE outcome = 'unknown' GROUP BY key"
        ).fetchall()
    )
    total = database.execute("SELECT COUNT(*) FROM calls WHERE outcome = 'done'").fetchone()[0]
    database.close()
    assert total == len(hits) == 40
    for key, count in hits.items():
        # A call claimed just before the kill may never have reached the server.
        assert 1 <= count <= 1 + unknown.get(key, 0)
    server_folder = tmp_path / "second"
    server_folder.mkdir()
    with ChatServer(server_folder) as server:
        file = server_recipe(tmp_path / "recipe", server.url)
        finish(start(undisturbed, "run", file), undisturbed)
    answers = [path for path in tree(killed) if path.startswith("generate/")]
    assert len(answers) == len([path for path in tree(undisturbed) if path.startswith("generate/")])
