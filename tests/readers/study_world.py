"""A finished run of answers to edited impressions, with a form for readers."""

import csv
import json

import tiny_recipe

from toolkit.execute import run_recipe
from toolkit.recipe.load import load_recipe
from toolkit.store.workspace import find_workspace

LEVELS = ("TS_L1", "IR_L1")
QUESTIONS = {"faithful": [0, 1], "sensitivity": [0, 2]}
DICTIONARY = (
    "term,category,alternatives\n"
    "mild,descriptors,severe\nleft,location,right\neffusion,pathology,mass\n"
)
FORM = {
    "title": "Does the summary follow?",
    "split": "readers",
    "on": ["impression", "run:concise"],
    "levels": list(LEVELS),
    "questions": QUESTIONS,
    "items": 6,
}


def items(count=10):
    """Return impressions of two data sets; the last one is of neither."""
    return [
        {
            "key": f"r{n:02d}",
            "dataset": ["merlin", "inspect"][n % 2] if n < count - 1 else None,
            "impression": f"1. Mild left effusion, case {n}. 2. No fracture of rib {n}.",
        }
        for n in range(count)
    ]


def answers(ids, skip=(), say="=SUM(A1) summary of"):
    """Return the lines of a replayed file; ids in ``skip`` have no answer."""
    return "".join(
        json.dumps({"item_id": item, "prompt": "concise", "text": f"{say} {item}"}) + "\n"
        for item in ids
        if item not in skip
    )


def data(access="credentialed", **changes):
    """Return the recipe as data, with sections replaced."""
    return tiny_recipe.unchecked(
        **{
            "corpus": {
                "source": "jsonl",
                "files": "rows.jsonl",
                "access": access,
                "id": "key",
                "reference": "impression",
            },
            "splits": {"views": {"readers": {"sample": 4, "per": "dataset"}}},
            "perturb": {
                "column": "impression",
                "dictionary": "dictionary.csv",
                "substitution": {"levels": {"TS_L1": [1, 1]}},
                "removal": {"levels": {"IR_L1": 1}},
            },
            "prompts": {"concise": {"file": "c.j2", "slots": {"text": "field:impression"}}},
            "models": {
                "one": {"provider": "replay", "file": "one.jsonl"},
                "two": {"provider": "replay", "file": "two.jsonl"},
            },
            "generate": {
                "split": "all",
                "over": ["items", "variants"],
                "prompts": ["concise"],
                "models": ["one", "two"],
            },
            "human": {"raters": 2, "forms": {"study": FORM}},
            "metrics": ["word_ratio"],
            **changes,
        }
    )


def write(folder, recipe=None, skip=()):
    """Write a recipe and all it reads; return its path."""
    rows = items()
    file = tiny_recipe.write(folder, recipe or data(), rows)
    (folder / "dictionary.csv").write_text(DICTIONARY, encoding="utf-8")
    (folder / "c.j2").write_text("Summarise: {{ text }}", encoding="utf-8")
    ids = [row["key"] for row in rows]
    ids += [f"{item}:{level}" for item in ids for level in LEVELS]
    for name in ("one", "two"):
        (folder / f"{name}.jsonl").write_text(answers(ids, skip), encoding="utf-8")
    return file


def world(folder, recipe=None, skip=()):
    """Write and run a recipe until its answers; return (recipe, workspace)."""
    loaded = load_recipe(write(folder, recipe, skip))
    workspace = find_workspace(folder / "workspace")
    run_recipe(loaded, workspace=workspace.root, until="generate")
    return loaded, workspace


def table(path):
    """Return the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def fill(path, values, divider=","):
    """Write answers into a reader's file: ``values`` by case and question."""
    rows = table(path)
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]), delimiter=divider)
        writer.writeheader()
        writer.writerows({**row, **values.get(row["case"], {})} for row in rows)
