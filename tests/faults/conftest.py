"""Worker processes that outlive a run, so that many small runs cost little."""

import pytest


@pytest.fixture(scope="session")
def scheduler():
    """Return the address of a Dask scheduler on this machine with two workers."""
    from distributed import LocalCluster

    cluster = LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=":0",
        silence_logs=50,
    )
    yield cluster.scheduler_address
    cluster.close()
