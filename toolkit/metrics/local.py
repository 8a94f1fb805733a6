"""A metric that is a user's own function of (prediction, reference)."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from toolkit.errors import UserError
from toolkit.metrics.base import ScoreDefinition, Value, check_pairs

__all__ = ["LocalMetric"]


@dataclass(frozen=True, slots=True)
class _NoParams:
    pass


@dataclass(frozen=True)
class LocalMetric:
    """A plain function ``(prediction: str, reference: str) -> float | None`` as a metric.

    Attributes:
        name: the function's name; also the name of its one score.
        source: sha256 of its source, so that a changed function is another metric.
        file: file it was loaded from; None for a function of a notebook.
        function: the function; loaded again in each process when there is a file.
    """

    version: ClassVar[int] = 1
    Params: ClassVar[type] = _NoParams

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
        _import(file, name)
        return cls(name, hashlib.sha256(file.read_bytes()).hexdigest(), file=file)

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
            UserError: it returns something that is neither a number nor None.
            Exception: whatever the function raises.
        """
        check_pairs(predictions, references)
        function = self.function or _import(self.file or Path(), self.name)
        pairs = zip(predictions, references, strict=True)
        return {self.name: [self._value(function(*pair)) for pair in pairs]}

    def _value(self, result: Any) -> Value:
        if result is None:
            return Value(None, reason="no value")
        number: Any = result
        if isinstance(number, bool) or not isinstance(number, int | float):
            # NumPy's numbers are no Python numbers, and know how to become one.
            item = getattr(number, "item", None)
            number = item() if item is not None and not isinstance(number, bool) else None
        if not isinstance(number, int | float):
            raise UserError(
                f"metric '{self.name}' returned {type(result).__name__}",
                hint="return a number, or None where there is none",
            )
        result = number
        if not math.isfinite(result):
            return Value(None, reason=f"{result} is no number")
        return Value(float(result))


def _import(file: Path, name: str) -> Callable[[str, str], float | None]:
    spec = importlib.util.spec_from_file_location(f"toolkit_local_{file.stem}", file)
    if spec is None or spec.loader is None or not file.is_file():
        raise UserError(f"{file}: not a Python file", hint="write local: FILE.py:FUNCTION")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UserError(
            f"{file}: cannot be imported: {error}", hint="run it with python to see why"
        ) from error
    function: Callable[[str, str], float | None] | None = getattr(module, name, None)
    if not callable(function):
        raise UserError(f"{file}: has no function '{name}'", hint="write local: FILE.py:FUNCTION")
    return function
