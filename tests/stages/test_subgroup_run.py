"""Contrasts, subgroups, cutoffs, overlap and what the ranking depends on, in one real run."""

import json

import pyarrow.parquet as pq
import pytest
import tiny_recipe

from toolkit.execute import run_recipe
from toolkit.plan.make import make_plan
from toolkit.recipe.load import load_recipe

COUNT = 48
WORDS = {"scores": ["word_ratio"]}
ANALYSES = [
    {"means": {"resamples": 200}},
    {"mode_contrast": {"pairs": [["A", "B"]], "by": "topics", "minimum": 5, **WORDS}},
    {"breakdown": {"by": ["year"], "edges": {"year": [2020]}, "minimum": 3, **WORDS}},
    {"before_after_cutoff": {"date": "year", **WORDS}},
    {"without_flagged": {"columns": ["leak_risk"], **WORDS}},
    {"ranking_dependence": {"columns": ["leak_risk"], "scores": ["sentence_ratio"]}},
    {
        "training_overlap": {
            "files": "training/*.txt", "columns": ["input", "conclusion"], "ngram": 5, **WORDS,
        }
    },
]  # fmt: skip


def items():
    found = tiny_recipe.rows(COUNT)
    for n, row in enumerate(found):
        row |= {
            "year": 2016 + n % 8,
            "topics": [["lungs"], ["lungs", "hearts"], ["hearts"]][n % 3],
            "leak_risk": n % 6 == 0,
        }
    return found


def write(folder, training):
    recipe = tiny_recipe.unchecked(
        splits=None,
        models={
            "told": {"provider": "replay", "file": "told.jsonl", "cutoff": "2019-12"},
            "lead": {"provider": "baseline", "variant": "first_sentence"},
            "other": {"provider": "baseline", "variant": "random_conclusion"},
        },
        prompts={name: {"file": "a.j2", "slots": {"text": "field:input"}} for name in "AB"},
        generate={
            "split": "all",
            "models": ["told", "lead", "other"],
            "prompts": ["A", "B"],
        },
        metrics=[
            "word_ratio",
            "sentence_ratio",
            {"sentence_ratio": {"profile": "paper", "suffix": "paper"}},
        ],
        analyses=ANALYSES,
    )
    table = items()
    file = tiny_recipe.write(folder, recipe, table)
    (folder / "a.j2").write_text("Conclude.\n{{ text }}\n")
    lines = [
        {
            "item_id": row["key"],
            "prompt": prompt,
            # Under B every answer says more, and before 2020 every answer is the reference.
            "text": row["conclusion"] + (" More is needed, e.g. p < 0.05 of it." * (prompt == "B")),
        }
        for row in table
        for prompt in "AB"
    ]
    (folder / "told.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (folder / "training").mkdir(exist_ok=True)
    (folder / "training" / "one.txt").write_text(training)
    return file


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("subgroups")
    training = "\n".join(row["conclusion"] for row in items()[:10])
    file = write(folder / "recipe", training)
    done = run_recipe(load_recipe(file), workspace=folder / "workspace")
    return folder, file, done


def tables(run, name):
    """Tables of an analysis by name, and the names of its figures, from its artifact on disk."""
    folder, file, _ = run
    plan = make_plan(load_recipe(file), workspace=folder / "workspace")
    (step,) = [step for step in plan.steps if step.name.endswith(f"-{name}")]
    place = folder / "workspace" / "artifacts" / "analyse" / step.fingerprint[:32]
    found = {
        path.name.removesuffix("-00000.parquet"): pq.read_table(path).to_pylist()
        for path in sorted(place.glob("*.parquet"))
    }
    return found, sorted(path.name.removesuffix("-00000.svg") for path in place.glob("*.svg"))


def test_a_metric_used_twice_has_two_scores(run):
    folder, file, _ = run
    plan = make_plan(load_recipe(file), workspace=folder / "workspace")
    names = {step.name for step in plan.steps if step.stage == "score"}
    assert {"score/sentence_ratio/told/B", "score/sentence_ratio.paper/told/B"} <= names
    board = next((folder / "workspace" / "runs").glob("*/leaderboard.csv")).read_text()
    assert "sentence_ratio.paper" in board


def test_gaps_between_prompts_by_topic(run):
    found, figures = tables(run, "mode_contrast")
    (row,) = found["mode_contrast"]
    assert (row["model"], row["n"], row["first_mean"]) == ("told", COUNT, 1.0)
    assert row["difference"] < 0
    assert {row["group"]: row["n"] for row in found["mode_contrast_groups"]} == {
        "lungs": 32,
        "hearts": 32,
    }
    assert figures == ["mode_contrast", "mode_contrast_extremes"]


def test_scores_by_band_of_years(run):
    found, figures = tables(run, "breakdown")
    assert {row["year"]: row["n"] for row in found["breakdown"]} == {
        "below 2020": 24,
        "2020 and above": 24,
    }
    assert figures == ["breakdown"]


def test_scores_before_and_after_the_cutoff(run):
    found, figures = tables(run, "before_after_cutoff")
    rows = found["before_after_cutoff"]
    assert {(row["model"], row["prompt"]) for row in rows} == {("told", "A"), ("told", "B")}
    assert {(row["n_before"], row["n_after"]) for row in rows} == {(24, 24)}
    assert {row["against"] for row in rows} == {"", "lead, other"}
    assert figures == ["before_after_cutoff"]


def test_scores_without_flagged_items(run):
    found, _ = tables(run, "without_flagged")
    assert {(row["n"], row["n_flagged"]) for row in found["without_flagged"]} == {(COUNT, 8)}


def test_the_ranking_under_each_variation(run):
    found, figures = tables(run, "ranking_dependence")
    varied = {(row["varied"], row["variation"]) for row in found["ranking_dependence"]}
    assert varied == {
        ("headline", ""),
        ("metric", "paper"),
        ("prompt", "A"),
        ("prompt", "B"),
        ("without", "leak_risk"),
    }
    assert "ranking_dependence" in figures


def test_items_in_the_training_texts(run):
    found, figures = tables(run, "training_overlap")
    assert {row["column"]: row["n_exact"] for row in found["training_overlap"]} == {
        "input": 0,
        "conclusion": 10,
    }
    assert {row["item_id"] for row in found["training_overlap_items"]} == {
        f"row-{n:02d}" for n in range(10)
    }
    assert figures == ["training_overlap", "training_overlap_scores"]


def test_other_training_texts_are_another_step_and_change_no_other(run):
    folder, file, _ = run

    def prints():
        plan = make_plan(load_recipe(file), workspace=folder / "workspace")
        return {step.name: step.fingerprint for step in plan.steps}

    before = prints()
    training = file.parent / "training" / "one.txt"
    text = training.read_text()
    training.write_text(text + "One line more.\n")
    after = prints()
    training.write_text(text)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"analyse/06-training_overlap", "report"}
