"""Recipes that audit judges, and references on which every kind of edit has something to do."""

import tests.tiny_recipe as tiny_recipe
from tests.doubles.edit_judge import digest
from toolkit.perturb.kinds import EDITS, REWRITES
from toolkit.perturb.probes import probes

PROMPT = (
    "Compare.\n<reference>\n{{ reference }}\n</reference>\n"
    "<candidate>\n{{ output }}\n</candidate>\nReply with JSON.\n"
)
NAMES = (
    "semantic_similarity",
    "writing_style_similarity",
    "non_contradiction",
    "numeric_consistency",
    "formality_similarity",
)
DRUGS = ("Metformin", "Aspirin", "Losartan", "Warfarin", "Insulin")
OUTCOMES = ("mortality", "pain", "weight", "fatigue")


def table(count):
    """Return rows whose references hold numbers, units, directions, hedges and more."""
    rows = []
    for n in range(count):
        drug, outcome = DRUGS[n % 5], OUTCOMES[n % 4]
        text = (
            f"Conclusion: In patients with asthma, {drug} at {n % 9 + 2} mg reduced {outcome} "
            f"markedly. The treatment was safe and effective in group {'abcdefgh'[n % 8]}{n}, and "
            f"it may help {n + 12}% of people. Further trials are needed."
        )
        rows.append({"key": f"row-{n:03d}", "input": f"AIM: Question {n}.", "conclusion": text})
    return rows


def recipe(url, **audit):
    """Return a recipe that asks nothing but its judge, as data."""
    return tiny_recipe.data(
        splits={"views": {"audit": {}}},
        models={
            "first": {"provider": "baseline", "variant": "first_sentence"},
            "grader": {
                "provider": "openai_compatible", "base_url": url, "max_tokens": 60, "model": "g",
                "prices": {"input_per_million": 1.0, "output_per_million": 2.0},
            },
        },
        generate={"split": "audit", "models": ["first"]},
        judges={
            "primary": {
                "type": "llm", "model": "grader", "canaries": 0,
                "prompt": {
                    "file": "judge.j2",
                    "slots": {"reference": "judged:reference", "output": "judged:output"},
                },
                "scores": {name: {"range": [0, 100]} for name in NAMES},
            }
        },
        metrics=["word_ratio"],
        validation={
            kind: {"on_failure": "off"}
            for kind in ("corpus", "splits", "generations", "judgements", "scores", "leaderboard")
        },
        analyses=[
            {"means": {"resamples": 100}},
            {"judge_audit": {
                "judges": ["primary"], "split": "audit", "sample": 500, "resamples": 200, **audit,
            }},
        ],
    )  # fmt: skip


def write(folder, data, rows):
    """Write the recipe; return its path."""
    file = tiny_recipe.write(folder, data, rows)
    (folder / "judge.j2").write_text(PROMPT)
    return file


def kinds_of(rows, repeats=2):
    """Return which kind each text is that the audit will show, by its digest."""
    found = {}
    for row in rows:
        for probe in probes(
            row["conclusion"], row["key"], kinds=(*EDITS, *REWRITES), repeats=repeats, swap=True,
            seed=7,
        ):  # fmt: skip
            if probe.text is not None and probe.name not in ("copy", "swapped"):
                found[digest(probe.text)] = probe.kind or "padded"
    return found


def chances(**by_score):
    """Return the chances of every score; none for those that are not given."""
    return {name: by_score.get(name, {}) for name in NAMES}
