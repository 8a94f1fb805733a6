"""A recipe that runs in seconds: twelve rows of a JSONL file, baselines, cheap metrics."""

import json
from pathlib import Path

import yaml

from tests.schedulers import shared_scheduler

SENTENCES = (
    "Walking to school lowered blood pressure in {n} children.",
    "The risk of falls fell by {n} per cent with balance training.",
    "Sleep improved in {n} of 60 nurses who changed their shifts.",
    "Reading aloud for {n} minutes a day widened the vocabulary of toddlers.",
)

UNCHECKED = {
    kind: {"on_failure": "off"}
    for kind in (
        *("corpus", "splits", "variants", "generations"),
        *("judgements", "scores", "leaderboard"),
    )
}
"""A validation section for tests that have nothing to do with it: its process is the slowest
part of a small run."""


def rows(count=12):
    """Return rows with an input of three labelled lines and a reference."""
    found = []
    for n in range(count):
        claim = SENTENCES[n % len(SENTENCES)].format(n=n + 3)
        found.append(
            {
                "key": f"row-{n:02d}",
                "input": f"AIM: To study question {n}.\nMETHODS: We asked {n + 20} people. "
                f"They answered.\nRESULTS: {claim} Nothing else changed in group {n}.",
                "conclusion": f"{claim} It should be tried elsewhere.",
                "topic": "abc"[n % 3],
            }
        )
    return found


def unchecked(**changes):
    """Return the recipe without expectation suites, on workers that this test process keeps.

    For tests of what a run makes; those of how it runs and ends start workers of their own.
    """
    kept = {"scheduler": shared_scheduler()}
    return data(**{"validation": dict(UNCHECKED), "execution": kept, **changes})


def data(**changes):
    """Return the recipe as data, with sections replaced."""
    recipe = {
        "name": "tiny",
        "seed": 7,
        "corpus": {
            "source": "jsonl",
            "files": "rows.jsonl",
            "access": "open",
            "id": "key",
            "reference": "conclusion",
        },
        "splits": {"sizes": {"train": 6, "test": 6}},
        "models": {
            "first": {"provider": "baseline", "variant": "first_sentence"},
            "other": {"provider": "baseline", "variant": "random_conclusion"},
        },
        "generate": {"split": "test", "models": ["first", "other"]},
        "metrics": ["rouge", "word_ratio"],
        "analyses": [{"means": {"resamples": 200}}],
        "execution": {"workers": 1},
    }
    recipe.update(changes)
    return {key: value for key, value in recipe.items() if value is not None}


def write(folder, recipe=None, table=None):
    """Write the recipe and its rows into a folder; return the recipe's path."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(row) for row in (rows() if table is None else table)]
    (folder / "rows.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    file = folder / "recipe.yaml"
    file.write_text(yaml.safe_dump(recipe or data(), sort_keys=False), encoding="utf-8")
    return file
