"""A reply that is one of several options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from toolkit.ask.parsed import Parsed, invalid, unfenced
from toolkit.ask.parsers.wrapping import unwrapped
from toolkit.recipe.parsers import Choice

__all__ = ["ChoiceParser"]

_MARKS: Final = " \t\r\n.,:;!?()[]{}<>*_`\"'“”‘’#"


class ChoiceParser:
    """The whole reply is an option, in whatever case; an option inside prose is none."""

    schema: Mapping[str, Any] | None = None

    def __init__(self, params: Choice) -> None:
        """Take the options."""
        self._params = params
        # Two options that differ in case or marks alone are only told apart as they stand.
        bare = Counter(map(_bare, params.options))
        self._by_bare = {
            _bare(option): option
            for option in params.options
            if _bare(option) and bare[_bare(option)] == 1
        }

    def read(self, text: str) -> Parsed:
        """Read a reply."""
        whole, fence = unfenced(text)
        if not whole:
            return invalid("the answer is empty")
        if whole in self._params.options:
            return Parsed("repaired" if fence else "ok", whole, fence, whole)
        found = self._found(whole)
        if found is not None:
            return Parsed("repaired", found, fence or "spelling or marks around it", found)
        otherwise = self._params.otherwise
        options = ", ".join(self._params.options)
        if otherwise is not None:
            reason = f"none of {options}: counted as {otherwise}"
            return Parsed("repaired", otherwise, reason, otherwise)
        return invalid(f"the answer must be one of {options} and nothing else")

    def _found(self, whole: str) -> str | None:
        inner = unwrapped(whole)
        return inner if inner in self._params.options else self._by_bare.get(_bare(whole))


def _bare(text: str) -> str:
    return text.strip(_MARKS).casefold()
