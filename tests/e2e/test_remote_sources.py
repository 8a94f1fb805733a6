"""Sources on a network through whole runs: asked once, pinned, resumable."""

import json
import subprocess
import sys

import pytest
import tiny_recipe

from tests.corpus.eutils_double import EutilsDouble
from tests.corpus.test_hub import NEW, OLD, double
from tests.faults.runs import ROOT, finish, start, tree

pytestmark = pytest.mark.slow


def test_the_first_real_recipe_runs_on_a_query(tmp_path):
    workspace = tmp_path / "workspace"
    ids = [str(33_000_000 + n) for n in range(60)]
    arguments = (
        "run",
        ROOT / "recipes" / "pubmed-query.yaml",
        *("--set", "models.smollm2=null"),
        *("--set", "generate={split: test, models: [first_sentence, other_conclusion]}"),
        *("--set", "prompts=null"),
        # The double's records differ in a number only.
        *("--set", "splits.keep_together=none"),
        *("--set", "metrics=[rouge, word_ratio]"),
        *("--set", "corpus.where.years=[1900, 2100]"),
    )
    with EutilsDouble(ids).running() as server:
        address = ("--set", f"corpus.base_url={server.url}")
        finish(start(workspace, *arguments, *address), workspace)
        asked = len(server.forms)
        before = tree(workspace)
        finish(start(workspace, *arguments, *address), workspace)
        assert len(server.forms) == asked
    # Nobody answers any more, and nobody needs to: not even the address counts.
    gone = ("--set", "corpus.base_url=http://127.0.0.1:9")
    finish(start(workspace, *arguments, *gone), workspace)
    assert tree(workspace) == before
    output = (workspace / "output.txt").read_text()
    assert "0 steps made" in output
    manifest = json.loads(
        next((workspace / "artifacts" / "corpus").glob("*/manifest.json")).read_text()
    )
    assert manifest["facts"]["pinned"]["records"] == 60


def hub_recipe(folder, revision):
    recipe = tiny_recipe.unchecked(
        corpus={
            "source": "hub",
            "dataset": "org/set",
            "revision": revision,
            "split": ["train", "test"],
            "id": "pmid",
            "access": "open",
            "reference": "abstract",
        },
        splits=None,
        generate={"split": "all", "models": ["first"]},
        models={"first": {"provider": "baseline", "variant": "reference", "reference": "abstract"}},
        metrics=["word_ratio"],
    )
    return tiny_recipe.write(folder, recipe)


def environment(server, folder):
    return {
        "HF_ENDPOINT": server.url,
        "HF_HUB_DISABLE_XET": "1",
        "HF_HOME": str(folder / "home"),
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }


def test_a_branch_is_resolved_once_and_stays_what_it_was(tmp_path):
    workspace = tmp_path / "workspace"
    with double().running() as server:
        file = hub_recipe(tmp_path / "recipe", "main")
        finish(start(workspace, "run", file, **environment(server, tmp_path)), workspace)
        server.branches = {**server.branches, "main": OLD}
        finish(start(workspace, "run", file, **environment(server, tmp_path)), workspace)
    output = (workspace / "output.txt").read_text()
    assert "0 steps made" in output
    shown = subprocess.run(
        [sys.executable, "-m", "toolkit", "--workspace", str(workspace), "show", "latest", "4"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "text of 4" in shown.stdout
    run = json.loads(next(workspace.glob("runs/*/run.json")).read_text())
    assert NEW in json.dumps(run["steps"]["corpus"]["params"]["pinned"])
