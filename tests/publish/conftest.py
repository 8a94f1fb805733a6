"""Two finished runs, made once, and a Hub for each test."""

import pytest
from publish_world import client_of, two_versions

from tests.doubles.hub_server import HubServer


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """The runs of version 1.0 and version 1.1."""
    return two_versions(tmp_path_factory.mktemp("runs"))


@pytest.fixture
def hub():
    with HubServer() as server:
        yield server


@pytest.fixture
def client(hub):
    return client_of(hub)


@pytest.fixture
def quick(monkeypatch):
    """No page of its own, and nothing read back: for tests of what comes before."""
    monkeypatch.setattr("toolkit.publish.push.load_again", lambda *arguments: None)
