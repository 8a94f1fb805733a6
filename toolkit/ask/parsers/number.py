"""A reply that is one number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolkit.ask.parsed import Parsed, invalid, unfenced
from toolkit.ask.parsers.numerals import read_number
from toolkit.ask.parsers.wrapping import unwrapped
from toolkit.recipe.parsers import Number

__all__ = ["NumberParser"]


class NumberParser:
    """The whole reply is a number; none is fished out of prose, none is clamped."""

    schema: Mapping[str, Any] | None = None

    def __init__(self, params: Number | None = None) -> None:
        """Take range and step."""
        self._params = params or Number()

    def read(self, text: str) -> Parsed:
        """Read a reply."""
        whole, reason = unfenced(text)
        if not whole:
            return invalid("the answer is empty")
        bare = unwrapped(whole)
        value = read_number(bare)
        if value is None:
            return invalid(f"the answer must be one number{self._wanted()} and nothing else")
        if bare != whole:
            reason = reason or "marks around the number were taken off"
        fault = self._fault(value, bare)
        if fault:
            return invalid(fault)
        return Parsed("repaired" if reason else "ok", str(value), reason, value)

    def _wanted(self) -> str:
        limits = self._params.range
        return "" if limits is None else f" from {_short(limits[0])} to {_short(limits[1])}"

    def _fault(self, value: float, said: str) -> str:
        limits, step = self._params.range, self._params.step
        if limits is not None and not limits[0] <= value <= limits[1]:
            return f"{said} does not lie{self._wanted()}"
        if step is not None:
            start = limits[0] if limits is not None else 0.0
            steps = (value - start) / step
            # Tenths have no exact double: 0.7 is not quite seven times 0.1.
            if abs(steps - round(steps)) > 1e-9 * max(1.0, abs(steps)):
                return f"{said} is not {_short(start)} plus a multiple of {_short(step)}"
        return ""


def _short(value: float) -> str:
    return str(int(value)) if value.is_integer() else str(value)
