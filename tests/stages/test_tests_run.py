"""Hypothesis tests, ranges of ranks and power in one real run: tables and figures on disk."""

import json

import pyarrow.parquet as pq
import pytest
import tiny_recipe

from toolkit.execute import run_recipe
from toolkit.plan.make import make_plan
from toolkit.recipe.load import load_recipe

SCORES = {"scores": ["rouge1", "word_ratio"]}
ANALYSES = [
    {"means": {"resamples": 200, "cluster": "topic"}},
    {"paired_tests": {"n": 200, **SCORES}},
    {"rank_ranges": {"resamples": 200, **SCORES}},
    {"power": {"scores": "rouge1"}},
    {"icc": {"cluster": "topic", "scores": "rouge1"}},
    {"anova": {"by": "topic", "scores": "rouge1"}},
    {"paired_t": {"by": "topic", "scores": "word_ratio"}},
    {"permutation": {"factor": "prompt", "within": "model", "n": 200, "scores": "word_ratio"}},
    {"proportions": {"by": ["model", "topic"], "at_least": 0.5, "scores": "rouge1"}},
]
NAMES = [name for entry in ANALYSES for name in entry if name != "means"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tests")
    recipe = tiny_recipe.unchecked(
        splits=None,
        models={
            "told": {"provider": "replay", "file": "told.jsonl"},
            "lead": {"provider": "baseline", "variant": "first_sentence"},
            "truth": {"provider": "baseline", "variant": "reference"},
        },
        prompts={name: {"file": "a.j2", "slots": {"text": "field:input"}} for name in "AB"},
        generate={"split": "all", "models": ["told", "lead", "truth"], "prompts": ["A", "B"]},
        metrics=["rouge", "word_ratio"],
        analyses=ANALYSES,
    )
    table = tiny_recipe.rows(24)
    file = tiny_recipe.write(folder / "recipe", recipe, table)
    (folder / "recipe" / "a.j2").write_text("Conclude.\n{{ text }}\n")
    lines = [
        {
            "item_id": row["key"],
            "prompt": prompt,
            "text": row["conclusion"] + " More is needed." * (at % 3 + (prompt == "B")),
        }
        for at, row in enumerate(table)
        for prompt in "AB"
    ]
    (folder / "recipe" / "told.jsonl").write_text("\n".join(map(json.dumps, lines)))
    run_recipe(load_recipe(file), workspace=folder / "workspace")
    return folder, make_plan(load_recipe(file), workspace=folder / "workspace")


def place(run, name):
    folder, plan = run
    (step,) = [step for step in plan.steps if step.name.endswith(f"-{name}")]
    return folder / "workspace" / "artifacts" / "analyse" / step.fingerprint[:32]


def rows(run, name):
    (file,) = place(run, name).glob(f"{name}-*.parquet")
    return pq.read_table(file).to_pylist()


@pytest.mark.parametrize("name", NAMES)
def test_each_analysis_leaves_its_tables_and_figures(run, name):
    assert rows(run, name)
    assert list(place(run, name).glob(f"{name}-*.tex"))
    figures = {path.suffix for path in place(run, name).glob("*.*g")}
    assert figures == (set() if name in ("icc", "permutation") else {".svg", ".png"})


def test_the_paired_tests_find_what_was_planted(run):
    held = {(row["score"], row["prompt"]): row for row in rows(run, "paired_tests")}
    assert len(held) == 4
    row = held["rouge1", "A"]
    assert {row["first"], row["second"], row["winner"]} == {"lead", "told"}
    assert row["winner"] == "told"
    assert row["p_adjusted"] < 0.05
    assert row["n"] == 24


def test_the_second_prompt_is_longer_in_every_item(run):
    (row,) = [row for row in rows(run, "permutation") if row["model"] == "told"]
    assert (row["first"], row["second"], row["method"]) == ("A", "B", "monte carlo")
    assert row["difference"] < 0
    assert row["p"] == pytest.approx(1 / (row["arrangements"] + 1))


def test_ranges_hold_ranks_and_leave_the_reference_out(run):
    found = rows(run, "rank_ranges")
    assert all(row["rank_low"] <= row["rank"] <= row["rank_high"] for row in found)
    assert {row["model"] for row in found} == {"told", "lead"}


def test_outputs_are_compared_with_the_reference_baseline(run):
    found = {(row["model"], row["prompt"], row["group"]): row for row in rows(run, "paired_t")}
    assert found["told", "B", "all"]["reference_mean"] == 1
    assert found["told", "B", "all"]["difference"] > 0
    assert {group for _, _, group in found} == {"all", "a", "b", "c"}


def test_the_leaderboard_carries_ranges(run):
    folder, _ = run
    board = next((folder / "workspace" / "runs").glob("*/leaderboard.csv")).read_text()
    assert "rank_low" in board.splitlines()[0]
