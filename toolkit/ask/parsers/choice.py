"""A reply that is one of several options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolkit.ask.parsed import Parsed, invalid, unfenced
from toolkit.ask.parsers.wrapping import unwrapped
from toolkit.recipe.parsers import Choice

__all__ = ["ChoiceParser"]


class ChoiceParser:
    """The whole reply is an option, in whatever case; an option inside prose is none."""

    schema: Mapping[str, Any] | None = None

    def __init__(self, params: Choice) -> None:
        """Take the options."""
        self._params = params
        self._by_text = {option.casefold(): option for option in params.options}

    def read(self, text: str) -> Parsed:
        """Read a reply."""
        whole, taken_off = unfenced(text)
        if whole in self._params.options:
            return Parsed("repaired" if taken_off else "ok", whole, taken_off, whole)
        found = self._by_text.get(whole.casefold())
        if found is None:
            found = self._by_text.get(unwrapped(whole).casefold())
        if found is not None:
            return Parsed("repaired", found, taken_off or "spelling or marks around it", found)
        otherwise = self._params.otherwise
        options = ", ".join(self._params.options)
        if otherwise is not None:
            reason = f"none of {options}: counted as {otherwise}"
            return Parsed("repaired", otherwise, reason, otherwise)
        return invalid(f"the answer must be one of {options} and nothing else")
