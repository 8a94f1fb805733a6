"""What an edit of a text is: where it stands, what stood there, what stands there now."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = [
    "VERSION",
    "Edit",
    "Edited",
    "Editor",
    "Unedited",
    "applied",
    "cased_like",
    "edited",
    "seeded",
    "undone",
    "with_article",
]

VERSION: Final = 2
"""Raised by hand when a kind of edit changes a text in another way than before."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement in a text.

    Attributes:
        kind: name of the kind of edit.
        start: first character replaced, counted in the text before any edit, from 0.
        end: the character after the last one replaced; ``start`` where something is put in.
        old: the characters that stood there.
        new: the characters that stand there now.
    """

    kind: str
    start: int
    end: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Edited:
    """A text that was changed.

    Attributes:
        text: the text with every edit in it.
        edits: in the order of the text, none of them touching another; at least one.
    """

    text: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Unedited:
    """A text that a kind of edit does not apply to.

    Attributes:
        reason: why not, for people.
    """

    reason: str


Editor = Callable[[str, random.Random], Edited | Unedited]
"""A kind of edit: a text and a source of chance in, the changed text out, or why there is none."""


def seeded(seed: int, *names: str) -> random.Random:
    """Return the source of chance of one edit.

    It depends on the seed and the names alone: adding a text or a kind changes no other's edit.

    Args:
        seed: the recipe's seed.
        names: what the edit is about, such as the item and the kind.
    """
    key = json.dumps([seed, *names], ensure_ascii=True).encode()
    digest = hashlib.blake2b(key, digest_size=16).digest()
    return random.Random(int.from_bytes(digest, "big"))  # noqa: S311 - edits are no secrets


def applied(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits made.

    Args:
        text: the text that the edits count their characters in.
        edits: in any order.

    Raises:
        ValueError: two edits touch the same characters, or one does not fit the text.
    """
    parts: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < done or text[edit.start : edit.end] != edit.old:
            raise ValueError(f"the edit at {edit.start} does not fit the text: {edit.old!r}")
        parts += [text[done : edit.start], edit.new]
        done = edit.end
    return "".join([*parts, text[done:]])


def undone(text: str, edits: Iterable[Edit]) -> str:
    """Return the text as it was before its edits.

    Args:
        text: what :func:`applied` returned.
        edits: the edits that were made, in any order.

    Raises:
        ValueError: the text does not hold what the edits put there.
    """
    back: list[Edit] = []
    moved = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        start = edit.start + moved
        back.append(Edit(edit.kind, start, start + len(edit.new), edit.new, edit.old))
        moved += len(edit.new) - len(edit.old)
    return applied(text, back)


def edited(kind: str, text: str, changes: Sequence[tuple[int, int, str]]) -> Edited:
    """Return a text with (start, end, new) replaced, every change recorded."""
    edits = tuple(Edit(kind, start, end, text[start:end], new) for start, end, new in changes)
    return Edited(applied(text, edits), tuple(sorted(edits, key=lambda edit: edit.start)))


def cased_like(model: str, word: str) -> str:
    """Return a word in the case of another: all capitals, a first capital, or as it is."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)
_VOWEL = re.compile(r"(?!uni|use|usu|uti|eu|one\b|ubiq)[aeiou]|hour|honest", re.IGNORECASE)
# Letter by letter: an MRI, a CT.
_INITIALS = re.compile(r"[A-Z]{2,}(?![a-z])")


def with_article(text: str, start: int, end: int, new: str) -> tuple[int, int, str]:
    """Return a change of a word together with the ``a`` or ``an`` before it, where that changes.

    Args:
        text: the text.
        start: first character of the word.
        end: the character after it.
        new: what replaces it.
    """
    before = _ARTICLE.search(text, 0, start)
    spelt = _INITIALS.match(new) is not None
    article = "an" if (new[:1] in "AEFHILMNORSX" if spelt else _VOWEL.match(new)) else "a"
    if before is None or before.group(1).lower() == article or not new:
        return start, end, new
    return before.start(), end, cased_like(before.group(1), article) + before.group(2) + new
