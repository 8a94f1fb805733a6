"""Fault catalogue 42: whatever happens to a push, one commit or none, and a tag in the end."""

import os
import signal
import time

import pytest
import tiny_recipe
from publish_world import DATASET, client_of, load, make_run, recipe, start, texts

from tests.doubles.hub_server import HubServer
from toolkit.errors import ToolkitError, UserError
from toolkit.publish.push import publish_run
from toolkit.publish.stage import Additions

NOTHING = Additions(own=False)
SHARDS = {"default/train-00000-of-00001.parquet", "default/test-00000-of-00001.parquet"}
COMMIT, TAG = r"POST .*/commit/main", r"POST .*/tag/"
HEAD = r"GET /api/datasets/org/tiny/revision/main"


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    root = tmp_path_factory.mktemp("run")
    data = recipe(leaderboard=None, tasks=[])
    return make_run(root / "recipe", root / "workspace", data, tiny_recipe.rows())


@pytest.fixture
def hub():
    with HubServer() as server:
        yield server


@pytest.fixture
def unread(monkeypatch):
    """Nothing is read back: what comes before and after it is tested here."""
    monkeypatch.setattr("toolkit.publish.push.load_again", lambda *arguments: None)


def whole_or_nothing(hub):
    """Check that nobody can see half a release; return whether there is one."""
    repo = hub.repos.get(("dataset", DATASET))
    if repo is None:
        return False
    found = set(texts(hub)) - {".gitattributes"}
    if found:
        assert found >= {"README.md", "publish_gate.json", "releases.json", *SHARDS}
    assert len(repo.history("main")) == 1 + bool(found)
    assert set(repo.tags) <= {"v1.0"}
    return bool(found)


def done(hub):
    """Check that there is one commit, with the tag on it."""
    assert whole_or_nothing(hub)
    repo = hub.repo(DATASET)
    assert repo.tags == {"v1.0": repo.branches["main"]}


@pytest.mark.parametrize(
    ("route", "phase", "published"),
    [
        (r"POST /api/repos/create", "after", False),
        (r"PUT /_lfs/", "after", False),
        (COMMIT, "before", False),
        (COMMIT, "after", True),
        (TAG, "before", True),
    ],
)
@pytest.mark.slow
def test_a_killed_publish_goes_on_where_it_was(source, hub, tmp_path, route, phase, published):
    workspace = source.run.workspace.root
    running = []
    # "before": what was on its way when the process died never came to anything.
    hub.fail(route, close=phase, **{phase: lambda: os.kill(running[0].pid, signal.SIGKILL)})
    arguments = ("publish", source.run.name, "--data-only")
    running.append(start(hub, workspace, tmp_path / "home", *arguments))
    output, _ = running[0].communicate(timeout=120)
    assert running[0].returncode == -signal.SIGKILL, output
    assert whole_or_nothing(hub) is published
    assert not getattr(hub.repos.get(("dataset", DATASET)), "tags", {})
    outcome = publish_run(client_of(hub), source, NOTHING)
    assert outcome.new_commit is not published
    done(hub)
    before = len(hub.changes())
    publish_run(client_of(hub), source, NOTHING)
    assert len(hub.changes()) == before
    assert not (workspace / "publish" / "org--tiny").exists()


@pytest.mark.parametrize(
    ("route", "how"),
    [
        (r"POST /api/repos/create", {"close": "after"}),
        (r"GET .*/tree/", {"status": 500}),
        (r"POST .*/preupload/", {"status": 504}),
        (r"POST .*objects/batch", {"close": "after"}),
        (r"PUT /_lfs/", {"status": 500}),
        (COMMIT, {"status": 429}),
        (COMMIT, {"status": 500}),
        (COMMIT, {"close": "after"}),
        (TAG, {"status": 504}),
        (TAG, {"close": "after"}),
    ],
    ids=str,
)
def test_a_fault_of_the_server_is_survived(source, hub, unread, route, how):
    rule = hub.fail(route, **how, headers={"Retry-After": "0"})
    publish_run(client_of(hub), source, NOTHING)
    assert rule.seen > 0
    done(hub)


@pytest.mark.parametrize("status", [401, 504])
@pytest.mark.parametrize(("route", "published"), [(COMMIT, False), (TAG, True)])
def test_a_server_that_keeps_failing_leaves_all_or_nothing(
    source, hub, unread, route, published, status
):
    rule = hub.fail(route, status=status, times=99)
    with pytest.raises(ToolkitError) as error:
        publish_run(client_of(hub), source, NOTHING)
    assert error.value.hint
    assert isinstance(error.value, UserError) is (status in (401, 403))
    assert whole_or_nothing(hub) is published
    hub.rules.remove(rule)
    publish_run(client_of(hub), source, NOTHING)
    done(hub)


def test_a_commit_that_landed_behind_a_504_is_the_release(source, hub, tmp_path):
    """The gateway gave up; the server behind it did not."""
    hub.fail(COMMIT, close="after")
    hub.fail(r"GET /api/datasets/org/tiny/revision/main", nth=3, status=504)
    publish_run(client_of(hub), source, NOTHING)
    done(hub)
    assert len(hub.hits(COMMIT)) == 1
    script = 'print(json.dumps(len(datasets.load_dataset("org/tiny", revision="v1.0")["test"])))'
    assert load(hub, tmp_path / "reader", script) == 6


def test_a_slow_server_counts_as_lost_and_is_looked_at_first(source, hub, unread):
    asked = []
    hub.fail(COMMIT, delay=1.5, before=lambda: asked.append("commit"))
    hub.fail(HEAD, times=99, before=lambda: asked.append("head"))
    client = client_of(hub, answer_s=0.5)
    # The commit may land while the head is being looked at: then the plan is made again.
    try:
        publish_run(client, source, NOTHING)
    except ToolkitError:
        publish_run(client_of(hub), source, NOTHING)
    assert asked[asked.index("commit") + 1] == "head"
    # What the client gave up on reaches the server in the end, and makes no second commit.
    end = time.monotonic() + 20
    while (late := len(hub.hits(COMMIT))) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    assert late >= 1
    done(hub)
    assert len(hub.repo(DATASET).history("main")) == 2
