"""A small recipe that is good, to be broken in one place at a time."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from toolkit.errors import Fault, RecipeError
from toolkit.recipe.load import load_recipe

DATA: dict[str, Any] = {
    "name": "small",
    "seed": 1,
    "corpus": {
        "source": "jsonl",
        "files": "items.jsonl",
        "access": "open",
        "reference": "answer",
    },
    "splits": {"sizes": {"train": 4, "test": 2}},
    "prompts": {"A": {"file": "ask.j2", "slots": {"question": "field:question"}}},
    "models": {
        "small": {"provider": "llama_cpp", "model": "smollm2-135m-instruct", "max_tokens": 8},
        "floor": {"provider": "baseline", "variant": "first_sentence"},
    },
    "generate": {"split": "test", "prompts": ["A"], "models": ["small", "floor"]},
    "metrics": ["rouge", {"bleu": {"profile": "paper"}}],
    "analyses": ["means"],
}


class _Plain(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def dump(data: Any) -> str:
    return yaml.dump(data, Dumper=_Plain, sort_keys=False, allow_unicode=True)


def write(folder: Path, data: Any = None, *, name: str = "small.yaml", **sections: Any) -> Path:
    """Write the recipe with some sections replaced (None takes one out), and its template."""
    whole = copy.deepcopy(DATA if data is None else data) | sections
    whole = {key: value for key, value in whole.items() if value is not None}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ask.j2").write_text("Q: {{ question }}\n", encoding="utf-8")
    file = folder / name
    file.write_text(dump(whole), encoding="utf-8")
    return file


def faults(file: Path, **options: Any) -> list[Fault]:
    """Return the faults of a recipe; none when it is good."""
    try:
        load_recipe(file, **options)
    except RecipeError as error:
        return error.faults
    return []


def paths(data: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every value inside ``data``."""
    if path:
        yield path
    if isinstance(data, dict):
        for key, value in data.items():
            yield from paths(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from paths(value, (*path, index))


def at(data: Any, path: tuple[str | int, ...]) -> Any:
    for part in path:
        data = data[part]
    return data
