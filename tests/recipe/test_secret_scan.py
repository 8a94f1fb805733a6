"""A recipe names the variable of a secret and never holds one."""

from __future__ import annotations

import pytest
import small_recipe

from toolkit.errors import RecipeError
from toolkit.recipe.load import load_recipe

MODEL = {"provider": "openai_compatible", "model": "x", "max_tokens": 8, "profile": "openai"}

# Put together here, so that no scanner takes this file for a leak.
SECRETS = [
    "sk-" + "canary" * 4,
    "hf_" + "Canary" * 4,
    "gsk_" + "canary" * 4,
    "AIza" + "canary" * 6,
    "ghp_" + "Canary" * 4,
    "AKIA" + "CANARY12" * 2,
    "Bearer " + "canary." * 4,
]


@pytest.mark.parametrize(
    "key", ["api_key", "token", "password", "authorization", "API_KEY", "secret"]
)
def test_keys_of_secrets_are_refused_and_the_remedy_named(tmp_path, key):
    file = small_recipe.write(tmp_path, models={"small": MODEL | {key: "anything"}})
    reasons = {fault.reason: fault.suggestion for fault in small_recipe.faults(file)}
    remedy = reasons[f"'{key}' would hold a secret in the recipe"]
    assert remedy == f"write {key.lower()}_env: NAME_OF_AN_ENVIRONMENT_VARIABLE"


@pytest.mark.parametrize("secret", SECRETS)
def test_values_that_look_like_secrets_are_refused_wherever_they_stand(tmp_path, secret):
    places = {
        "description": f"use {secret} here",
        "prompts": {"A": {"file": "ask.j2", "slots": {"question": secret}}},
        "models": {"small": MODEL | {"extra_body": {"headers": [{"x": secret}]}}},
    }
    for section, value in places.items():
        file = small_recipe.write(tmp_path, **{section: value})
        with pytest.raises(RecipeError) as caught:
            load_recipe(file)
        assert any("looks like a secret key" in fault.reason for fault in caught.value.faults)
        # The message must not spread what it found.
        assert secret not in str(caught.value)


def test_secrets_of_the_command_line_are_refused_too(tmp_path):
    file = small_recipe.write(tmp_path)
    with pytest.raises(RecipeError, match="looks like a secret key"):
        load_recipe(file, overrides=[f"description={SECRETS[0]}"])


def test_names_of_variables_and_ordinary_words_are_no_secrets(tmp_path):
    model = MODEL | {"api_key_env": "OPENAI_API_KEY"}
    about = "sk-learn, tokens, hf_hub, the task-specific-and-very-long-hyphenated-word"
    file = small_recipe.write(
        tmp_path, models={"small": model, "floor": small_recipe.DATA["models"]["floor"]},
        description=about,
    )  # fmt: skip
    assert small_recipe.faults(file) == []
    assert load_recipe(file).secret_names == ("OPENAI_API_KEY",)
