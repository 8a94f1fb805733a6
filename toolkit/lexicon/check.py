"""Check a dictionary by the rules it was built by; every fault at once, with its line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolkit.errors import UserError
from toolkit.lexicon.rules import CLOSED_SETS, Rules, dictionary_faults
from toolkit.lexicon.synonyms import read_synonyms, shipped_synonyms
from toolkit.lexicon.table import table

__all__ = ["Checked", "check_dictionary"]


@dataclass(frozen=True, slots=True)
class Checked:
    """What a good dictionary holds.

    Attributes:
        terms: number of terms by category, in the order of the file.
        alternatives: number of alternatives.
        approved: number of approved terms.
    """

    terms: dict[str, int]
    alternatives: int
    approved: int


def check_dictionary(
    file: Path, *, synonyms: Path | None = None, closed: Sequence[str] = CLOSED_SETS
) -> Checked:
    """Check a dictionary.

    Args:
        file: the dictionary; approval is not asked for.
        synonyms: table of synonyms and abbreviations; the shipped one by default.
        closed: categories in which every term is an alternative of every other.

    Raises:
        UserError: a file cannot be read, or entries break the rules; every one is named with
            its line.
    """
    placed = table(file)
    if not placed:
        raise UserError(f"{file}: no rows", hint="one row for each term")
    rules = Rules(read_synonyms(synonyms or shipped_synonyms()), tuple(closed))
    faults = dictionary_faults(placed, rules)
    if faults:
        lines = [f"{file}:{line}: {fault}" for line, fault in faults]
        raise UserError(
            "\n".join([f"{len(lines)} fault{'s' if len(lines) > 1 else ''}", *lines]), hint=_HINT
        )
    entries = [one.entry for one in placed]
    return Checked(
        terms=dict(Counter(entry.category for entry in entries)),
        alternatives=sum(len(entry.alternatives) for entry in entries),
        approved=sum(entry.approved for entry in entries),
    )


_HINT: Final = "change these alternatives; docs/dictionary.md says what each rule is for"
