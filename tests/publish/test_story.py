"""A benchmark goes out, is loaded, is updated, and its first version stays what it was."""

import dataclasses

import pytest
from publish_world import DATASET, LOAD, SPACE, load, splits, texts, toolkit

from tests.doubles.hub_server import TOKEN
from tests.publish.publish_world import everything


@pytest.mark.slow
def test_a_benchmark_is_released_updated_and_its_first_version_stays(runs, hub, tmp_path):
    first, second = runs
    workspace = first.run.workspace.root
    dry = toolkit(hub, workspace, tmp_path / "home", "-v", "publish", first.run.name, "--dry-run")
    assert not hub.changes()
    assert "A default/test-00000-of-00001.parquet" in dry
    assert "A leaderboard/v1_0-00000-of-00001.parquet" in dry
    assert "+| `item_id` |" in dry
    assert f"the Space {SPACE} (would be made)" in dry

    said = toolkit(hub, workspace, tmp_path / "home", "publish", first.run.name)
    assert "tag v1.0: made" in said
    repo = hub.repo(DATASET)
    commit = repo.branches["main"]
    assert repo.tags == {"v1.0": commit}
    assert len(repo.history("main")) == 2
    assert "index.html" in texts(hub, name=SPACE, kind="space")
    changes = len(hub.changes())
    again = toolkit(hub, workspace, tmp_path / "home", "publish", first.run.name)
    assert "had nothing to change" in again
    assert len(hub.changes()) == changes
    before = load(hub, tmp_path / "reader", LOAD % (["v1.0", commit],))
    assert {key: len(rows) for key, rows in before.items() if key.startswith("v1.0")} == {
        "v1.0 default train": 6,
        "v1.0 default test": 6,
        "v1.0 leaderboard v1_0": len(before[f"{commit} leaderboard v1_0"]),
    }
    assert {row["item_id"] for row in before["v1.0 default test"]} == {
        item for item, split in splits(first).items() if split == "test"
    }

    note = "One question more."
    toolkit(hub, workspace, tmp_path / "home", "publish", second.run.name, "--note", note)
    assert list(repo.tags) == ["v1.0", "v1.1"]
    assert repo.tags["v1.0"] == commit
    assert len(repo.history("main")) == 3
    after = load(hub, tmp_path / "other reader", LOAD % (["v1.0", "v1.1"],))
    assert {key: rows for key, rows in after.items() if key.startswith("v1.0")} == {
        key: rows for key, rows in before.items() if key.startswith("v1.0")
    }
    assert len(after["v1.1 default test"]) == 7
    assert {key for key in after if "leaderboard" in key} == {
        "v1.0 leaderboard v1_0",
        "v1.1 leaderboard v1_0",
        "v1.1 leaderboard v1_1",
    }
    card = texts(hub)["README.md"].decode()
    assert "| `1.1` | `train` 6, `test` 7 | 1 | 0 | 1 |" in card
    assert note in card
    results = [path for path in texts(hub) if path.startswith("results/1.0/")]
    assert set(results) <= set(texts(hub, "v1.1"))

    # Nobody but the server has seen the token, and nothing of a push is left lying about.
    assert not (workspace / "publish" / "org--tiny").exists()
    for folder in (workspace, tmp_path):
        assert TOKEN.encode() not in everything(folder)
    assert not any(TOKEN in text for text in (dry, said, again))
    for name, kind in ((DATASET, "dataset"), (SPACE, "space")):
        assert not any(TOKEN.encode() in data for data in texts(hub, name=name, kind=kind).values())


def test_a_private_benchmark_is_read_back_and_seen_by_nobody_else(runs, hub, client, tmp_path):
    from toolkit.publish.push import publish_run
    from toolkit.publish.stage import Additions

    first, _ = runs
    private = dataclasses.replace(
        first, publish=dataclasses.replace(first.publish, private=True, leaderboard=None)
    )
    outcome = publish_run(client, private, Additions())
    assert outcome.new_tag
    assert hub.repo(DATASET).private
    script = """
try:
    datasets.load_dataset("org/tiny", split="test", revision="v1.0")
except datasets.exceptions.DatasetNotFoundError:
    print(json.dumps("not found"))
"""
    assert load(hub, tmp_path / "reader", script) == "not found"
