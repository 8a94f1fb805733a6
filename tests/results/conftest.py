"""One run for all tests that need a real one, on workers that stay."""

import judged_run
import pytest

from tests.doubles.chat_server import ChatServer
from tests.schedulers import local_scheduler


@pytest.fixture(scope="session")
def scheduler():
    """The address of a Dask scheduler with one worker."""
    with local_scheduler() as address:
        yield address


@pytest.fixture(scope="session")
def run(tmp_path_factory, scheduler):
    """The folder of a finished run."""
    folder = tmp_path_factory.mktemp("judged")
    with ChatServer(folder, judged_run.SCRIPT) as server:
        return judged_run.make(folder / "run", judged_run.recipe(server.url), scheduler)
