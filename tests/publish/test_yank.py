"""Items taken down: gone from every version, from old commits, and from the server's disk."""

import base64
import json

import pytest
from click.testing import CliRunner
from publish_world import DATASET, SPACE, client_of, load, splits, texts, toolkit

from tests.doubles.hub_server import TOKEN
from toolkit.cli.main import cli
from toolkit.errors import RunError, UserError
from toolkit.hub.failures import Passing
from toolkit.hub.repository import Repository
from toolkit.publish.push import publish_run
from toolkit.publish.stage import Additions
from toolkit.publish.take_down import plan_take_down, take_down
from toolkit.release.withdrawn import Withdrawn
from toolkit.report.chunks import chunk_text, read_chunk

REASON = "asked for | by <b>its</b> author"


@pytest.fixture
def published(runs, hub, client, quick):
    """Both versions on the Hub, and an item of the test split of both."""
    for run in runs:
        publish_run(client, run, Additions())
    return next(item for item, split in sorted(splits(runs[0]).items()) if split == "test")


def words(runs, item):
    """Return the bytes of an item's text, by which it would be found anywhere."""
    import pyarrow.parquet as pq

    rows = pq.read_table(runs[0].folder / "release" / "default").to_pylist()
    return next(row["conclusion"] for row in rows if row["item_id"] == item).encode()


def here(hub, *arguments, **more):
    """Run the command in this process."""
    environment = {"HF_ENDPOINT": hub.url, "HF_TOKEN": TOKEN}
    return CliRunner().invoke(cli, list(arguments), env=environment, **more)


def withdrawn(*items):
    return [Withdrawn(item_id=item, reason=REASON, date="2026-02-03", version="") for item in items]


@pytest.mark.slow
def test_an_item_is_taken_down_from_every_version(runs, hub, published, tmp_path):
    repo, item = hub.repo(DATASET), published
    text = words(runs, item)
    old = {sha for sha, data in repo.objects.items() if item.encode() in data}
    lines = [
        {"key": "header", "value": {"summary": "An idea"}},
        {"key": "file", "value": {"path": "x.txt", "content": "eA==", "encoding": "base64"}},
    ]
    repo.commit("main", lines, pull=True)
    arguments = ("yank", DATASET, item, "--reason", REASON, "--date", "2026-02-03")
    before = len(hub.changes())
    dry = here(hub, *arguments, "--dry-run").output
    assert len(hub.changes()) == before
    assert "v1.0: 1 rows go" in dry
    assert "refs/pr/1" in dry
    assert "(n 6) -> " in dry
    assert "copies that others have downloaded" in dry
    asked = here(hub, *arguments, input="n\n")
    assert "It cannot be undone" in asked.output
    assert isinstance(asked.exception, SystemExit)
    assert len(hub.changes()) == before

    toolkit(hub, tmp_path, tmp_path / "home", *arguments, "--yes")
    assert set(repo.tags) == {"v1.0", "v1.1"}
    assert set(repo.branches) == {"main"}
    results = {p: d for p, d in texts(hub).items() if p.startswith("results/")}
    assert results
    for revision in ("main", "v1.0", "v1.1"):
        assert len(repo.history(revision)) == 1
        found = texts(hub, revision)
        assert not any(text in data for data in found.values())
        (entry,) = json.loads(found["withdrawn.json"])["items"]
        assert entry == {
            "item_id": item, "reason": REASON, "date": "2026-02-03", "version": "1.1",
        }  # fmt: skip
        card = found["README.md"].decode()
        assert "## Withdrawn items" in card
        assert "<b>its" not in card
    assert any(item.encode() in data for data in results.values())
    assert not old & set(repo.objects)
    assert not any(text in data for data in repo.objects.values())

    script = """
found = {}
for revision in ("v1.0", "v1.1"):
    data = datasets.load_dataset("org/tiny", split="test", revision=revision)
    found[revision] = data["item_id"][:]
print(json.dumps(found))
"""
    left = load(hub, tmp_path / "reader", script)
    assert {name: len(ids) for name, ids in left.items()} == {"v1.0": 5, "v1.1": 6}
    assert item not in left["v1.0"] + left["v1.1"]
    # The benchmark lives on: the same run publishes without the item, and changes nothing.
    assert not publish_run(client_of(hub), runs[1], Additions()).new_commit
    again = len(hub.changes())
    assert here(hub, *arguments, "--yes").exit_code == 0
    assert len(hub.changes()) == again


@pytest.mark.parametrize(
    "route",
    [
        r"POST .*/super-squash/main",
        r"POST .*/commit/take-down-v1\.0",
        r"POST .*/tag/",
        r"POST .*lfs-files/batch",
    ],
)
def test_a_take_down_that_was_stopped_goes_on(
    runs, hub, client, quick, tmp_path, route, monkeypatch
):
    monkeypatch.setattr("toolkit.publish.take_down.load_again", lambda *arguments: None)
    publish_run(client, runs[0], Additions())
    repo, item = hub.repo(DATASET), min(splits(runs[0]))
    text = words(runs, item)
    rule = hub.fail(route, status=503, times=99)
    dataset = Repository("dataset", DATASET)
    with pytest.raises(Passing):
        go(client, dataset, item, tmp_path / "one")
    assert rule.seen > 0
    hub.rules.remove(rule)
    go(client, dataset, item, tmp_path / "two")
    assert set(repo.tags) == {"v1.0"}
    assert set(repo.branches) == {"main"}
    for revision in ("main", "v1.0"):
        assert len(repo.history(revision)) == 1
        assert not any(text in data for data in texts(hub, revision).values())
    assert not any(text in data for data in repo.objects.values())


def page(hub):
    """Return the parts of the Space that hold records: ids, values and texts by file."""
    found = texts(hub, name=SPACE, kind="space")
    return {
        name: read_chunk(data.decode())[1]["items"]
        for name, data in found.items()
        if name.startswith("data/record-")
    }


def edit(hub, name, kind, path, text):
    """Commit a file as somebody else."""
    content = base64.b64encode(text.encode()).decode()
    lines = [
        {"key": "header", "value": {"summary": "Theirs"}},
        {"key": "file", "value": {"path": path, "content": content, "encoding": "base64"}},
    ]
    hub.repo(name, kind).commit("main", lines, pull=False)


@pytest.fixture
def shown(runs, hub, client, quick, monkeypatch):
    """One version on the Hub with its Space, and an item whose texts the page shows."""
    monkeypatch.setattr("toolkit.publish.take_down.load_again", lambda *arguments: None)
    publish_run(client, runs[0], Additions())
    item = next(item for item, split in sorted(splits(runs[0]).items()) if split == "test")
    return item, words(runs, item)


def test_the_space_loses_the_texts_and_its_past_and_keeps_the_scores(
    runs, hub, client, shown, tmp_path
):
    item, text = shown
    space = hub.repo(SPACE, "space")
    before = page(hub)
    assert all(text in texts(hub, name=SPACE, kind="space")[name] for name in before)
    # As a page of an earlier version may be: somebody else's answer is the text itself.
    name = min(before)
    record = read_chunk(texts(hub, name=SPACE, kind="space")[name].decode())[1]
    other = next(at for at, one in enumerate(record["items"]["ids"]) if one != item)
    record["items"]["texts"][other][3] = f"So: {text.decode()}"
    edit(hub, SPACE, "space", name, chunk_text(name[5:-3], record))

    dry = here(hub, "yank", DATASET, item, "--reason", REASON, "--dry-run").output
    assert f"the Space {SPACE}: texts beside {len(before) + 1} scores go" in dry
    assert f"  M {name}" in dry
    assert "3 commits become one" in dry or "4 commits become one" in dry
    go(client, Repository("dataset", DATASET), item, tmp_path / "one")
    assert len(space.history("main")) == 1
    assert not any(text in data for data in texts(hub, name=SPACE, kind="space").values())
    after = page(hub)
    for part, items in after.items():
        assert (items["ids"], items["values"]) == (before[part]["ids"], before[part]["values"])
        left = [at for at, row in enumerate(items["texts"]) if row is None]
        assert left == sorted({items["ids"].index(item), *([other] if part == name else [])})

    # Neither the next publish of the run nor the same command brings anything back.
    outcome = publish_run(client, runs[0], Additions())
    assert not outcome.new_commit
    found = texts(hub, name=SPACE, kind="space")
    assert not any(text in data for data in found.values())
    assert all(items["texts"][items["ids"].index(item)] is None for items in page(hub).values())
    go(client, Repository("dataset", DATASET), item, tmp_path / "two")
    changes = len(hub.changes())
    go(client, Repository("dataset", DATASET), item, tmp_path / "three")
    assert len(hub.changes()) == changes


def test_a_space_that_cannot_be_changed_keeps_nothing_in_the_dataset(hub, client, shown, tmp_path):
    item, text = shown
    rule = hub.fail(r"POST /api/spaces/.*/commit/", status=403, times=9)
    dataset = Repository("dataset", DATASET)
    with pytest.raises(RunError, match=r"gone from .*may still be shown: the Space org/tiny-board"):
        go(client, dataset, item, tmp_path / "one")
    assert not any(text in data for data in texts(hub).values())
    assert any(text in data for data in texts(hub, name=SPACE, kind="space").values())
    hub.rules.remove(rule)
    go(client, dataset, item, tmp_path / "two")
    assert not any(text in data for data in texts(hub, name=SPACE, kind="space").values())


def go(client, dataset, item, folder):
    folder.mkdir()
    plan = plan_take_down(client, dataset, withdrawn(item), folder)
    take_down(client, plan, folder, lambda text: None)


def test_an_unknown_item_changes_nothing(hub, client, published, tmp_path):
    before = len(hub.changes())
    with pytest.raises(UserError, match="no version holds the item nothing-of-that-name"):
        plan_take_down(
            client, Repository("dataset", DATASET), withdrawn("nothing-of-that-name"), tmp_path
        )
    assert len(hub.changes()) == before


def test_a_split_is_never_emptied(runs, hub, client, published, tmp_path):
    everyone = [item for item, split in splits(runs[0]).items() if split == "train"]
    with pytest.raises(UserError, match="the split 'train' would be empty"):
        plan_take_down(client, Repository("dataset", DATASET), withdrawn(*everyone), tmp_path)


def test_a_dataset_of_others_is_left_alone(hub, client, tmp_path):
    hub.make("org/other")
    with pytest.raises(UserError, match="not published by this program"):
        plan_take_down(client, Repository("dataset", "org/other"), withdrawn("x"), tmp_path)
