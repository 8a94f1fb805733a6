"""Worker processes: a local Dask cluster, or one that runs elsewhere."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

from toolkit.errors import RunError, Stopped, ToolkitError, UserError

__all__ = ["Cluster"]

Task = TypeVar("Task")
Result = TypeVar("Result")

POLL_SECONDS: Final = 0.2

WORKER_ENVIRONMENT: Final[Mapping[str, str]] = {
    # mimalloc, pyarrow's own choice, keeps what it freed: 272 MB instead of 181 MB for a worker
    # that reads a PubMed file and writes its items.
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    # One thread a worker process: results must not depend on how many cores a machine has,
    # and two workers must not fight for them.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}


class Cluster:
    """Runs functions in worker processes; they start when the first task comes.

    Several threads may call :meth:`run` at once.
    """

    def __init__(self, scheduler: str, workers: int | None, stopping: Callable[[], bool]) -> None:
        """Remember how to start.

        Args:
            scheduler: ``local``, or the address of a running Dask scheduler.
            workers: worker processes of a local cluster; None for one a core.
            stopping: returns True once the run was asked to stop.
        """
        self._scheduler = scheduler
        self._workers = workers or os.cpu_count() or 1
        self._stopping = stopping
        self._lock = threading.Lock()
        self._cluster: Any = None
        self._client: Any = None

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
        """Run a function on each task and yield results in the order of the tasks.

        A task that is lost with its worker runs again elsewhere, so tasks must be safe to repeat.

        Raises:
            Stopped: the run was asked to stop.
            RunError: a task kills every worker that takes it.
            Exception: whatever a task raised.
        """
        if not tasks:
            return
        client = self.connect()
        # pure=False: Dask would otherwise hand out an earlier result of an equal task.
        work = partial(_in_worker, function)
        futures = client.map(work, tasks, pure=False, retries=0)
        try:
            for index, task in enumerate(tasks):
                try:
                    result = self._result(futures[index], task)
                except _Blamed:
                    # Dask blames every task that a dying worker held, the innocent ones too: a
                    # second set of deaths makes it likely that it is the task itself.
                    futures[index] = client.submit(work, task, pure=False, retries=0)
                    result = self._again(futures[index], task)
                yield result
        finally:
            with suppress(Exception):
                client.cancel([future for future in futures if not future.done()], force=True)

    def close(self) -> None:
        """Stop the workers that this process started."""
        with self._lock:
            for part in (self._client, self._cluster):
                if part is not None:
                    with suppress(Exception):
                        part.close()
            self._client = self._cluster = None

    def connect(self) -> Any:
        """Start the workers, or find those of the scheduler, unless that was done before.

        Raises:
            UserError: no scheduler answers, or its workers cannot be used.
        """
        with self._lock:
            if self._client is None:
                self._client = self._local() if self._scheduler == "local" else self._remote()
            return self._client

    def _local(self) -> Any:
        import dask
        from distributed import Client, LocalCluster

        _quieten()
        dask.config.set(
            {
                "distributed.worker.multiprocessing-method": "spawn",
                "distributed.nanny.environ": dict(WORKER_ENVIRONMENT),
                "distributed.admin.tick.limit": "60s",
                # A worker holds one task at a time, so that fewer are blamed when it dies.
                "distributed.scheduler.worker-saturation": 1.0,
                # A nanny without a worker this long after any death of one is closed for good,
                # also while it starts the next one, and a run without nannies waits forever.
                "distributed.deploy.lost-worker-timeout": "52 weeks",
            }
        )
        self._cluster = LocalCluster(
            n_workers=self._workers,
            threads_per_worker=1,
            processes=True,
            # None would still bind the default port and warn when another run has it.
            dashboard_address=":0",
            host="127.0.0.1",
            silence_logs=50,
        )
        return Client(self._cluster)

    def _remote(self) -> Any:
        from distributed import Client

        _quieten()
        try:
            client = Client(self._scheduler, timeout="10s")
        except (OSError, TimeoutError) as error:
            raise UserError(
                f"no Dask scheduler answers at {self._scheduler}",
                hint="start one (dask scheduler), or write execution.scheduler: local",
            ) from error
        if not client.scheduler_info()["workers"]:
            client.close()
            raise UserError(
                f"the Dask scheduler at {self._scheduler} has no workers",
                hint=f"start some: dask worker --nthreads 1 {self._scheduler}",
            )
        threads = {worker["nthreads"] for worker in client.scheduler_info()["workers"].values()}
        if threads != {1}:
            client.close()
            raise UserError(
                f"workers of the Dask scheduler at {self._scheduler} have several threads each, "
                "so that results could depend on what runs beside a task",
                hint="start them with --nthreads 1 and --nworkers for the number of processes",
            )
        return client

    def _result(self, future: Any, task: Any) -> Any:
        from distributed import KilledWorker, TimeoutError, wait

        while not future.done():
            if self._stopping():
                raise Stopped("the run was asked to stop", hint="run the same command to go on")
            with suppress(TimeoutError):
                wait(future, timeout=POLL_SECONDS)
        try:
            return future.result()
        except KilledWorker as error:
            raise _Blamed from error

    def _again(self, future: Any, task: Any) -> Any:
        try:
            return self._result(future, task)
        except _Blamed as error:
            raise RunError(
                f"a task killed every worker that took it: {_named(task)}",
                hint="it probably needs more memory than a worker has; set execution.workers "
                "lower, or look at what is special about these rows",
            ) from error.__cause__


class _Blamed(Exception):
    """Four workers died while they held a task."""


def _in_worker(function: Callable[[Task], Result], task: Task) -> Result:
    try:
        return function(task)
    except ToolkitError as error:
        # What caused it may be no value that travels (lxml's errors are not), and would turn
        # the error into one that nobody knows on its way home.
        error.__cause__ = error.__context__ = None
        raise


def _named(task: Any) -> str:
    text = str(getattr(task, "name", task))
    return text if len(text) <= 200 else text[:197] + "..."


def _quieten() -> None:
    import logging

    for name in ("distributed", "distributed.nanny", "distributed.worker", "distributed.scheduler"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
