"""Errors say what to do and never hold the token."""

import pickle

import pytest
from hub_files import CARD, write

from tests.doubles.hub_server import READER, STRANGER, TOKEN
from toolkit.errors import MissingError, UserError
from toolkit.hub.client import Client, connect
from toolkit.hub.commit import push
from toolkit.hub.plan import plan_changes
from toolkit.hub.repository import Repository, create, head
from toolkit.hub.tree import remote_tree


def test_a_token_is_taken_out_of_the_environment(client, monkeypatch):
    import os

    assert "HF_TOKEN" not in os.environ
    assert TOKEN not in repr(client)
    assert TOKEN not in repr(vars(client.api))
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(client)


def test_without_a_token_it_says_which_variable(monkeypatch, hub):
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    with pytest.raises(MissingError, match="MY_TOKEN") as error:
        connect("MY_TOKEN")
    assert "export MY_TOKEN" in error.value.hint


@pytest.mark.parametrize(
    ("endpoint", "reason"),
    [
        ("http://hub.example", "in the clear"),
        ("ftp://hub.example", "not the address"),
        ("https://me:secret@hub.example", "a user name or a password"),
    ],
)
def test_an_address_that_would_show_the_token_is_refused(monkeypatch, endpoint, reason):
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with pytest.raises(UserError, match=reason) as error:
        connect()
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("token", [STRANGER, READER, "hf_" + "nobodynobodynobodynobody"])
def test_a_token_without_the_right_is_told_apart_from_a_busy_hub(hub, client, tmp_path, token):
    repository = Repository("dataset", "org/demo")
    create(client, repository, private=False)
    names = write(tmp_path, README_md=CARD)
    base = head(client, repository)
    change = plan_changes(tmp_path, names, remote_tree(client, repository, base), base)
    other = Client(hub.url, token, client.patience)
    with pytest.raises(UserError) as error:
        push(other, repository, change, message="First")
    assert token not in str(error.value)
    assert "token" in str(error.value)
    assert head(client, repository) == base


def test_a_private_repository_is_seen_by_its_owner_alone(hub, client):
    repository = Repository("dataset", "org/secret")
    create(client, repository, private=True)
    assert hub.repo("org/secret").private
    assert head(client, repository) is not None
    assert head(Client(hub.url, STRANGER, client.patience), repository) is None


def test_a_server_that_repeats_the_token_is_not_repeated(hub, client):
    hub.fail(
        "GET /api/datasets/org/demo",
        status=400,
        headers={"X-Error-Message": f"bad {TOKEN}"},
    )
    with pytest.raises(UserError) as error:
        head(client, Repository("dataset", "org/demo"))
    assert TOKEN not in str(error.value)
    assert error.value.__cause__ is None


def test_a_hub_that_is_not_there_is_reported(client, pauses):
    away = Client("http://127.0.0.1:9", client.token, client.patience)
    from toolkit.hub.failures import Passing

    with pytest.raises(Passing):
        head(away, Repository("dataset", "org/demo"))
    assert len(pauses) == 3
