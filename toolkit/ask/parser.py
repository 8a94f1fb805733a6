"""The one answer parser: what a model wrote becomes an answer, or says why it does not.

Reasoning is split off first, in whatever form it comes. Then the declared parser reads the
rest. It never guesses: no number is fished out of prose, nothing truncated is completed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from toolkit.ask.parsed import Parsed, Parser, unfenced
from toolkit.ask.parsers.bullets import BulletsParser
from toolkit.ask.parsers.choice import ChoiceParser
from toolkit.ask.parsers.json_object import JsonParser
from toolkit.ask.parsers.list_of import ListParser
from toolkit.ask.parsers.number import NumberParser
from toolkit.ask.parsers.sections import SectionsParser
from toolkit.ask.parsers.text import TextParser
from toolkit.ask.reasoning import split_reasoning
from toolkit.errors import UserError, suggest
from toolkit.models.base import Answer
from toolkit.recipe.faults import Places, schema_faults
from toolkit.recipe.params import build, json_schema
from toolkit.recipe.parser_check import parser_problems
from toolkit.recipe.parsers import PARSERS
from toolkit.store.canonical import canonical_json

__all__ = ["Parsed", "Parser", "make_parser", "parse_answer", "split_reasoning"]

_MADE: Final[Mapping[str, Callable[[Any], Parser]]] = {
    "bullets": BulletsParser,
    "choice": ChoiceParser,
    "json": JsonParser,
    "list": ListParser,
    "number": NumberParser,
    "sections": SectionsParser,
    "text": TextParser,
}


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
    faults = schema_faults(params, json_schema(PARSERS[name]), Places(f"parser '{name}'"))
    if faults:
        raise UserError(
            f"the parser '{name}' cannot use {params!r}",
            hint="; ".join(sorted(fault.reason for fault in faults)),
        )
    for problem in parser_problems(name, params):
        where = ".".join(map(str, (name, *problem.path)))
        raise UserError(f"parser {where}: {problem.reason}", hint=problem.suggestion)
    built = build(PARSERS[name], params)
    return JsonParser(built, schema) if name == "json" else _MADE[name](built)


def parse_answer(answer: Answer, parser: Parser) -> Answer:
    """Read a model's reply with a parser.

    Replies that are no text (``error``, ``refused``) pass unread. A truncated reply stays
    ``truncated`` whatever the parser makes of it; only a plain text keeps what there is of it.
    Reading a text again changes nothing.

    Args:
        answer: as the model handed it out.
        parser: from :func:`make_parser`.
    """
    if answer.answer is None or answer.status not in ("ok", "truncated"):
        return answer
    text, reasoning = _split(answer.answer)
    kept = "\n\n".join(part for part in (answer.reasoning, reasoning) if part) or None
    if answer.status == "truncated":
        # No salvage: half an object is none.
        rest = text.strip() if isinstance(parser, TextParser) else ""
        return replace(answer, answer=rest or None, reasoning=kept)
    parsed = parser.read(text)
    return replace(
        answer,
        status=parsed.status,
        reason=parsed.reason,
        answer=parsed.answer,
        reasoning=kept,
        parsed=None if parsed.value is None else canonical_json(parsed.value),
    )


def _declared(declared: str | Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    if isinstance(declared, str):
        return declared, {}
    if len(declared) != 1:
        raise UserError("a parser is one name", hint="write parser: NAME or {NAME: parameters}")
    return next(iter(declared.items()))


def _split(text: str) -> tuple[str, str | None]:
    """Split reasoning off, inside a fence around the whole reply, too."""
    answer, reasoning = split_reasoning(text)
    inner, fence = unfenced(answer)
    rest, more = split_reasoning(inner) if fence else (inner, None)
    if rest == inner:
        return answer, reasoning
    kept = "\n\n".join(part for part in (reasoning, more) if part)
    # The fence stays: taking it off is the parser's to note.
    return f"```\n{rest.strip()}\n```", kept or None
