"""Cut a folded text into words, numerals and signs, in time linear in its length."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple, cast

from toolkit.quantities.folding import fold

__all__ = ["LETTER", "Token", "read", "tokenize"]

TokenKind = Literal["word", "numeral", "power", "name", "sign"]

LETTER: Final = r"[A-Za-zµÀ-ÖØ-öø-ʯͰ-ҁҊ-ԯ\u0300-\u036f]"
"""Letters that join with digits into names such as HER2; those of scripts without spaces do not."""


class Token(NamedTuple):
    """A piece of a text.

    Attributes:
        kind: ``word`` starts with a letter and may hold digits (``HER2``); ``numeral`` is a plain
            number; ``power`` one with an exponent; ``name`` an address or a date; ``sign`` is one
            character.
        text: the piece.
        low: the piece in lower case.
        start: its first character.
        end: one past its last character.
        opens: it is the first of its line.
    """

    kind: TokenKind
    text: str
    low: str
    start: int
    end: int
    opens: bool = False


_SUPER: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹"
# Possessive quantifiers throughout: a hostile text costs one pass, never a search.
_TOKEN: Final = re.compile(
    rf"""
    (?P<name>
        (?:https?://|www\.)\S++
      | (?:doi:?\s?)?10\.\d{{4,9}}/\S++
      | (?:19|20)\d\d;\S++
      | \d++(?:\.\d++){{2,}}+(?![\d])
      | \d{{4}}([-/])\d{{1,2}}\2\d{{1,2}}(?![\d.,-])
      | \d{{1,2}}([-/])\d{{1,2}}\3\d{{4}}(?![\d.,-])
    )
  | (?P<power>
        (?:\d++(?:[.·]\d++)?+\s?[x×X*·]\s?)?+
        10(?:
            \s?\^\s?[({{]?[-+]?\d{{1,3}}(?!\d)[)}}]?
          | \*\*[-+]?\d{{1,3}}(?!\d)
          | \([-+]?\d{{1,2}}\)(?!\s?%)
          | [⁻⁺]?[{_SUPER}]{{1,3}}
        )
      | \d++(?:[.·]\d++)?+\s?[x×X*]\s?10(?:-\d{{1,2}}|[2-9]|1\d)(?![\d.,:/])
      | \d++(?:\.\d++)?+[eE][-+]?\d{{1,3}}(?![\d{LETTER[1:-1]}.])
    )
  | (?P<word>{LETTER}(?:{LETTER}|\d)*+)
  | (?P<numeral>
        [1-9]\d{{0,2}}(?:\ \d{{3}}){{1,}}+(?!\d)(?:[.·]\d++)?+
      | \d++(?:,\d++)*+(?:[.·]\d++)?+
      | [.·]\d++
      | [½⅓⅔¼¾⅕⅖⅗⅘⅛]
    )
  | (?P<sign>\S)
    """,
    re.VERBOSE,
)


_LIST: Final = re.compile(r"\d++(?:[.·]\d++)?+|,")
_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2}(?:,\d{3})++(?:[.·]\d++)?+")


@lru_cache(maxsize=4)
def read(text: str) -> tuple[str, list[Token]]:
    """Return a text folded and its pieces, which are not to be changed: the latest are kept."""
    folded = fold(text)
    return folded, tokenize(folded)


def tokenize(text: str) -> list[Token]:
    """Return the pieces of a folded text in order; white space is left out.

    Numbers joined by commas are one piece where they are groups of thousands, or two parts that
    may be a decimal comma; longer lists are cut.
    """
    tokens: list[Token] = []
    last = 0
    for match in _TOKEN.finditer(text):
        piece, start = match.group(), match.start()
        kind = cast(TokenKind, match.lastgroup)
        if kind == "numeral" and _is_list(piece):
            for part in _LIST.finditer(piece):
                small: TokenKind = "sign" if part.group() == "," else "numeral"
                begin, end = start + part.start(), start + part.end()
                tokens.append(Token(small, part.group(), part.group(), begin, end))
        else:
            opens = not tokens or "\n" in text[last:start]
            tokens.append(Token(kind, piece, piece.lower(), start, match.end(), opens))
        last = match.end()
    return tokens


def _is_list(piece: str) -> bool:
    if "," not in piece or _THOUSANDS.fullmatch(piece):
        return False
    return piece.count(",") > 1 or "." in piece or "·" in piece
