"""The whole reply as a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolkit.ask.parsed import Parsed, invalid, unfenced
from toolkit.recipe.parsers import Text

__all__ = ["TextParser"]


class TextParser:
    """Whole text, outer blanks off. A fence around the whole text is a wrapping: off, noted.

    Quotes and leading labels such as ``Conclusion:`` stay: they are what the model wrote,
    and taking them off would favour one model's habits over another's.
    """

    schema: Mapping[str, Any] | None = None

    def __init__(self, params: Text | None = None) -> None:
        """``params`` has no parameters."""

    def read(self, text: str) -> Parsed:
        """Read a reply."""
        whole, taken_off = unfenced(text)
        if not whole:
            return invalid("the answer is empty")
        return Parsed("repaired" if taken_off else "ok", whole, taken_off)
