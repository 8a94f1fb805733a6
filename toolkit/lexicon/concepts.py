"""Curated terms that a dictionary is built around."""

from __future__ import annotations

from pathlib import Path

from toolkit.errors import UserError
from toolkit.lexicon.rules import Rules, dictionary_faults, sign_faults
from toolkit.lexicon.table import by_term, table
from toolkit.perturb.dictionary import Dictionary

__all__ = ["read_concepts"]


def read_concepts(file: Path, rules: Rules) -> Dictionary:
    """Read curated terms: a dictionary whose alternatives may be empty.

    Raises:
        UserError: the file cannot be read or has no rows, a row has no term or category, or an
            entry with alternatives breaks the rules; all of them are named.
    """
    placed = table(file)
    bare = {one.line for one in placed if not one.entry.alternatives}
    faults = [
        f"{file}:{line}: {fault}"
        for line, fault in dictionary_faults(placed, rules)
        if line not in bare
    ]
    for one in placed:
        if one.line in bare:
            wrong = list(sign_faults([one.entry.term]))
            if not one.entry.term or not one.entry.category:
                wrong.append("a row without term or category")
            faults += [f"{file}:{one.line}: {fault}" for fault in wrong]
    if not placed:
        faults = [f"{file}: no rows"]
    if faults:
        raise UserError(
            "\n".join(["the concepts cannot be used", *faults]),
            hint="mend these rows, or empty their alternatives",
        )
    return by_term(one.entry for one in placed)
