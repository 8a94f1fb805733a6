"""A metric that is a user's own function of (prediction, reference)."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import math
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, ClassVar, Final

from toolkit.errors import UserError
from toolkit.metrics.base import ScoreDefinition, Text, Value, check_pairs
from toolkit.recipe.local_code import code_digest, code_files

__all__ = ["LocalMetric", "LocalMetricError"]


_SHOWN: Final = 300
_LOCK: Final = threading.RLock()


class LocalMetricError(UserError):
    """A user's function failed on a row, or gave something that is no score.

    Attributes:
        row: 0-based position of the row among those the metric was called with.
        reason: what happened, without the row.
    """

    def __init__(self, reason: str, row: int, *, hint: str, where: str | None = None) -> None:
        super().__init__(f"{reason}, on {where or f'row {row}'}", hint=hint)
        self.reason = reason
        self.row = row

    def on(self, where: str) -> LocalMetricError:
        """Return the error with the row named as its reader knows it, e.g. ``item 123``."""
        return LocalMetricError(self.reason, self.row, hint=self.hint, where=where)


@dataclass(frozen=True, slots=True)
class _NoParams:
    pass


@dataclass(frozen=True)
class LocalMetric:
    """A plain function ``(prediction: str, reference: str) -> float | None`` as a metric.

    Attributes:
        name: the function's name; also the name of its one score.
        source: sha256 of its source and of the files beside it that it imports, so that a
            changed function is another metric.
        file: file it was loaded from; None for a function of a notebook.
        function: the function; loaded again in each process when there is a file.
    """

    version: ClassVar[int] = 1
    Params: ClassVar[type] = _NoParams
    reads: ClassVar[tuple[Text, ...]] = ("output", "reference")

    name: str
    source: str
    file: Path | None = None
    function: Callable[[str, str], float | None] | None = None

    @classmethod
    def load(cls, file: Path, name: str) -> LocalMetric:
        """Take a function from a Python file.

        Raises:
            UserError: the file cannot be imported, or has no such function.
        """
        with _beside(file):
            _import(file, name)
        return cls(name, code_digest(file), file=file)

    @classmethod
    def wrap(cls, function: Callable[[str, str], float | None]) -> LocalMetric:
        """Take a function that is at hand, e.g. in a notebook."""
        name = getattr(function, "__name__", "local").replace("<lambda>", "lambda")
        try:
            text = inspect.getsource(function)
        except (OSError, TypeError):
            text = repr(getattr(getattr(function, "__code__", None), "co_code", name))
        return cls(name, hashlib.sha256(text.encode()).hexdigest(), function=function)

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return one score of unknown range, higher is better."""
        return (ScoreDefinition(name=self.name, title=self.name, low=None, high=None),)

    def signature(self) -> str:
        """Return the name and the beginning of the source's checksum."""
        return f"local:{self.name}|source:{self.source[:12]}"

    def fingerprint(self) -> dict[str, Any]:
        """Return name and source checksum."""
        return {"function": self.name, "source_sha256": self.source}

    def score(
        self, predictions: Sequence[str], references: Sequence[str]
    ) -> dict[str, list[Value]]:
        """Call the function on each row.

        Raises:
            LocalMetricError: it raises, or returns something that is neither a number nor None.
        """
        check_pairs(predictions, references)
        pairs = list(zip(predictions, references, strict=True))
        if self.file is None:
            return {self.name: self._values(self.function, pairs)}
        # What the function itself imports when it is called stands beside its file, too.
        with _beside(self.file):
            return {self.name: self._values(_import(self.file, self.name), pairs)}

    def _values(self, function: Any, pairs: Sequence[tuple[str, str]]) -> list[Value]:
        values: list[Value] = []
        for row, pair in enumerate(pairs):
            try:
                result = function(*pair)
            except (Exception, SystemExit) as error:
                raise LocalMetricError(
                    f"metric '{self.name}' raised {_described(error)}",
                    row,
                    hint="mend the function; return None where there is no score",
                ) from error
            values.append(self._value(result, row))
        return values

    def _value(self, result: Any, row: int) -> Value:
        if result is None:
            return Value(None, reason="no value")
        number: Any = result
        if isinstance(number, bool) or not isinstance(number, int | float):
            # NumPy's numbers are no Python numbers, and know how to become one.
            item = getattr(number, "item", None)
            number = item() if item is not None and not isinstance(number, bool) else None
        if not isinstance(number, int | float):
            raise LocalMetricError(
                f"metric '{self.name}' returned {type(result).__name__}",
                row,
                hint="return a number, or None where there is none",
            )
        if not math.isfinite(number):
            return Value(None, reason=f"{number} is no number")
        return Value(float(number))


def _described(error: BaseException) -> str:
    text = " ".join(str(error).split())
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
    reason = f"{type(error).__name__}: {shown}" if shown else type(error).__name__
    # The first frame is the call above; what a library did below the user's file helps less.
    frames = traceback.extract_tb(error.__traceback__)[1:]
    own = [frame for frame in frames if frame.filename == frames[0].filename]
    return f"{reason} ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else reason


class _FromSource(SourceFileLoader):
    """Compiles the file each time: a cached file of the same second may be another text."""

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


class _Finder(MetaPathFinder):
    def __init__(self, files: dict[str, Path]) -> None:
        self._files = files

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        file = self._files.get(name)
        return None if file is None else _spec(name, file)


@contextmanager
def _beside(file: Path) -> Iterator[None]:
    """Let a file import the files that count in its digest, and nothing stale.

    A worker lives longer than one version of a file, and two folders may hold files of one
    name: modules are loaded anew and forgotten at the end.
    """
    if not file.is_file():
        raise UserError(f"{file}: not a Python file", hint="write local: FILE.py:FUNCTION")
    files = {path.stem: path for path in code_files(file)[1:]}
    finder = _Finder(files)
    names = (*files, _module_name(file))
    with _LOCK:
        before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
        sys.meta_path.insert(0, finder)
        try:
            yield
        finally:
            sys.meta_path.remove(finder)
            for name in names:
                sys.modules.pop(name, None)
            sys.modules.update(before)


def _import(file: Path, name: str) -> Callable[[str, str], float | None]:
    spec = _spec(_module_name(file), file)
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their own module up.
    sys.modules[spec.name] = module
    try:
        if spec.loader is not None:
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise UserError(
            f"{file}: cannot be imported: {error}", hint="run it with python to see why"
        ) from error
    function: Callable[[str, str], float | None] | None = getattr(module, name, None)
    if not callable(function):
        raise UserError(f"{file}: has no function '{name}'", hint="write local: FILE.py:FUNCTION")
    return function


def _module_name(file: Path) -> str:
    return f"toolkit_local_{file.stem}"


def _spec(name: str, file: Path) -> ModuleSpec:
    spec = importlib.util.spec_from_file_location(name, file, loader=_FromSource(name, str(file)))
    if spec is None:
        raise UserError(f"{file}: not a Python file", hint="write local: FILE.py:FUNCTION")
    return spec
