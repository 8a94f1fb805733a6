"""One run for all tests that need a real one, on workers that stay."""

import judged_run
import pytest

from tests.doubles.chat_server import ChatServer


@pytest.fixture(scope="session")
def scheduler():
    """Return the address of a Dask scheduler on this machine with one worker."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=":0",
        silence_logs=50,
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="session")
def run(tmp_path_factory, scheduler):
    """The folder of a finished run."""
    folder = tmp_path_factory.mktemp("judged")
    with ChatServer(folder, judged_run.SCRIPT) as server:
        return judged_run.make(folder / "run", judged_run.recipe(server.url), scheduler)
