"""The recipes that ship, their prompts, and a text for each slot of a prompt."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from toolkit.data import data_dir
from toolkit.recipe.load import load_recipe
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.sections import Prompt

RECIPES = data_dir("recipes")
NAMES = sorted(path.stem for path in RECIPES.glob("*.yaml"))
PROTOCOLS = ("academic", "medconclusion", "pcoa", "radiology")
OWN_DATA = ("radiology_credentialed",)
RUN = ("pubmed-query", "quickstart")


@cache
def recipe(name: str) -> Recipe:
    return load_recipe(RECIPES / f"{name}.yaml")


def text(name: str) -> str:
    return (RECIPES / f"{name}.yaml").read_text(encoding="utf-8")


def prompts(loaded: Recipe) -> Iterator[tuple[str, Prompt]]:
    yield from loaded.prompts.items()
    for name, judge in loaded.judges.items():
        single = getattr(judge.params, "prompt", None)
        if single is not None:
            yield name, single
        for stage, prompt in getattr(judge.params, "stages", {}).items():
            yield f"{name}.{stage}", prompt


DUMMY: dict[str, Any] = {
    "sentences": ["First {{ braces }}.", "Second.", "Third."],
    "citations": [3, 99, 1],
    "phrases": ["phrase one", "phrase two"],
    "keywords": ["alpha", "beta"],
}


def fill(prompt: Prompt, **given: Any) -> dict[str, Any]:
    """Return a value for each slot: literals as they are, everything else a marked text."""
    values: dict[str, Any] = {}
    for slot, value in prompt.slots.items():
        kind = value.split(":")[0] if isinstance(value, str) else ""
        if kind == "derive":
            values[slot] = 2
        elif kind in ("field", "answer", "run", "judged"):
            values[slot] = DUMMY.get(slot, f"<<{slot}>>")
        else:
            values[slot] = value
    return values | given


def render(prompt: Prompt, **given: Any) -> str:
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
    template = Path(str(prompt.file)).read_text(encoding="utf-8")
    return environment.from_string(template).render(**fill(prompt, **given)).strip()
