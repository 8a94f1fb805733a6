"""A small benchmark that is run for real: a replayed model, a baseline, a judge and its panel."""

import json

import tiny_recipe

from tests.faults.runs import run_here
from tests.tiny_recipe import UNCHECKED

ITEMS = 12
HUB_ID = "vendor/model"
SCRIPT = [
    {"match": "Walking to school", "times": 0, "message": {"content": "no verdict"}},
    {"match": "Sleep improved", "times": 0, "message": {"content": "no verdict"}},
    {"match": "", "times": 0, "message": {"content": '{"similarity": 80}'}},
]
"""What the judge says; of some items, nothing that can be read."""

JUDGE = {
    "type": "llm",
    "model": "grader",
    "canaries": 0,
    "reask": 0,
    "prompt": {
        "file": "judge.j2",
        "slots": {"reference": "judged:reference", "output": "judged:output"},
    },
    "scores": {"similarity": {"range": [0, 100]}},
}


def recipe(url, **changes):
    """Return the recipe as data."""
    facts = {
        "version": "1.0",
        "title": "Tiny: conclusions",
        "validation": UNCHECKED | {"judgements": {"on_failure": "off"}},
        "splits": {"sizes": {"train": 12, "test": ITEMS}},
        "prompts": {"A": {"file": "a.j2", "slots": {"text": "field:input"}}},
        "models": {
            "first": {"provider": "baseline", "variant": "first_sentence"},
            "vendor": {
                "provider": "replay", "file": "answers.jsonl", "hub_id": HUB_ID,
                "title": "Vendor 7B", "access": "open weights", "scale": "7B",
            },
            "grader": {
                "provider": "openai_compatible", "base_url": url, "model": "grader-1",
                "temperature": 0.0, "max_tokens": 40,
            },
        },
        "generate": {"split": "test", "models": ["first", "vendor"], "prompts": ["A"]},
        "judges": {
            "primary": JUDGE,
            "second": {"extends": "primary", "repeats": 2},
            "jury": {"type": "panel", "judges": ["primary", "second"], "reduce": "median"},
        },
        "metrics": ["rouge", "word_ratio"],
        "analyses": [{"means": {"resamples": 200, "cluster": "topic"}}],
        "publish": {
            "dataset": "org/tiny",
            "license": "cc-by-4.0",
            "redistribution": "full_text",
            "tasks": [{"id": "words", "score": "rouge1", "prompt": "A"}],
        },
    }  # fmt: skip
    return tiny_recipe.data(**{**facts, **changes})


def write(folder, data):
    """Write the recipe and its files; return its path."""
    rows = tiny_recipe.rows(24)
    file = tiny_recipe.write(folder, data, rows)
    (folder / "a.j2").write_text('Conclude, as {"text": "..."} or not:\n{{ text }}\n')
    (folder / "judge.j2").write_text("<r>{{ reference }}</r>\n<c>{{ output }}</c>\nJSON.\n")
    answers = [{"item_id": row["key"], "text": row["conclusion"][:50]} for row in rows]
    (folder / "answers.jsonl").write_text("".join(json.dumps(a) + "\n" for a in answers))
    return file


def make(folder, data, scheduler):
    """Run the recipe; return the folder of the run."""
    return run_here(write(folder, data), folder / "workspace", scheduler).folder
