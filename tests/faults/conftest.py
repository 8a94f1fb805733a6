"""Worker processes that outlive a run, so that many small runs cost little."""

import pytest

from tests.schedulers import local_scheduler


@pytest.fixture(scope="session")
def scheduler():
    """The address of a Dask scheduler with two workers."""
    with local_scheduler(workers=2) as address:
        yield address
