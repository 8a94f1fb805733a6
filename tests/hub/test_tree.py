"""What stands in a repository, and what comes from there."""

import pytest
from hub_files import CARD, write

from toolkit.errors import RunError
from toolkit.hub.commit import push
from toolkit.hub.plan import plan_changes
from toolkit.hub.repository import Repository, create, head
from toolkit.hub.tree import download, download_texts, remote_tree


@pytest.fixture
def pushed(client, repository, tmp_path):
    create(client, repository, private=False)
    texts = {f"results__r{n}_json": str(n) for n in range(5)}
    names = write(tmp_path, README_md=CARD, default__test_parquet="PAR1 rows", **texts)
    base = head(client, repository)
    change = plan_changes(tmp_path, names, remote_tree(client, repository, base), base)
    return push(client, repository, change, message="First")


def test_all_pages_of_a_tree_are_read_and_files_come_whole(client, repository, pushed, tmp_path):
    tree = remote_tree(client, repository, pushed)
    assert len(tree) == 8
    assert tree["default/test.parquet"].sha256 is not None
    assert tree["README.md"].sha256 is None
    assert download_texts(client, repository, pushed, {"README.md": tree["README.md"]}) == {
        "README.md": CARD
    }
    download(client, repository, pushed, tree, tmp_path / "copy")
    found = {p.relative_to(tmp_path / "copy").as_posix() for p in (tmp_path / "copy").rglob("*.*")}
    assert found == set(tree)


def test_a_repository_that_is_not_there_has_no_files(client):
    assert remote_tree(client, Repository("dataset", "org/none"), "main") == {}


def test_other_bytes_than_listed_are_noticed(hub, client, repository, pushed, tmp_path):
    tree = remote_tree(client, repository, pushed)
    repo = hub.repo("org/demo")
    repo.objects[tree["default/test.parquet"].sha256] = b"PAR1 ROWS"
    wanted = {"default/test.parquet": tree["default/test.parquet"]}
    with pytest.raises(RunError, match="other bytes"):
        download(client, repository, pushed, wanted, tmp_path / "copy")
