"""Worker processes that outlive a run, so that many small runs cost little."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache

_open = ExitStack()


@contextmanager
def local_scheduler(workers: int = 1) -> Iterator[str]:
    """Give the address of a Dask scheduler on this machine."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=":0",
        silence_logs=50,
    ) as cluster:
        yield cluster.scheduler_address


@cache
def shared_scheduler() -> str:
    """Return the address of a scheduler with one worker that this test process keeps to its end."""
    return _open.enter_context(local_scheduler())


def close_shared() -> None:
    """Stop it, if it was started."""
    _open.close()
    shared_scheduler.cache_clear()
