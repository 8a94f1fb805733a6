"""A Hub of our own for each test, and a client that waits for nothing."""

import pytest

from tests.doubles.hub_server import TOKEN, HubServer
from toolkit.hub.client import Patience, connect
from toolkit.hub.repository import Repository


@pytest.fixture
def hub():
    with HubServer(page=3) as server:
        yield server


@pytest.fixture
def pauses():
    """The seconds that the client would have waited."""
    return []


@pytest.fixture
def client(hub, monkeypatch, pauses):
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    return connect("HF_TOKEN", patience=Patience(tries=4, answer_s=20.0, pause=pauses.append))


@pytest.fixture
def repository():
    return Repository("dataset", "org/demo")
