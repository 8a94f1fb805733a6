"""`toolkit rebuild org/dataset@v1.0` as a stranger types it, against a Hub and PubMed."""

import json
import os
import subprocess
import sys

import pytest
from eutils_double import EutilsDouble
from huggingface_hub import CommitOperationAdd, HfApi
from rebuild_world import TEST, TRAIN

from tests.doubles.hub_server import TOKEN, HubServer


@pytest.fixture(scope="module")
def hub(ids_only):
    """A Hub that holds the release at v1.0, and 201 taken down since."""
    with HubServer() as server:
        api = HfApi(endpoint=server.url, token=TOKEN)
        api.create_repo("org/counting", repo_type="dataset")
        files = [path for path in sorted(ids_only.rglob("*")) if path.is_file()]
        commit = api.create_commit(
            "org/counting",
            [
                CommitOperationAdd(path.relative_to(ids_only).as_posix(), path.read_bytes())
                for path in files
            ],
            commit_message="1.0",
            repo_type="dataset",
        )
        api.create_tag("org/counting", tag="v1.0", revision=commit.oid, repo_type="dataset")
        item = {"item_id": "201", "reason": "asked", "date": "2026-12-01", "version": "1.0"}
        gone = json.dumps({"schema": 1, "items": [item]}).encode()
        api.create_commit(
            "org/counting",
            [CommitOperationAdd("withdrawn.json", gone)],
            commit_message="taken down",
            repo_type="dataset",
        )
        yield server


def toolkit(hub, home, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "toolkit", *map(str, arguments)],
        env={**hub.environment(home, token=None), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_stranger_without_a_token_rebuilds_a_version(hub, tmp_path):
    out = tmp_path / "out"
    with EutilsDouble(TRAIN + TEST).running() as server:
        done = toolkit(
            hub, tmp_path / "home", "rebuild", "org/counting@v1.0", "--out", out,
            "--eutils", server.url,
        )  # fmt: skip
        asked = {pmid for _, form in server.forms for pmid in form["id"].split(",")}
    assert done.returncode == 0, done.stderr
    assert asked == {*TRAIN, *TEST} - {"201"}
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[:5] == [
        "org/counting@v1.0, version 1.0",
        "train: 3 rows",
        "test: 3 rows",
        "verified: 6 texts",
        "withdrawn: 1 left out",
    ]
    assert "Records revised since the release are left out" in lines[5]
    assert "fetching 1 to 6 of 6" in done.stderr
    assert json.loads((out / "rejects.jsonl").read_text())["reason"] == "withdrawn"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("org/counting@v9", "does not exist, or the token may not see it"),
        ("org/nothing@v1.0", "does not exist, or the token may not see it"),
        ("no such thing", "is no folder and no dataset of the Hub"),
    ],
)
def test_what_is_not_there_is_the_users_to_mend(hub, tmp_path, name, message):
    done = toolkit(hub, tmp_path / "home", "rebuild", name, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert message in done.stderr and "->" in done.stderr
    assert "Traceback" not in done.stderr
