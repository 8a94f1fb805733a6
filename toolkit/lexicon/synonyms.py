"""Words that say the same: synonyms and abbreviations, from a table and from the texts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from toolkit.errors import UserError
from toolkit.lexicon.rows import read_rows, require_columns
from toolkit.perturb.term_finder import TermFinder

__all__ = ["Synonyms", "read_synonyms", "shipped_synonyms"]

_KINDS: Final = ("abbreviation", "synonym")


@dataclass(frozen=True, slots=True)
class Synonyms:
    """Groups of words and phrases with one meaning.

    Attributes:
        groups: of synonyms, in small letters.
        short: what each abbreviation stands for, by the abbreviation in small letters.
    """

    groups: tuple[frozenset[str], ...] = ()
    short: tuple[tuple[str, str], ...] = ()

    def same(self, one: str, other: str) -> bool:
        """Tell whether two terms mean the same, or one is short for the other.

        Parts of phrases count: ``liver lesion`` means the same as ``hepatic lesion`` where
        ``liver`` and ``hepatic`` are a group. A single word of capitals is short for a phrase
        whose first letters it has.
        """
        if self._reduced(one) == self._reduced(other):
            return True
        return _initials(one, other) or _initials(other, one)

    def expanded(self, text: str) -> str:
        """Return a text with its abbreviations written out: ``w/o`` becomes ``without``."""
        return _replaced(text, self.short)

    def with_short(self, found: Iterable[tuple[str, str]]) -> Synonyms:
        """Return these with more abbreviations; those of the table win."""
        known = dict(self.short)
        more = {short.lower(): long for short, long in sorted(found) if short.lower() not in known}
        return Synonyms(self.groups, (*self.short, *more.items()))

    def without_short(self, terms: Collection[str]) -> Synonyms:
        """Return these without the abbreviations that are among some terms in small letters."""
        return Synonyms(self.groups, tuple(pair for pair in self.short if pair[0] not in terms))

    def _reduced(self, term: str) -> tuple[str, ...]:
        return tuple(_replaced(self.expanded(term).lower(), _names(self.groups)).split())


_Pairs = tuple[tuple[str, str], ...]


@lru_cache(maxsize=8)
def _names(groups: tuple[frozenset[str], ...]) -> _Pairs:
    return tuple((word, f"\0{at}") for at, group in enumerate(groups) for word in sorted(group))


@lru_cache(maxsize=8)
def _finder(pairs: _Pairs) -> TermFinder:
    return TermFinder(term for term, _ in pairs)


def _replaced(text: str, pairs: _Pairs) -> str:
    new = dict(pairs)
    parts: list[str] = []
    done = 0
    for found in _finder(pairs).find(text):
        parts += [text[done : found.start], new[found.term]]
        done = found.end
    return "".join([*parts, text[done:]])


def shipped_synonyms() -> Path:
    """Return the table that comes with the package."""
    from toolkit.data import data_dir

    return data_dir("recipes") / "radiology" / "synonyms.csv"


def read_synonyms(file: Path) -> Synonyms:
    """Read a table with the columns ``kind`` and ``words``.

    ``words`` are separated by ``;``. Of an ``abbreviation`` the first is what the others stand
    for; the words of a ``synonym`` row mean the same. A word may stand in one row of a kind.

    Raises:
        UserError: the file cannot be read, or rows are wrong; all of them are named.
    """
    rows = read_rows(file)
    require_columns(rows, ["kind", "words"], file)
    groups: list[frozenset[str]] = []
    short: dict[str, str] = {}
    faults: list[str] = []
    seen: dict[str, int] = {}
    for row in rows:
        kind = str(row.values["kind"]).strip()
        words = [" ".join(w.lower().split()) for w in str(row.values["words"]).split(";")]
        words = [word for word in words if word]
        fault = _fault(kind, words, seen)
        if fault:
            faults.append(f"{file}:{row.line}: {fault}")
        elif kind == "synonym":
            groups.append(frozenset(words))
            seen |= dict.fromkeys(words, row.line)
        else:
            short |= dict.fromkeys(words[1:], words[0])
    if faults:
        raise UserError("\n".join(faults), hint="mend the rows of the table of synonyms")
    return Synonyms(tuple(groups), tuple(short.items()))


def _fault(kind: str, words: list[str], seen: dict[str, int]) -> str:
    if kind not in _KINDS:
        return f"kind is '{kind}'; write {' or '.join(_KINDS)}"
    if len(words) < 2:
        return "fewer than two words"
    twice = [word for word in words if kind == "synonym" and word in seen]
    return f"'{twice[0]}' stands in line {seen[twice[0]]} too" if twice else ""


def _initials(short: str, long: str) -> bool:
    words = [w for w in re.findall(r"[^\W_]+", long) if w.lower() not in _SMALL]
    return short.isupper() and len(words) > 1 and short == "".join(w[0] for w in words).upper()


_SMALL: Final = frozenset(("of", "the", "and", "in", "for", "with", "to"))
