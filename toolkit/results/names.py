"""Names as people see them: two that look alike are one, signs that nobody sees are told."""

from __future__ import annotations

import unicodedata
from typing import Final

__all__ = ["folded", "same_name", "unseen"]

_UNSEEN: Final = frozenset(("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"))

_BLANK_LETTERS: Final = frozenset(
    (
        *("\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u180b", "\u180c", "\u180d", "\u180f"),
        *("\u2800", "\u3164", "\uffa0"),
        *map(chr, range(0xFE00, 0xFE10)),
        *map(chr, range(0xE0100, 0xE01F0)),
    )
)
"""Letters, marks and symbols that show as nothing: Default_Ignorable_Code_Point of Unicode 16
outside category Cf, and the empty Braille pattern."""


def unseen(text: str) -> list[str]:
    """Return the signs of a text that nobody can see, a plain space left out, as ``U+200B``."""
    found = dict.fromkeys(sign for sign in text if sign != " " and _is_unseen(sign))
    return [f"U+{ord(sign):04X}" for sign in found]


def folded(name: str) -> str:
    """Return what a name is compared by.

    Compatible forms are one (NFKC), case and signs that nobody sees do not count, and of blanks
    only that there are some between words.
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    seen = (" " if sign.isspace() else sign for sign in plain)
    return " ".join("".join(sign for sign in seen if sign == " " or not _is_unseen(sign)).split())


def same_name(one: str, other: str) -> bool:
    """Say whether two names are one to those who read them."""
    return folded(one) == folded(other)


def _is_unseen(sign: str) -> bool:
    return unicodedata.category(sign) in _UNSEEN or sign in _BLANK_LETTERS
