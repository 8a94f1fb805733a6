import os

import pytest

from toolkit.ask.secrets import take_secrets
from toolkit.errors import MissingError
from toolkit.store.redact import redact


def test_named_secrets_are_read_and_removed(monkeypatch):
    monkeypatch.setenv("TEST_KEY_A", "value-of-a")
    monkeypatch.setenv("TEST_OTHER", "stays")
    assert dict(take_secrets(["TEST_KEY_A", "TEST_KEY_A"])) == {"TEST_KEY_A": "value-of-a"}
    assert "TEST_KEY_A" not in os.environ
    assert os.environ["TEST_OTHER"] == "stays"
    assert redact("x value-of-a y") == "x [redacted] y"


def test_missing_ones_are_all_named_and_nothing_is_removed(monkeypatch):
    monkeypatch.setenv("TEST_KEY_A", "value-of-a")
    monkeypatch.setenv("TEST_KEY_B", "  ")
    with pytest.raises(MissingError, match="TEST_KEY_B, TEST_KEY_C"):
        take_secrets(["TEST_KEY_C", "TEST_KEY_B", "TEST_KEY_A"])
    assert os.environ["TEST_KEY_A"] == "value-of-a"


def test_an_env_file_beside_the_recipe_is_read(monkeypatch, tmp_path):
    monkeypatch.delenv("TEST_KEY_D", raising=False)
    (tmp_path / ".env").write_text(
        "# keys\nexport TEST_KEY_D='from #file'\nTEST_KEY_E=plain#1 # comment\nnot a line\n"
    )
    taken = take_secrets(["TEST_KEY_D", "TEST_KEY_E"], folder=tmp_path)
    assert dict(taken) == {"TEST_KEY_D": "from #file", "TEST_KEY_E": "plain#1"}
    assert "TEST_KEY_D" not in os.environ


def test_the_environment_wins_over_the_file(monkeypatch, tmp_path):
    monkeypatch.setenv("TEST_KEY_F", "from-environment")
    (tmp_path / ".env").write_text("TEST_KEY_F=from-file\n")
    assert take_secrets(["TEST_KEY_F"], folder=tmp_path)["TEST_KEY_F"] == "from-environment"
