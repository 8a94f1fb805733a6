"""Proposals to models of others: never a push, never the same twice."""

import pytest
from hub_files import contents, write

from toolkit.errors import UserError
from toolkit.hub.pull_request import find_proposal, propose
from toolkit.hub.repository import Repository

NAME = ".eval_results/demo.yaml"
MODEL = Repository("model", "vendor/model")


@pytest.fixture
def file(tmp_path):
    write(tmp_path, demo_yaml="- value: 0.5\n")
    return tmp_path / "demo.yaml"


def test_a_proposal_opens_one_pull_request(hub, client, file):
    hub.make("vendor/model", "model")
    assert find_proposal(client, MODEL, file, NAME).state == "absent"
    found = propose(client, MODEL, file, NAME, title="Results of demo")
    assert (found.state, found.reference) == ("proposed", "refs/pr/1")
    assert contents(hub, "vendor/model", kind="model") == {}
    assert contents(hub, "vendor/model", "refs/pr/1", kind="model")[NAME] == b"- value: 0.5\n"
    assert propose(client, MODEL, file, NAME, title="Results of demo") == found
    assert len(hub.repo("vendor/model", "model").pulls) == 1


def test_a_lost_answer_opens_no_second_one(hub, client, file):
    hub.make("vendor/model", "model")
    hub.fail("POST .*/commit/", close="after")
    propose(client, MODEL, file, NAME, title="Results of demo")
    assert len(hub.repo("vendor/model", "model").pulls) == 1


def test_a_model_that_is_not_there_is_named(client, file):
    with pytest.raises(UserError, match="vendor/model"):
        propose(client, MODEL, file, NAME, title="Results of demo")
