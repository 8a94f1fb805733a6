"""What fills a slot of a prompt: a column, a number derived from one, an answer, a literal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["DERIVATIONS", "JUDGED", "Slot", "parse_slot"]

DERIVATIONS: Final = ("n_items", "n_sentences", "n_words")
"""Functions of one column that ``derive:`` knows; all give a whole number."""

JUDGED: Final = (
    "claim",
    "edits",
    "first",
    "original_output",
    "output",
    "premise",
    "reference",
    "second",
    "text",
    "variant",
)
"""What ``judged:`` puts before a judge: the answer (``output``) and its ``reference``; the edited
text (``variant``), its ``edits`` and the answer to the unedited text (``original_output``); the
``text`` to split into claims; a ``premise`` and a ``claim``; the ``first`` and ``second`` answer
of a pair."""

_DERIVE = re.compile(r"^(\w+)\((\w+)\)$")
_FIELD = re.compile(r"^\w+$")
_PART = re.compile(r"^(\w+)(?:\.(\w+))?$")

SlotKind = Literal["answer", "derive", "field", "judged", "literal", "run"]


@dataclass(frozen=True, slots=True)
class Slot:
    """A parsed slot.

    Attributes:
        kind: ``field``, ``derive``, ``answer`` (an earlier step of the same strategy, or an
            earlier stage of the same judge), ``run`` (another prompt's answer on the same item),
            ``judged`` (what a judge is shown) or ``literal``.
        name: the column, the step, the prompt or what is judged; empty for a literal.
        part: the derivation's function, or the part of the answer; may be empty.
        value: the literal.
    """

    kind: SlotKind
    name: str = ""
    part: str = ""
    value: str | int | float | bool = ""


def parse_slot(value: str | int | float | bool) -> Slot:
    """Parse the text of a slot.

    Raises:
        ValueError: the text starts like an expression and is none; the message says why.
    """
    if not isinstance(value, str):
        return Slot("literal", value=value)
    kind, colon, rest = value.partition(":")
    if not colon or kind not in ("field", "derive", "answer", "run", "judged"):
        return Slot("literal", value=value)
    rest = rest.strip()
    if kind == "field":
        if not _FIELD.match(rest):
            raise ValueError(f"'{value}' names no column; write field:NAME")
        return Slot("field", rest)
    if kind == "judged":
        if rest not in JUDGED:
            raise ValueError(f"'{value}' is nothing that is judged; known: {', '.join(JUDGED)}")
        return Slot("judged", rest)
    if kind == "derive":
        match = _DERIVE.match(rest)
        if match is None or match.group(1) not in DERIVATIONS:
            known = ", ".join(f"{name}(COLUMN)" for name in DERIVATIONS)
            raise ValueError(f"'{value}' derives nothing; known: {known}")
        return Slot("derive", match.group(2), match.group(1))
    match = _PART.match(rest)
    if match is None:
        raise ValueError(f"'{value}' names no answer; write {kind}:NAME or {kind}:NAME.PART")
    return Slot("answer" if kind == "answer" else "run", match.group(1), match.group(2) or "")
