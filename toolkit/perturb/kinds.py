"""The kinds of edits by name: those that change the meaning, and rewrites that keep it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toolkit.perturb.base import Edited, Editor, Unedited, seeded
from toolkit.perturb.case import case
from toolkit.perturb.clause_order import clause_order
from toolkit.perturb.direction import direction
from toolkit.perturb.entity import entity
from toolkit.perturb.hedge import hedge
from toolkit.perturb.negation import negation
from toolkit.perturb.number import number
from toolkit.perturb.removal import removal
from toolkit.perturb.unit import unit
from toolkit.perturb.unit_spelling import unit_spelling

__all__ = ["EDITS", "REWRITES", "edit"]

EDITS: Final[Mapping[str, Editor]] = {
    "number": number,
    "unit": unit,
    "direction": direction,
    "negation": negation,
    "hedge": hedge,
    "entity": entity,
    "removal": removal,
}
REWRITES: Final[Mapping[str, Editor]] = {
    "case": case,
    "clause_order": clause_order,
    "unit_spelling": unit_spelling,
}


def edit(text: str, kind: str, *, seed: int, name: str) -> Edited | Unedited:
    """Make one edit of a kind.

    Args:
        text: the text.
        kind: a key of :data:`EDITS` or :data:`REWRITES`.
        seed: the recipe's seed.
        name: what the text is called, such as the item's id; the edit depends on nothing else.

    Returns:
        The changed text, which differs from the text, or why the kind does not apply.
    """
    make = EDITS.get(kind) or REWRITES[kind]
    found = make(text, seeded(seed, kind, name))
    if isinstance(found, Edited) and found.text == text:
        return Unedited("the edit leaves the text as it is")
    return found
