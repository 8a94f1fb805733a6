"""A reply that is one number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from toolkit.ask.parsed import Parsed, invalid, unfenced
from toolkit.ask.parsers.wrapping import unwrapped
from toolkit.recipe.parsers import Number

__all__ = ["NumberParser"]

_NUMBER: Final = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)")


class NumberParser:
    """The whole reply is a number; none is fished out of prose, none is clamped."""

    schema: Mapping[str, Any] | None = None

    def __init__(self, params: Number | None = None) -> None:
        """Take range and step."""
        self._params = params or Number()

    def read(self, text: str) -> Parsed:
        """Read a reply."""
        whole, taken_off = unfenced(text)
        if not whole:
            return invalid("the answer is empty")
        bare = unwrapped(whole)
        if not _NUMBER.fullmatch(bare):
            return invalid("the answer must be one number and nothing else")
        if bare != whole:
            taken_off = taken_off or "marks around the number were taken off"
        value = float(bare)
        fault = self._fault(value)
        if fault:
            return invalid(fault)
        number = int(value) if value == int(value) else value
        return Parsed("repaired" if taken_off else "ok", str(number), taken_off, number)

    def _fault(self, value: float) -> str:
        limits = self._params.range
        if limits is not None and not limits[0] <= value <= limits[1]:
            return f"{value:g} must lie from {limits[0]:g} to {limits[1]:g}"
        step = self._params.step
        if step:
            start = limits[0] if limits else 0.0
            steps = (value - start) / step
            if abs(steps - round(steps)) > 1e-9 * max(1.0, abs(steps)):
                return f"{value:g} must be {start:g} plus a multiple of {step:g}"
        return ""
