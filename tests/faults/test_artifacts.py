"""Fault catalogue 38, 40, 41: damaged artifacts, missing values, suites that check nothing."""

import json
import shutil

import pytest
import tiny_recipe

from tests.faults.runs import finish, output, run_here, start, tree
from toolkit.errors import ToolkitError
from toolkit.plan.make import make_plan
from toolkit.recipe.load import load_recipe


@pytest.fixture(scope="module")
def finished(tmp_path_factory, scheduler):
    folder = tmp_path_factory.mktemp("artifacts")
    both = [{"split": "train", "models": ["first"]}, {"split": "test", "models": ["other"]}]
    file = tiny_recipe.write(folder, tiny_recipe.data(generate=both, metrics=["word_ratio"]))
    return file, run_here(file, folder / "workspace", scheduler)


def downstream(plan, name):
    """Return the steps that read a step's artifact, directly or through others."""
    found = {name}
    for step in plan.steps:
        if found & {*step.inputs, *step.gates}:
            found.add(step.name)
    return found - {name}


def damaged_files(result):
    """Return (step, file, bytes that may be flipped) of every file that something reads."""
    for name, artifact in result.artifacts.items():
        yield name, artifact.folder / "manifest.json"
        # What a validation found stands in its manifest; its own file is for people.
        if not name.startswith("validate/"):
            for shard in artifact.manifest.shards:
                yield name, artifact.folder / shard.name


def flipped(content, place):
    return content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :]


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_40_a_flipped_byte_in_any_file_stops_the_next_stage_by_name(finished, scheduler, tmp_path):
    file, result = finished
    workspace, plan = result.plan.workspace, result.plan
    before = tree(workspace.root)
    checked = 0
    for name, path in damaged_files(result):
        later = downstream(plan, name)
        hidden = {step: result.artifacts[step].folder for step in later}
        place = path.relative_to(result.artifacts[name].folder)
        delivered = [] if later else [result.folder / place]
        for step, folder in hidden.items():
            folder.rename(tmp_path / step.replace("/", "-"))
        for copy in delivered:
            copy.unlink(missing_ok=True)
        good = path.read_bytes()
        try:
            path.write_bytes(flipped(good, len(good) // 2))
            with pytest.raises(ToolkitError) as caught:
                run_here(file, workspace, scheduler)
            assert caught.value.exit_code in (2, 3), path
            assert str(path) in str(caught.value), path
            report = result.artifacts["report"].folder
            assert name == "report" or not (report / "manifest.json").exists(), path
        finally:
            path.write_bytes(good)
            for step, folder in hidden.items():
                shutil.rmtree(folder, ignore_errors=True)
                (tmp_path / step.replace("/", "-")).rename(folder)
        checked += 1
    assert checked > 20
    run_here(file, workspace, scheduler)
    assert tree(workspace.root) == before


def test_40_an_artifact_in_the_place_of_another_is_refused(finished, scheduler, tmp_path):
    file, result = finished
    first, other = (
        result.artifacts[f"generate/{name}"].folder for name in ("train/first", "test/other")
    )
    kept = tmp_path / "kept"
    shutil.copytree(first, kept)
    shutil.rmtree(first)
    shutil.copytree(other, first)
    try:
        with pytest.raises(ToolkitError, match="belongs to another artifact") as caught:
            run_here(file, result.plan.workspace, scheduler)
        assert str(first) in str(caught.value)
    finally:
        shutil.rmtree(first)
        kept.rename(first)


VALUES = """
import math

def half(prediction, reference):
    return math.nan if len(reference) % 2 else 1.0

def none(prediction, reference):
    return None

def lost(prediction, reference):
    return math.nan

def infinite(prediction, reference):
    return math.inf
"""


def test_38_nan_and_all_missing_columns_are_told_apart_from_zero(tmp_path, scheduler):
    names = ("half", "none", "lost", "infinite")
    recipe = tiny_recipe.data(metrics=[{"local": f"values.py:{name}"} for name in names])
    file = tiny_recipe.write(tmp_path, recipe)
    (tmp_path / "values.py").write_text(VALUES)
    result = run_here(file, tmp_path / "w", scheduler, trust_local=True)
    rows = list(result.artifacts["leaderboard"].rows("leaderboard"))
    assert {row["score"] for row in rows} == set(names)
    for row in rows:
        assert row["n"] + row["n_missing"] == 6
        if row["score"] == "half":
            assert row["mean"] == 1.0
            assert 0 < row["n"] < 6
            continue
        assert (row["n"], row["mean"], row["ci_low"], row["ci_high"]) == (0, None, None, None)
        assert row["rank"] is None
        assert row["reason"], "a row without a number says why"
    scores = [
        row
        for step, artifact in result.artifacts.items()
        if step.startswith("score/")
        for row in artifact.rows("scores")
    ]
    assert len(scores) == 48
    for row in scores:
        assert (row["value"] is None) == bool(row["reason"])
        assert row["value"] is None or row["value"] == 1.0
    # The page explains what NaN does; a cell that holds it would stand between tags.
    page = (result.folder / "leaderboard.html").read_text(encoding="utf-8").lower()
    table = (result.folder / "leaderboard.csv").read_text(encoding="utf-8").lower()
    assert ">nan<" not in page
    assert ">inf<" not in page
    assert not {"nan", "inf", "-inf"} & {
        cell for line in table.splitlines() for cell in line.split(",")
    }
    json.loads((result.folder / "run.json").read_text())


SUITES = {
    "a missing file": (None, "no file 'mine.json'"),
    "no expectation": ([], "nothing would be checked"),
    "a misspelled type": (
        [
            {
                "type": "expect_column_values_to_be_uniqe",
                "kwargs": {"column": "item_id"},
                "severity": "critical",
                "meta": {"id": "unique", "why": "Ids must not repeat."},
            }
        ],
        "expect_column_values_to_be_unique",
    ),
}


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("kind", ["corpus", "leaderboard"])
def test_41_a_suite_that_checks_nothing_is_refused_before_anything_starts(tmp_path, name, kind):
    expectations, words = SUITES[name]
    recipe = tiny_recipe.data(validation={kind: {"suite": "mine.json"}})
    file = tiny_recipe.write(tmp_path / "recipe", recipe)
    if expectations is not None:
        suite = {"name": "mine", "meta": {"about": "Mine."}, "expectations": expectations}
        (tmp_path / "recipe" / "mine.json").write_text(json.dumps(suite))
    for command in ("check", "run"):
        workspace = tmp_path / command
        finish(start(workspace, command, file), workspace, code=2)
        said = output(workspace)
        assert words in said, command
        assert "mine.json" in said, command
        assert "Traceback" not in said, command
        assert not (workspace / "artifacts").exists(), command
        assert not (workspace / "runs").exists(), command


def test_41_a_recipe_without_faults_plans_the_same_way(tmp_path):
    file = tiny_recipe.write(
        tmp_path, tiny_recipe.data(validation={"corpus": {"on_failure": "off"}})
    )
    names = [step.name for step in make_plan(load_recipe(file), workspace=tmp_path / "w").steps]
    assert "validate/corpus" not in names
    assert "validate/splits" in names
