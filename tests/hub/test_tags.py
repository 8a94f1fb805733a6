"""Tags are made once and stay."""

import pytest

from toolkit.errors import UserError
from toolkit.hub.repository import create, head, tags
from toolkit.hub.tags import delete_tag, make_tag


@pytest.fixture
def commits(hub, client, repository):
    create(client, repository, private=False)
    repo = hub.repo("org/demo")
    first = head(client, repository)
    second = repo.add({}, "second", "", first)
    repo.branches["main"] = second
    return first, second


def test_a_tag_is_made_once(hub, client, repository, commits):
    first, second = commits
    assert make_tag(client, repository, "v1.0", first) is True
    assert make_tag(client, repository, "v1.0", first) is False
    with pytest.raises(UserError, match="never moved") as error:
        make_tag(client, repository, "v1.0", second)
    assert "raise `version`" in error.value.hint
    assert tags(client, repository) == {"v1.0": first}


@pytest.mark.parametrize("how", [{"status": 502}, {"close": "before"}, {"close": "after"}])
def test_a_lost_answer_is_looked_up(hub, client, repository, commits, how):
    hub.fail("POST .*/tag/", **how)
    make_tag(client, repository, "v1.0", commits[0])
    assert tags(client, repository) == {"v1.0": commits[0]}


def test_a_tag_is_removed_once_and_again(client, repository, commits):
    make_tag(client, repository, "v1.0", commits[0])
    delete_tag(client, repository, "v1.0")
    delete_tag(client, repository, "v1.0")
    assert tags(client, repository) == {}
