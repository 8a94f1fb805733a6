"""Signs in texts: a pattern, how often it may stand there, and what it says when it is too often.

A sign that names nobody for certain (an e-mail address in an abstract was published with it)
may stand in a few rows, and in any number once somebody answers for it with ``publish.rights``.
A sign of protected health records may stand nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from toolkit.gate.base import Finding, Policy
from toolkit.gate.outgoing import Chunk, Outgoing
from toolkit.gate.texts import matches

__all__ = ["Sign", "SignScan"]

_ANSWER: Final = (
    "take them out of the texts, leave the column out with corpus.fields, or state who answers "
    "for them: publish.rights: {acknowledged_by, reason}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """A pattern that texts are searched for.

    Attributes:
        name: what it is a sign of, in the plural.
        quick: an RE2 pattern that finds every text with the sign, and perhaps others.
        sure: the pattern that decides, in Python's syntax.
        times: how often it must stand in one text to count.
        share: share of a column's texts from which it is too often.
        rows: rows up to which it is never too often.
        firm: nobody can answer for it.
    """

    name: str
    quick: str
    sure: re.Pattern[str]
    times: int = 1
    share: float = 0.0
    rows: int = 0
    firm: bool = False

    def found(self, text: str) -> bool:
        """Return whether a text has the sign."""
        return len(self.sure.findall(text)) >= self.times


@dataclass(slots=True)
class _Seen:
    item: str
    rows: set[int] = field(default_factory=set)


class SignScan:
    """Looks for signs in every text of the configurations that hold items."""

    check: str
    signs: tuple[Sign, ...]
    passed_over: frozenset[str] = frozenset()
    """Columns that are not searched."""

    def __init__(self, outgoing: Outgoing, policy: Policy) -> None:
        self._policy = policy
        self._counts = outgoing.counts
        self._seen: dict[tuple[str, str, str], _Seen] = {}
        self._texts: dict[tuple[str, str], int] = {}

    def look(self, chunk: Chunk) -> None:
        """Search the texts of a row group."""
        if chunk.config not in self._policy.data:
            return
        for texts in chunk.texts:
            if texts.column in self.passed_over:
                continue
            place = (chunk.name, texts.column)
            self._texts[place] = self._texts.get(place, 0) + len(set(texts.rows.tolist()))
            for sign in self.signs:
                for row, text in matches(texts, sign.quick):
                    if sign.found(text):
                        key = (*place, sign.name)
                        seen = self._seen.setdefault(key, _Seen(_item(chunk, row)))
                        seen.rows.add(chunk.start + row)

    def findings(self) -> Iterator[Finding]:
        """Yield one finding a file, column and sign that is too often."""
        signs = {sign.name: sign for sign in self.signs}
        for (name, column, kind), seen in sorted(self._seen.items()):
            sign = signs[kind]
            rows = len(seen.rows)
            allowed = max(sign.rows, int(sign.share * self._texts[(name, column)]))
            answered = self._policy.rights is not None and not sign.firm
            if rows <= allowed or answered:
                self._counts[kind] += rows
                continue
            message = (
                f"{kind} in {rows} rows of the column '{column}', first in the item {seen.item}"
            )
            hint = _FIRM if sign.firm else _ANSWER
            yield Finding(self.check, name, message, hint)


_FIRM: Final = (
    "these are records of patients under a data use agreement: do not publish them; set "
    "corpus.access: credentialed"
)


def _item(chunk: Chunk, row: int) -> str:
    if "item_id" in chunk.table.column_names:
        return repr(str(chunk.table["item_id"][row].as_py())[:40])
    return f"in row {chunk.start + row}"
