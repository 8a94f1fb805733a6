"""Fault catalogue 43: a secret is found nowhere but in the request it is for."""

import pytest
import tiny_recipe

from tests.doubles.chat_server import ChatServer
from tests.faults.runs import finish, start

CANARY = "sk-canary-4f7d1c0b9a8e6d5c3b2a"


@pytest.mark.slow
def test_a_key_stays_out_of_every_file_and_of_the_workers(tmp_path):
    recipe = tiny_recipe.data(
        prompts={"A": {"file": "a.j2", "slots": {"text": "field:input"}}},
        models={
            "served": {
                "provider": "openai_compatible",
                "model": "small",
                "base_url": "",
                "api_key_env": "CANARY_KEY",
                "max_tokens": 20,
            },
            "first": {"provider": "baseline", "variant": "first_sentence"},
        },
        generate={"split": "test", "models": ["served", "first"], "prompts": ["A"]},
        metrics=[{"local": "spy.py:spy"}],
    )
    folder, workspace = tmp_path / "recipe", tmp_path / "workspace"
    # A metric runs in a worker: what it finds in its environment would be a leak.
    spy = (
        "import os\nfrom pathlib import Path\n\n"
        f"def spy(prediction, reference):\n    Path({str(tmp_path / 'seen.txt')!r}).write_text("
        "repr(dict(os.environ)))\n    return 1.0\n"
    )
    with ChatServer(tmp_path) as server:
        recipe["models"]["served"]["base_url"] = server.url
        file = tiny_recipe.write(folder, recipe)
        (folder / "a.j2").write_text("Conclude:\n{{ text }}\n")
        (folder / "spy.py").write_text(spy)
        process = start(workspace, "-v", "run", file, "--trust-local", CANARY_KEY=CANARY)
        finish(process, workspace)
        assert len(server.calls) == 6
    assert "PATH" in (tmp_path / "seen.txt").read_text()
    for path in [*workspace.rglob("*"), tmp_path / "seen.txt"]:
        if path.is_file():
            assert CANARY.encode() not in path.read_bytes(), path
