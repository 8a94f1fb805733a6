"""The documented workflows: sound YAML, no secret near strangers' files, commands that exist."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest
import yaml
from bundles import bundle
from click.testing import CliRunner
from huggingface_hub.cli.hf import app

from toolkit.cli.main import cli
from toolkit.submissions.bundle import read_bundle, write_bundle

DOCS = Path(__file__).parents[2] / "docs"
FILES = sorted((DOCS / "workflows").glob("*.yml"))


def load(path):
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    # YAML 1.1 reads the key `on` as true.
    return {**data, "on": data[True]}


def scripts(data):
    return [step["run"] for job in data["jobs"].values() for step in job["steps"] if "run" in step]


def commands(script, program):
    lines = script.replace("\\\n", " ").splitlines()
    for line in lines:
        words = shlex.split(line.partition(" > ")[0], comments=True)
        if words[:1] == [program]:
            yield words[1:]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_strangers_files_never_meet_a_secret_or_a_shell(path):
    data = load(path)
    assert "pull_request_target" not in data["on"]
    assert data["permissions"] in ({}, {"contents": "read"})
    text = path.read_text(encoding="utf-8")
    if "pull_request" in data["on"]:
        assert "secrets." not in text
        assert all("permissions" not in job for job in data["jobs"].values())
        (checkout,) = (
            step for job in data["jobs"].values() for step in job["steps"]
            if step.get("uses", "").startswith("actions/checkout")
        )  # fmt: skip
        assert checkout["with"]["ref"] == "${{ github.event.pull_request.base.sha }}"
        assert checkout["with"]["persist-credentials"] is False
    else:
        assert list(data["on"]) == ["workflow_dispatch"]
        assert all(job["environment"] == "leaderboard" for job in data["jobs"].values())
    for script in scripts(data):
        # What a stranger can choose comes in through variables, never into the script's text.
        assert "${{" not in script
        subprocess.run(["bash", "-n", "-c", script], check=True)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_commands_of_a_workflow_exist_with_their_options(path):
    found = [words for script in scripts(load(path)) for words in commands(script, "toolkit")]
    assert found
    for words in found:
        command, context = cli, click.Context(cli, info_name="toolkit")
        while isinstance(command, click.Group):
            command, words = command.get_command(context, words[0]), words[1:]
            assert command is not None
        command.make_context("toolkit", list(words), parent=context)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_day_of_a_bundle_is_not_its_senders_to_choose(path):
    words = [w for s in scripts(load(path)) for words in commands(s, "toolkit") for w in words]
    assert "--handed-in-by" in words
    assert "--submitted-on" not in words


def test_the_hubs_commands_exist_with_their_options():
    data = load(DOCS / "workflows" / "review-hub-submission.yml")
    found = [words for script in scripts(data) for words in commands(script, "hf")]
    assert len(found) == 4
    for words in found:
        depth = 2 if words[0] == "discussions" else 1
        shown = CliRunner().invoke(app, [*words[:depth], "--help"]).output
        for option in (word for word in words if word.startswith("--")):
            assert option in shown


def test_the_page_shows_the_workflows_as_they_are():
    page = (DOCS / "maintain.md").read_text(encoding="utf-8")
    shown = re.findall(r"`\.github/workflows/([\w.-]+)`\n```yaml\n(.*?)```", page, re.DOTALL)
    assert dict(shown) == {path.name: path.read_text(encoding="utf-8") for path in FILES}


@pytest.fixture
def repository(tmp_path):
    """A repository with a recipe, a clone of it, and a function that opens pull request 7."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    home = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}

    def git(where, *words):
        who = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=m")
        subprocess.run(["git", *who, *words], cwd=where, env=home, check=True, capture_output=True)

    origin, clone = tmp_path / "origin", tmp_path / "clone"
    origin.mkdir()
    git(origin, "init", "-q")
    (origin / "recipe.yaml").write_text("name: tiny\n")
    git(origin, "add", ".")
    git(origin, "commit", "-qm", "The benchmark")
    git(tmp_path, "clone", "-q", f"file://{origin}", "clone")

    def propose(change):
        git(origin, "checkout", "-qb", "stranger")
        change(origin)
        git(origin, "add", "-A")
        git(origin, "commit", "-qm", "Mine")
        git(origin, "checkout", "-q", "m")
        git(origin, "merge", "-q", "--no-ff", "-m", "Merge", "stranger")
        git(origin, "update-ref", "refs/pull/7/merge", "HEAD")
        script = next(
            text for text in scripts(load(DOCS / "workflows" / "check-submission.yml"))
            if "git fetch" in text
        )  # fmt: skip
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=clone, env={**home, "NUMBER": "7"}, capture_output=True, text=True,
        )  # fmt: skip
        return done.returncode, clone / "bundle.zip"

    return propose


def add(name):
    def change(origin):
        (origin / "submissions").mkdir(exist_ok=True)
        write_bundle(bundle(), origin / "submissions" / name)

    return change


def edit_recipe(origin):
    add("mine.zip")(origin)
    (origin / "recipe.yaml").write_text("name: mine\n")


def link(origin):
    (origin / "submissions").mkdir()
    (origin / "submissions" / "mine.zip").symlink_to("/etc/passwd")


def test_a_bundle_is_taken_out_of_a_pull_request(repository):
    code, taken = repository(add("mine.zip"))
    assert code == 0
    assert read_bundle(taken) == (bundle(), [])


@pytest.mark.parametrize("change", [edit_recipe, add("$(touch x).zip"), add(".zip")])
def test_a_pull_request_that_does_anything_else_is_refused(repository, change):
    code, taken = repository(change)
    assert code != 0
    assert not taken.exists()


def test_a_link_in_a_pull_request_is_text_and_no_bundle(repository):
    code, taken = repository(link)
    assert code == 0
    assert taken.read_text() == "/etc/passwd"
    assert read_bundle(taken)[0] is None
