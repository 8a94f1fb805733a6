"""``toolkit check --online`` against a real server, in a process of its own."""

import os
import subprocess
import sys

import pytest

from tests import tiny_recipe
from tests.conftest import ROOT
from tests.doubles.chat_server import ChatServer

KEY = "sk-test-abcdefgh12345678"


def check(recipe, folder, code, **environment):
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "toolkit",
            "--workspace",
            folder / "ws",
            "check",
            recipe,
            "--online",
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert KEY not in done.stdout + done.stderr
    return done.stdout, done.stderr


def recipe(folder, models):
    data = tiny_recipe.data(
        prompts={"ask": {"file": "ask.j2", "slots": {"text": "field:input"}}},
        models={
            name: {"provider": "openai_compatible", "model": name, "max_tokens": 50, **more}
            for name, more in models.items()
        },
        generate={"split": "test", "prompts": ["ask"], "models": list(models)},
    )
    (folder / "ask.j2").write_text("Sum up: {{ text }}", encoding="utf-8")
    return tiny_recipe.write(folder, data)


PRICES = {"input_per_million": 1.0, "output_per_million": 2.0}


@pytest.mark.slow
def test_a_line_a_model_and_a_second_check_pays_nothing(tmp_path):
    usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
    script = [{"times": 0, "finish": "length", "patch": {"usage": usage}}]
    with ChatServer(tmp_path, script=script) as server:
        models = {"a": {"prices": PRICES, "api_key_env": "A_KEY"}, "b": {}}
        for entry in models.values():
            entry["base_url"] = server.url
        file = recipe(tmp_path, models)
        first, _ = check(file, tmp_path, 0, A_KEY=KEY)
        again, _ = check(file, tmp_path, 0, A_KEY=KEY)
        assert len(server.calls) == 2
        unset, error = check(file, tmp_path, 2)
    assert "a: served as a-served; 9 tokens read, 1 written; $0.00001100\n" in first
    assert "b: served as b-served; 9 tokens read, 1 written; the recipe gives no prices" in first
    assert "the recipe is good" in first
    assert again.count("proved by an earlier check") == 2
    assert "A_KEY" in error
    assert unset == ""


@pytest.mark.slow
def test_faults_of_all_models_at_once(tmp_path):
    script = [
        {"times": 0, "status": 401, "body": {"error": {"message": f"Incorrect key: {KEY}"}}},
    ]
    with ChatServer(tmp_path, script=script) as server:
        models = {
            "refused": {"base_url": server.url, "api_key_env": "A_KEY"},
            "away": {"base_url": "http://127.0.0.1:9/v1"},
        }
        out, error = check(recipe(tmp_path, models), tmp_path, 2, A_KEY=KEY)
    assert "2 of 2 models cannot be asked" in error
    assert "refused: the server refused access (HTTP 401: Incorrect key: [redacted])" in error
    assert "A_KEY" in error
    assert "away: " in error
    assert "no connection to http://127.0.0.1:9/v1" in error
    assert "the recipe is good" not in out


def test_without_a_model_on_a_server_there_is_nothing_to_ask(tmp_path):
    _, error = check(tiny_recipe.write(tmp_path), tmp_path, 0)
    assert "no model that the recipe uses is on a server" in error
    assert not (tmp_path / "ws").exists()
