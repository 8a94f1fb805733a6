"""One commit or none, whatever the server does."""

import threading

import pytest
from hub_files import CARD, contents, write

from toolkit.errors import RunError, UserError
from toolkit.hub.commit import push
from toolkit.hub.failures import HeadMoved, Passing
from toolkit.hub.plan import plan_changes
from toolkit.hub.repository import create, head
from toolkit.hub.tree import remote_tree

COMMIT = r"POST .*/commit/main"


def planned(client, repository, folder, owned=(), **texts):
    """Make the repository and plan a folder of two files for it."""
    create(client, repository, private=False)
    names = write(folder, **(texts or {"README_md": CARD, "default__test_parquet": "PAR1 rows"}))
    base = head(client, repository)
    return plan_changes(folder, names, remote_tree(client, repository, base), base, owned=owned)


def test_a_push_is_one_commit_with_its_files_and_deletions(hub, client, repository, tmp_path):
    first = push(client, repository, planned(client, repository, tmp_path / "one"), message="First")
    assert contents(hub) == {"README.md": CARD.encode(), "default/test.parquet": b"PAR1 rows"}
    change = planned(
        client,
        repository,
        tmp_path / "two",
        owned=["default/test.parquet"],
        README_md=CARD,
        default__train_parquet="PAR1 more",
    )
    letters = [(letter, line.path) for letter, line in change.lines()]
    assert letters == [
        ("=", "README.md"),
        ("D", "default/test.parquet"),
        ("A", "default/train.parquet"),
    ]
    assert [line.path for line in change.foreign] == [".gitattributes"]
    second = push(client, repository, change, message="Second")
    assert set(contents(hub)) == {"README.md", "default/train.parquet"}
    history = [commit.oid for commit in hub.repo("org/demo").history("main")]
    assert history[:2] == [second, first]
    assert len(history) == 3


@pytest.mark.parametrize("status", [429, 500, 504])
def test_a_busy_server_is_asked_again(hub, client, repository, tmp_path, pauses, status):
    change = planned(client, repository, tmp_path)
    hub.fail(
        COMMIT, status=status, times=2, headers={"Retry-After": "900"} if status == 429 else {}
    )
    commit = push(client, repository, change, message="First")
    assert head(client, repository) == commit
    assert len(hub.repo("org/demo").history("main")) == 2
    assert pauses == ([60.0, 60.0] if status == 429 else [0.5, 1.0])


def test_a_commit_whose_answer_was_lost_is_not_made_twice(hub, client, repository, tmp_path):
    change = planned(client, repository, tmp_path)
    hub.fail(COMMIT, close="after")
    commit = push(client, repository, change, message="First")
    assert len(hub.hits(COMMIT)) == 1
    assert hub.repo("org/demo").branches["main"] == commit
    assert len(hub.repo("org/demo").history("main")) == 2


def test_a_connection_lost_before_the_commit_is_tried_again(hub, client, repository, tmp_path):
    change = planned(client, repository, tmp_path)
    hub.fail(COMMIT, close="before")
    push(client, repository, change, message="First")
    assert len(hub.hits(COMMIT)) == 2
    assert len(hub.repo("org/demo").history("main")) == 2


def test_a_server_that_stays_away_leaves_nothing(hub, client, repository, tmp_path):
    change = planned(client, repository, tmp_path)
    hub.fail(COMMIT, status=503, times=99)
    with pytest.raises(Passing, match="503") as error:
        push(client, repository, change, message="First")
    assert error.value.exit_code == 3
    assert "run the same command again" in error.value.hint
    assert contents(hub) == {}
    assert len(hub.hits(COMMIT)) == 4


@pytest.mark.parametrize("lost", [False, True])
def test_somebody_elses_commit_is_never_written_over(hub, client, repository, tmp_path, lost):
    change = planned(client, repository, tmp_path)

    def other():
        repo = hub.repo("org/demo")
        lines = [
            {"key": "header", "value": {"summary": "Theirs"}},
            {
                "key": "file",
                "value": {"path": "their.txt", "content": "eA==", "encoding": "base64"},
            },
        ]
        repo.commit("main", lines, pull=False)

    hub.fail(COMMIT, before=other, close="before" if lost else "")
    with pytest.raises(HeadMoved):
        push(client, repository, change, message="First")
    assert set(contents(hub)) == {"their.txt"}
    # Planned from the new head, both stand side by side.
    push(client, repository, planned(client, repository, tmp_path), message="First")
    assert set(contents(hub)) == {"their.txt", "README.md", "default/test.parquet"}


def test_two_publishers_at_once_make_two_commits_or_one_is_told(hub, client, repository, tmp_path):
    changes = [
        planned(client, repository, tmp_path / name, **{f"{name}_txt": name}) for name in "ab"
    ]
    outcomes = []

    def go(change):
        try:
            outcomes.append(push(client, repository, change, message="x"))
        except HeadMoved as error:
            outcomes.append(error)

    threads = [threading.Thread(target=go, args=(change,)) for change in changes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(isinstance(found, HeadMoved) for found in outcomes) == [False, True]
    assert len(hub.repo("org/demo").history("main")) == 2


def test_files_that_the_server_leaves_out_are_noticed(hub, client, repository, tmp_path):
    create(client, repository, private=False)
    lines = [
        {"key": "header", "value": {"summary": "Ignore"}},
        {
            "key": "file",
            "value": {
                "path": ".gitignore",
                "content": "ZGVmYXVsdC90ZXN0LnBhcnF1ZXQ=",
                "encoding": "base64",
            },
        },
    ]
    hub.repo("org/demo").commit("main", lines, pull=False)
    with pytest.raises(RunError, match=r"differs in default/test\.parquet"):
        push(client, repository, planned(client, repository, tmp_path), message="First")


def test_a_bad_card_is_refused_before_anything_is_sent(hub, client, repository, tmp_path):
    change = planned(client, repository, tmp_path, README_md="---\nlicense: [1]\n---\n")
    with pytest.raises(UserError, match=r'refuses the card.*"license" must be an id'):
        push(client, repository, change, message="First")
    assert not hub.hits("_lfs|/commit/")


def test_a_large_file_goes_up_in_parts(hub, client, repository, tmp_path):
    hub.multipart = 4
    change = planned(client, repository, tmp_path, big_parquet="PAR1 longer than a part")
    push(client, repository, change, message="First")
    assert contents(hub) == {"big.parquet": b"PAR1 longer than a part"}
    assert len(hub.hits("PUT .*/part/")) == 6


@pytest.mark.parametrize("size", [None, (10 << 20) + 1])
@pytest.mark.parametrize("name", ["README.md", "default/test.parquet"])
def test_a_file_changed_after_the_plan_is_not_sent(hub, client, repository, tmp_path, name, size):
    """Small files go as bytes, large ones by their path."""
    texts = {"README_md": CARD, "default__test_parquet": "PAR1 rows".ljust(size or 0)}
    change = planned(client, repository, tmp_path, **texts)
    with (tmp_path / name).open("a") as file:
        file.write("more")
    with pytest.raises(UserError, match=rf"changed after the gate.*\n  {name}"):
        push(client, repository, change, message="First")
    assert contents(hub) == {}
    assert not hub.hits("_lfs|/commit/")


def test_bytes_are_those_of_the_plan_whenever_the_folder_changes(hub, client, repository, tmp_path):
    """An edit after the first request: what is read again would be other bytes."""
    change = planned(client, repository, tmp_path)
    card = tmp_path / "README.md"
    hub.fail(r"POST .*/preupload/main", before=lambda: card.write_text(CARD + "more"))
    push(client, repository, change, message="First")
    assert card.read_text() != CARD
    assert contents(hub)["README.md"] == CARD.encode()


def test_an_edit_between_two_tries_ends_the_push(hub, client, repository, tmp_path):
    change = planned(client, repository, tmp_path)
    card = tmp_path / "README.md"
    hub.fail(COMMIT, status=503, before=lambda: card.write_text(CARD + "more"))
    with pytest.raises(UserError, match=r"changed after the gate.*\n  README\.md"):
        push(client, repository, change, message="First")
    assert contents(hub) == {}


def test_a_plan_takes_no_other_bytes_than_the_gate_has_seen(tmp_path):
    names = write(tmp_path, README_md=CARD)
    with pytest.raises(UserError, match="changed after the gate"):
        plan_changes(tmp_path, dict.fromkeys(names, "0" * 64), {}, None)
