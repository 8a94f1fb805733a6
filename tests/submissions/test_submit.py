"""``toolkit submit`` for a recipe, the folder of a release, and a release on a Hub."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tiny_recipe
from bundles import write_lines
from click.testing import CliRunner

from tests.doubles.hub_server import TOKEN, HubServer
from toolkit.cli.main import cli
from toolkit.errors import UserError
from toolkit.hub.client import connect
from toolkit.hub.commit import push
from toolkit.hub.plan import plan_changes
from toolkit.hub.repository import Repository, create, head
from toolkit.hub.tags import make_tag
from toolkit.hub.tree import remote_tree
from toolkit.release.history import SplitVersion, Version, history_text, ids_digest
from toolkit.store.workspace import Workspace
from toolkit.submissions.benchmark import find_benchmark
from toolkit.submissions.bundle import read_bundle

IDS = {"train": ["t1", "t2"], "test": ["a", "b", "c"]}
CARD = """---
license: cc-by-4.0
language: [en]
pretty_name: Tiny conclusions
configs:
- config_name: default
  default: true
  data_files:
  - {split: train, path: default/train-*.parquet}
  - {split: test, path: default/test-*.parquet}
- config_name: leaderboard
  data_files:
  - {split: v1_0, path: leaderboard/v1_0-*.parquet}
---
# Tiny conclusions
"""


def release(folder, ids=None):
    """Write a release of two splits, the test split in two shards."""
    (folder / "default").mkdir(parents=True)
    (folder / "README.md").write_text(CARD)
    for split, mine in IDS.items():
        parts = [mine] if split == "train" else [mine[:2], mine[2:]]
        for at, part in enumerate(parts):
            table = pa.table({"input": ["x"] * len(part), "item_id": part})
            name = f"default/{split}-{at:05d}-of-{len(parts):05d}.parquet"
            pq.write_table(table, folder / name)
    version = Version(
        version="1.0",
        data_digest="d" * 64,
        splits={
            split: SplitVersion(rows=len(mine), ids_digest=ids_digest((ids or {}).get(split, mine)))
            for split, mine in IDS.items()
        },
    )
    (folder / "releases.json").write_text(history_text([version]))
    return folder


@pytest.fixture
def answers(tmp_path):
    rows = [{"item_id": item, "output": f"About {item}."} for item in IDS["test"]]
    rows[2] = {"item_id": "c", "output": None, "reason": "timed out"}
    return write_lines(tmp_path / "predictions.jsonl", rows)


def run(*arguments):
    return CliRunner().invoke(cli, [str(one) for one in arguments])


def given(answers, benchmark, *more):
    needed = ("--model", "Good 7B", "--prompt", "A", "--submitter", "ann")
    return ("submit", answers, "--benchmark", benchmark, *needed, *more)


def test_a_bundle_for_the_folder_of_a_release(tmp_path, answers):
    folder = release(tmp_path / "release")
    prompt = tmp_path / "a.j2"
    prompt.write_bytes(b"Conclude.\r\n{{ abstract }}\r\n")
    out = tmp_path / "mine.zip"
    done = run(
        *given(answers, folder, "--out", out, "--hub-id", "org/good", "--revision", "abc123"),
        *("--generation", "temperature=0", "--generation", "stop=END", "--generation", "x=NaN"),
        *("--prompt-file", f"A={prompt}", "--cutoff", "2024-06", "--contact", "ann@example.org"),
    )
    assert done.exit_code == 0, done.output + str(done.exception)
    assert "3 answers of Good 7B to 3 items of Tiny conclusions 1.0 (test)" in done.output
    assert "1 failed" in done.output
    bundle, faults = read_bundle(out)
    assert not faults
    manifest = bundle.manifest
    assert manifest.benchmark.data_digest == "d" * 64
    assert manifest.benchmark.ids_digest == ids_digest(IDS["test"])
    assert manifest.generation == {"temperature": 0, "stop": "END", "x": "NaN"}
    assert manifest.model.revision == "abc123"
    assert manifest.submitter.contact == "ann@example.org"
    assert manifest.prompts["A"].failed == 1
    assert manifest.prompts["A"].text_sha256 is not None
    assert "score" not in json.dumps(manifest.generation)


def test_everything_wrong_is_said_at_once_and_nothing_is_written(tmp_path):
    folder = release(tmp_path / "release")
    rows = [{"item_id": "a", "output": ""}, {"item_id": "z", "output": "x"}]
    answers = write_lines(tmp_path / "p.jsonl", rows)
    out = tmp_path / "out.zip"
    done = run(
        *given(answers, folder, "--out", out, "--hub-id", "no-owner", "--cutoff", "May"),
        *("--prompt-file", f"B={answers}"),
    )
    told = done.exception.message
    for text in (
        "empty outputs", "missing ids (3): 'a'; 'b'; 'c'", "ids that the split does not have (1)",
        "model.hub_id: 'no-owner' is not of the form", "model.cutoff",
        "a text is given for prompt 'B'",
    ):  # fmt: skip
        assert text in told
    assert not out.exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda folder: (folder / "releases.json").unlink(), "releases.json cannot be read"),
        (lambda folder: (folder / "README.md").write_text("# Hello"), "front matter"),
        (
            lambda folder: (folder / "default/test-00001-of-00002.parquet").unlink(),
            "the ids of 'test' are not those of version 1.0",
        ),
        (
            lambda folder: (folder / "default/test-00001-of-00002.parquet").write_bytes(b"PAR1"),
            "the ids cannot be read",
        ),
    ],
)
def test_a_release_that_is_not_whole_is_refused(change, told, tmp_path):
    folder = release(tmp_path / "release")
    change(folder)
    with pytest.raises(UserError, match=told):
        find_benchmark(str(folder), "test", Workspace(tmp_path / "w"))


def test_what_is_no_benchmark_is_told_with_what_would_be_one(tmp_path):
    place = Workspace(tmp_path / "w")
    folder = release(tmp_path / "release")
    for what, split, told in (
        ("absent.yaml", "test", "no benchmark 'absent.yaml'"),
        ("org/name", "test", "made for one version"),
        (str(folder), "tset", "no split 'tset'"),
        (str(folder), "v1_0", "no split 'v1_0'"),
    ):
        with pytest.raises(UserError, match=told) as caught:
            find_benchmark(what, split, place)
        assert caught.value.hint
    recipe = tiny_recipe.write(tmp_path / "bench", tiny_recipe.data(version="1.0"))
    with pytest.raises(UserError, match="its items were not made yet") as caught:
        find_benchmark(str(recipe), "test", place)
    assert "--until splits" in caught.value.hint
    recipe = tiny_recipe.write(tmp_path / "none", tiny_recipe.data())
    with pytest.raises(UserError, match="no version"):
        find_benchmark(str(recipe), "test", place)


def test_a_release_on_the_hub_is_read_at_its_tag(tmp_path, answers, monkeypatch):
    folder = release(tmp_path / "release")
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))
    names = [name for name in names if (folder / name).is_file()]
    with HubServer() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        client, repository = connect("HF_TOKEN"), Repository("dataset", "org/tiny")
        create(client, repository, private=False)
        base = head(client, repository)
        change = plan_changes(folder, names, remote_tree(client, repository, base), base)
        commit = push(client, repository, change, message="1.0")
        make_tag(client, repository, "v1.0", commit)
        program = [sys.executable, "-m", "toolkit"]
        where = {"cwd": Path(__file__).parents[2], "env": hub.environment(tmp_path / "home")}
        out = tmp_path / "hub.zip"

        def call(benchmark):
            command = [*program, *map(str, given(answers, benchmark, "--out", out))]
            return subprocess.run(command, capture_output=True, text=True, timeout=120, **where)

        done = call("org/tiny@v1.0")
        assert done.returncode == 0, done.stderr
        absent = call("org/tiny@v1.1")
    bundle, faults = read_bundle(out)
    assert not faults
    assert bundle.manifest.benchmark.name == "org/tiny"
    assert bundle.manifest.benchmark.version == "1.0"
    assert absent.returncode == 2
    assert "org/tiny at v1.1 does not exist" in absent.stderr
