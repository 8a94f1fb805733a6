"""What a parser is and what it makes of a text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

__all__ = ["Parsed", "Parser", "ParserStatus", "invalid", "unfenced"]

ParserStatus = Literal["ok", "repaired", "invalid"]

_FENCED: Final = re.compile(r"```[\w-]*[ \t]*\r?\n(.*?)\r?\n?```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser made of a text.

    Attributes:
        status: ``ok``, ``repaired`` (the answer stood in a wrapping that was taken off) or
            ``invalid``.
        answer: the text that metrics compare; None when invalid.
        reason: what was wrong or taken off; empty for ``ok``.
        value: what was read, as JSON values; None for a plain text.
    """

    status: ParserStatus
    answer: str | None
    reason: str = ""
    value: Any = None


class Parser(Protocol):
    """Reads whole replies from which the reasoning is gone. Picklable."""

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """JSON Schema of the reply, to ask servers for; None where a reply is no JSON."""

    def read(self, text: str) -> Parsed:
        """Read a reply."""


def invalid(reason: str) -> Parsed:
    """Return the verdict on a reply that is no answer."""
    return Parsed("invalid", None, reason)


def unfenced(text: str) -> tuple[str, str]:
    """Take a code fence off that stands around the whole text.

    Returns:
        The text without outer blanks and fence, and what was taken off, empty for nothing.
    """
    whole = text.strip()
    inner = _FENCED.fullmatch(whole)
    if inner is None or "```" in inner[1]:
        return whole, ""
    return inner[1].strip(), "the whole answer stood in a code fence"
