"""The one answer parser: what a model wrote becomes an answer, or says why it does not.

Reasoning is split off first, in whatever form it comes. Then the declared parser reads the
rest. It never guesses: no number is fished out of prose, nothing truncated is completed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from toolkit.errors import UserError, suggest
from toolkit.models.base import Answer, Status

__all__ = [
    "PARSERS",
    "Parsed",
    "Parser",
    "TextParser",
    "make_parser",
    "parse_answer",
    "split_reasoning",
]

_MARK: Final = re.compile(r"<(/?)(?:think|thinking|reasoning)>", re.IGNORECASE)


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

    status: Status
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


def make_parser(
    declared: str | Mapping[str, Any], *, schema: Mapping[str, Any] | None = None
) -> Parser:
    """Return the declared parser.

    Args:
        declared: a name, or ``{name: parameters}``, as a recipe writes it.
        schema: for ``json`` without a schema of its own: what its replies must be.

    Raises:
        UserError: no such parser, or parameters it cannot use.
    """
    name, params = _declared(declared)
    if name not in PARSERS:
        raise UserError(f"unknown parser '{name}'", hint=suggest(name, sorted(PARSERS)))
    if params:
        raise UserError(
            f"the parser '{name}' takes no parameters: {', '.join(sorted(params))}",
            hint=f"write parser: {name}",
        )
    return PARSERS[name]()


def parse_answer(answer: Answer, parser: Parser) -> Answer:
    """Read a model's reply with a parser.

    Replies that are no text (``error``, ``refused``) pass unread. A truncated reply stays
    ``truncated`` whatever the parser makes of it; only a plain text keeps what there is of it.
    Reading an answer again changes nothing.

    Args:
        answer: as the model handed it out.
        parser: from :func:`make_parser`.
    """
    if answer.answer is None or answer.status not in ("ok", "truncated"):
        return answer
    text, reasoning = split_reasoning(answer.answer)
    kept = "\n\n".join(part for part in (answer.reasoning, reasoning) if part) or None
    if answer.status == "truncated":
        rest = text.strip()
        return replace(answer, answer=rest or None, reasoning=kept)
    parsed = parser.read(text)
    return replace(
        answer,
        status=parsed.status,
        reason=parsed.reason,
        answer=parsed.answer,
        reasoning=kept,
    )


def split_reasoning(text: str) -> tuple[str, str | None]:
    """Split ``<think>``, ``<thinking>`` or ``<reasoning>`` parts from the answer.

    Taken as reasoning: well-formed or nested parts at the beginning; everything before a
    closing mark that was never opened (the template opened it); everything after an opening
    mark that is never closed (the model ran out of tokens). An opening mark further on is
    the model's text and is left alone.

    Returns:
        The answer, and the reasoning without its marks or None.
    """
    parts: list[str] = []
    while (found := _leading_part(text)) is not None:
        reasoning, text = found
        if reasoning:
            parts.append(reasoning)
    return text, "\n\n".join(parts) or None


def _leading_part(text: str) -> tuple[str, str] | None:
    body = text.lstrip()
    first = _MARK.search(body)
    if first is None or (not first[1] and first.start() > 0):
        return None
    depth = 1 if first[1] else 0
    for mark in _MARK.finditer(body):
        depth += -1 if mark[1] else 1
        if depth == 0:
            return _without_marks(body[: mark.start()]), body[mark.end() :]
    return _without_marks(body), ""


def _without_marks(text: str) -> str:
    return _MARK.sub("", text).strip()


def _declared(declared: str | Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    if isinstance(declared, str):
        return declared, {}
    if len(declared) != 1:
        raise UserError("a parser is one name", hint="write parser: NAME or {NAME: parameters}")
    name, params = next(iter(declared.items()))
    return str(name), params if isinstance(params, Mapping) else {}


class TextParser:
    """Whole text, outer blanks off. A fence around the whole text is a wrapping: off, noted.

    Quotes and leading labels such as ``Conclusion:`` stay: they are what the model wrote,
    and taking them off would favour one model's habits over another's.
    """

    schema: Mapping[str, Any] | None = None

    def read(self, text: str) -> Parsed:
        """Read a reply."""
        whole = text.strip()
        if not whole:
            return Parsed("invalid", None, "the answer is empty")
        inner = _FENCED.fullmatch(whole)
        if inner is None or "```" in inner[1]:
            return Parsed("ok", whole)
        if not (unwrapped := inner[1].strip()):
            return Parsed("invalid", None, "the answer is empty")
        return Parsed("repaired", unwrapped, "the whole answer stood in a code fence")


_FENCED: Final = re.compile(r"```[\w-]*\n(.*?)\n?```", re.DOTALL)

PARSERS: Final[dict[str, type[TextParser]]] = {"text": TextParser}
"""All parsers a recipe may declare."""
