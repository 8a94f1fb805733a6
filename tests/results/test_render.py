"""Boards as files: what ``datasets`` loads, what a README shows, what the Hub reads."""

import re
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from huggingface_hub import parse_eval_result_entries
from results_world import HOSTILE, number, record, shifted, with_model

from toolkit.errors import UserError
from toolkit.recipe.publish_section import Publish, Task
from toolkit.results.board import build_board
from toolkit.results.record import ModelUse
from toolkit.results.render import (
    board_markdown,
    eval_notes,
    eval_results,
    eval_yaml,
    write_parquet,
)
from toolkit.results.store import ResultStore

BASE = [0.2 + 0.01 * at for at in range(20)]
TASK = Task(id="words", score="rouge1", prompt="A")


def publish(**changes):
    facts = {"license": "cc-by-4.0", "redistribution": "ids_only", "tasks": (TASK,)}
    return Publish(**{**facts, **changes})


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """Two versions; a hostile name, a failure, a withdrawal, two models of one repository."""
    store = ResultStore(tmp_path_factory.mktemp("board"))
    hub = ModelUse(name="vendor", title="Vendor_7B", hub_id="vendor/model")
    pairs = [
        record(hub, {"rouge1": shifted(BASE, 0.3)}, date="2026-01-03"),
        record(
            ModelUse(name="vendor-hot", title="Vendor, hot", hub_id="vendor/model"),
            {"rouge1": BASE}, date="2026-02-01",
        ),
        record(ModelUse(name=HOSTILE, title=HOSTILE), {"rouge1": BASE}, submitter=HOSTILE),
        record("failed", {"rouge1": [None] * 20}),
        with_model(record("first", {"rouge1": BASE}, prompt=""), kind="baseline"),
        record("old", {"rouge1": BASE}, version="0.9"),
    ]  # fmt: skip
    for result, items in pairs:
        store.add(result, items)
    gone = store.add(*record("gone", {"rouge1": shifted(BASE, 0.5)}))
    store.withdraw(gone.record_id, reason=f"leak {HOSTILE}", by="ada", date="2026-03-01")
    return build_board(store, tasks=[TASK])


@pytest.fixture(scope="module")
def folder(board, tmp_path_factory):
    made = tmp_path_factory.mktemp("files")
    write_parquet(board, made)
    return made


def test_each_version_is_a_split_of_one_schema(board, folder):
    names = ["leaderboard/v1_0-00000-of-00001.parquet", "leaderboard/v0_9-00000-of-00001.parquet"]
    assert write_parquet(board, folder) == names
    schemas = [pq.read_schema(folder / name) for name in names]
    assert schemas[0] == schemas[1]
    for field in schemas[0]:
        assert not pa.types.is_null(field.type)
        assert not pa.types.is_large_string(field.type)
    rows = pq.read_table(folder / names[0]).to_pylist()
    by = {row["model"]: row for row in rows}
    assert by["vendor"]["rank"] == 1
    assert by["vendor"]["task"] == "words"
    assert (by["failed"]["rank"], by["failed"]["value"]) == (None, None)
    assert by["failed"]["unranked"]
    assert "gone" not in by
    assert by[HOSTILE]["submitter"] == HOSTILE


def test_the_files_are_the_same_each_time(board, folder, tmp_path):
    for name in write_parquet(board, tmp_path):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_datasets_loads_every_version_by_name(folder):
    card = "---\nconfigs:\n- config_name: leaderboard\n  data_files:\n"
    for split in ("v1_0", "v0_9"):
        card += f"  - split: {split}\n    path: leaderboard/{split}-*.parquet\n"
    (folder / "README.md").write_text(card + "---\n")
    script = (
        "import datasets, sys\n"
        "for split in ('v1_0', 'v0_9'):\n"
        "    found = datasets.load_dataset(sys.argv[1], 'leaderboard', split=split)\n"
        "    print(split, found.num_rows, found.features['rank'].dtype, found['judges'][0])\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", script, str(folder)], capture_output=True, text=True, check=True
    ).stdout
    assert told.splitlines()[-2:] == ["v1_0 5 int64 []", "v0_9 1 int64 []"]


def test_versions_that_would_share_a_split_are_refused(tmp_path):
    store = ResultStore(tmp_path)
    for version in ("1.0", "1-0"):
        store.add(*record(version=version))
    with pytest.raises(UserError, match="v1_0"):
        write_parquet(build_board(store), tmp_path)


def test_a_readme_shows_ranks_and_no_foreign_markup(board):
    text = board_markdown(board)
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1
    assert re.search(r"\| 1 \| \[Vendor\\_7B\]\(https://huggingface.co/vendor/model\)", text)
    assert "withdrawn" in text
    assert "leak" in text
    assert "0.9" in text
    assert "failed | –" in text
    for fragment in ("<img", "\u202e", "`*["):
        assert fragment not in text
    assert not re.search(r"(?<!\\)\]\(javascript", text)


def test_the_table_of_scores_without_tasks_shows_those_with_a_better_end(tmp_path):
    store = ResultStore(tmp_path)
    numbers = [number("length", BASE, direction="none"), number("rouge1", BASE)]
    store.add(*record("m", {"length": BASE, "rouge1": BASE}, scores=numbers))
    text = board_markdown(build_board(store))
    assert "ROUGE1" in text
    assert "LENGTH" not in text


def test_eval_yaml_names_tasks_configs_and_splits(board):
    assert eval_yaml(board, publish(tasks=())) is None
    data = yaml.safe_load(eval_yaml(board, publish(config="conclusion", framework="harbor")))
    assert data == {
        "name": "Demo: conclusions",
        "description": "Demo: conclusions, version 1.0",
        "evaluation_framework": "harbor",
        "tasks": [{"id": "words", "config": "conclusion", "split": "test"}],
    }
    assert "evaluation_framework" not in yaml.safe_load(eval_yaml(board, publish(framework=None)))
    named = publish(pretty_name=HOSTILE + "\n- x: !!python/object/apply:os.system [ls]")
    assert yaml.safe_load(eval_yaml(board, named))["name"].startswith("<img")


def test_an_unknown_framework_is_said_before_a_push():
    assert eval_notes(publish(framework="inspect-ai")) == []
    (note,) = eval_notes(publish(framework="my-own"))
    assert "my-own" in note
    assert "inspect-ai" in note


def test_models_on_the_hub_get_their_latest_ranked_number(board):
    found = eval_results(board, "org/demo", "f" * 40, {"vendor/model"})
    assert list(found) == ["vendor/model"]
    path, text = found["vendor/model"]
    assert path == ".eval_results/demo.yaml"
    (entry,) = parse_eval_result_entries(yaml.safe_load(text))
    assert (entry.dataset_id, entry.task_id, entry.dataset_revision) == (
        "org/demo", "words", "f" * 40,
    )  # fmt: skip
    # The hot one came later; it is worse, and it counts.
    assert entry.value == pytest.approx(sum(BASE) / 20)
    assert entry.date == "2026-02-01"
    assert "re-scored, submitted by ada, record" in entry.notes


@pytest.mark.parametrize(
    ("tier", "own", "proposed"),
    [
        ("re-scored", {"vendor/model"}, True),
        ("re-generated", set(), True),
        ("re-scored", {"vendor/other"}, False),
        ("re-scored", set(), False),
    ],
)
def test_a_repository_that_only_a_submitter_names_is_told_nothing(tmp_path, tier, own, proposed):
    hub = ModelUse(name="m", title="m", hub_id="vendor/model")
    store = ResultStore(tmp_path)
    store.add(*record(hub, {"rouge1": BASE}, tier=tier, submitter="eve"))
    found = eval_results(build_board(store, tasks=[TASK]), "org/demo", "f" * 40, own)
    assert list(found) == ["vendor/model"] * proposed


@pytest.mark.parametrize("tier", ["re-scored", "re-generated"])
def test_nobodys_number_takes_the_place_of_the_maintainers(tmp_path, tier):
    store = ResultStore(tmp_path)
    for name, submitter, date, kind in (
        ("ours", "org", "2026-01-01", "re-generated"),
        ("theirs", "eve", "2026-02-01", tier),
    ):
        hub = ModelUse(name=name, title=name, hub_id="vendor/model")
        values = {"rouge1": BASE if submitter == "org" else shifted(BASE, 0.3)}
        store.add(*record(hub, values, tier=kind, submitter=submitter, date=date))
    found = eval_results(build_board(store, tasks=[TASK]), "org/demo", "f" * 40, {"vendor/model"})
    (entry,) = yaml.safe_load(found["vendor/model"][1])
    assert entry["value"] == pytest.approx(sum(BASE) / 20)
    assert "re-generated, submitted by org" in entry["notes"]


def test_where_the_maintainers_number_has_no_rank_nobody_elses_is_told(tmp_path):
    store = ResultStore(tmp_path)
    for name, submitter, values in (("ours", "org", [None] * 20), ("theirs", "eve", BASE)):
        hub = ModelUse(name=name, title=name, hub_id="vendor/model")
        tier = "re-generated" if submitter == "org" else "re-scored"
        store.add(*record(hub, {"rouge1": values}, tier=tier, submitter=submitter))
    board = build_board(store, tasks=[TASK])
    assert not eval_results(board, "org/demo", "f" * 40, {"vendor/model"})


def test_coverage_stands_beside_every_number_and_what_lacks_it_is_told_to_nobody(tmp_path):
    hub = ModelUse(name="picky", title="Picky *7B*", hub_id="vendor/model")
    store = ResultStore(tmp_path)
    store.add(*record(hub, {"rouge1": [None] * 10 + BASE[10:]}, statuses={"ok": 10, "error": 10}))
    store.add(*record("honest", {"rouge1": BASE}))
    board = build_board(store, tasks=[TASK])
    text = board_markdown(board)
    assert "| 20 of 20 |" in text
    assert "| 10 of 20 |" in text
    assert "- No rank for Picky \\*7B\\*, ROUGE1: 50.0% of its answers failed" in text
    (name,) = write_parquet(board, tmp_path)
    rows = {row["model"]: row for row in pq.read_table(tmp_path / name).to_pylist()}
    assert (rows["picky"]["n"], rows["picky"]["asked"], rows["picky"]["rank"]) == (10, 20, None)
    assert not eval_results(board, "org/demo", "f" * 40, {"vendor/model"})
