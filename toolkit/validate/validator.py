"""The parent's side of validation: one long-lived process that holds Great Expectations.

Importing it costs seconds of CPU, so one process serves a whole run. It is started at the
first validation, gets none of this process's secrets, and is ended with the ``with`` block. If
it dies, hangs or raises, the result is an error: never a pass.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

from toolkit.errors import MissingError
from toolkit.store.redact import redact
from toolkit.validate.result import ValidationResult, error_result
from toolkit.validate.shards import shard_labels
from toolkit.validate.suite import Suite

__all__ = ["Validator"]

_START: Final = (
    "import json, sys\n"
    "sys.path[:] = json.loads(sys.argv[1])\n"
    "from toolkit.validate.child import main\n"
    "main()\n"
)
_KEPT: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH")
"""Variables that the process may need; every other, secrets among them, stays here."""

_TICKS: Final = ("tick", "ready")


class Validator:
    """Validate tables, all in one separate process.

    Use it as a context manager; several threads may share it, one validation runs at a time.

    Attributes:
        timeout: seconds without a sign of life (its start, or one batch of 20,000 rows) after
            which the process counts as hung and is killed.
    """

    def __init__(self, *, timeout: float = 900.0) -> None:
        """Prepare; nothing is started yet."""
        self.timeout = timeout
        self._lock = threading.Lock()
        self._child: _Child | None = None

    def __enter__(self) -> Validator:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def process_id(self) -> int | None:
        """The id of the running process; None when there is none."""
        return self._child.pid if self._child else None

    def close(self) -> None:
        """End the process, if there is one; the next validation would start another."""
        child, self._child = self._child, None
        if child:
            child.close()

    def validate(
        self,
        paths: Sequence[Path],
        suite: Suite,
        *,
        id_column: str | Sequence[str],
        rejects: Path | None = None,
        parameters: Mapping[str, Any] | None = None,
        tables: Mapping[str, Sequence[Path]] | None = None,
    ) -> ValidationResult:
        """Evaluate a suite over the Parquet shards of one table.

        Args:
            paths: the shards; ordered by file name, then by the name of their folder.
            suite: what to expect.
            id_column: the column or columns that name a row in results.
            rejects: a Parquet file to write with every row that broke a failed expectation
                (columns of the ``rejects`` table: ``reason`` is the expectation's id,
                ``source_file`` and ``position`` the shard, with its folder where two shards
                share a name, and the row in it); ordered by
                expectation, then shard, then row. Written even when no row failed; not written
                when the table could not be evaluated.
            parameters: values for the suite's ``{"$PARAMETER": name}``.
            tables: shards of other tables, for ``toolkit_ids_match``.

        Returns:
            The result; whether a failure stops the run is the caller's decision.

        Raises:
            MissingError: Great Expectations is not installed.
            ValueError: two shards have the same file name in folders of one name, or no id
                column is given.
        """
        id_columns = [id_column] if isinstance(id_column, str) else list(id_column)
        labels = shard_labels(paths)
        if len(set(labels)) != len(labels) or not id_columns:
            raise ValueError("shards need different file or folder names, and rows an id column")
        if not suite.expectations:
            return error_result(suite, "the suite has no expectation")
        filled = _fill(suite.to_json(), parameters or {})
        request = {
            "suite": filled,
            "paths": [str(path.resolve()) for path in paths],
            "id_columns": id_columns,
            "rejects": str(rejects.resolve()) if rejects else None,
            "tables": {
                name: [str(path.resolve()) for path in shards]
                for name, shards in sorted((tables or {}).items())
            },
        }
        with self._lock:
            return self._ask(suite, request)

    def _ask(self, suite: Suite, request: Mapping[str, Any]) -> ValidationResult:
        try:
            if self._child is None:
                self._child = _Child()
            answer = self._child.ask(request, self.timeout)
        except _Lost as lost:
            self.close()
            return error_result(suite, str(lost))
        except BaseException:
            # An interrupt between request and answer would leave the answer to the next caller.
            self.close()
            raise
        if "missing" in answer:
            self.close()
            raise MissingError(
                f"Great Expectations cannot be imported: {answer['missing']}",
                hint="pip install 'great-expectations>=1.24,<2'",
            )
        if "error" in answer:
            return error_result(suite, str(answer["error"]))
        return ValidationResult.from_json(answer["result"])


class _Lost(Exception):
    """The process is of no use any more; the text says why."""


class _Child:
    """The process, its pipes, and a thread that reads its answers."""

    def __init__(self) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="toolkit-validate-"))
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives with the process
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
            [sys.executable, "-I", "-c", _START, json.dumps(_import_path())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=_environment(self._home),
            cwd=self._home,
            text=True,
            encoding="utf-8",
            # Ctrl-C is the parent's to handle: it closes this process in its own order.
            process_group=0,
        )
        self.pid = self._process.pid
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="validation-answers", daemon=True).start()

    def ask(self, request: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise _Lost(self._last_words()) from None
        while True:
            try:
                line = self._answers.get(timeout=timeout)
            except queue.Empty:
                raise _Lost(
                    f"the validation process gave no sign of life for {timeout:g} seconds"
                ) from None
            if line is None:
                raise _Lost(self._last_words())
            answer: dict[str, Any] = json.loads(line)
            if not any(key in answer for key in _TICKS):
                return answer

    def close(self) -> None:
        with suppress(OSError):
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()
        self._errors.close()
        shutil.rmtree(self._home, ignore_errors=True)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with suppress(ValueError, OSError):
            for line in self._process.stdout:
                self._answers.put(line)
        self._answers.put(None)

    def _last_words(self) -> str:
        code = self._process.wait()
        ending = f"signal {-code}" if code < 0 else f"exit code {code}"
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        printable = "".join(c if c.isprintable() else " " for c in redact(last))[:300]
        return f"the validation process ended with {ending}" + (f": {printable}" if last else "")


def _import_path() -> list[str]:
    """Return this process's import path, so that the same toolkit is imported there."""
    return [str(Path(entry or ".").resolve()) for entry in sys.path]


def _environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    # A home of its own: Great Expectations reads and writes settings in the user's. What a
    # killed process leaves lies there too, and goes with it.
    own = {"HOME": str(home), "TMPDIR": str(home)}
    return {**kept, **own, "GX_ANALYTICS_ENABLED": "False", "PYTHONUTF8": "1"}


def _fill(suite: dict[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    for item in suite["expectations"]:
        for argument, value in item["kwargs"].items():
            name = str(value.get("$PARAMETER")) if isinstance(value, dict) else ""
            if name in parameters:
                item["kwargs"][argument] = parameters[name]
    return suite
