"""What a judge of a variant is shown beside the answer: both texts, the edits, the other answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolkit.judges.base import SCORED, Target
from toolkit.perturb.edits_text import edits_text

__all__ = ["Edited", "variant_targets"]

_Answered = tuple[str, int]
"""An item and a repeat."""


@dataclass(frozen=True, slots=True)
class Edited:
    """How answers to variants are found together with those to their originals.

    Attributes:
        column: the column that was edited.
        before: rows of answers before an answer among which that to its original stands.
    """

    column: str
    before: int


def variant_targets(
    targets: Sequence[Target], edited: Edited, answers: Sequence[Mapping[str, Any]]
) -> list[Target]:
    """Return targets whose item holds the original text, and the edited one beside it.

    Args:
        targets: answers to items and variants, with their items as models were shown them.
        edited: what was edited.
        answers: the rows of these answers, and those before them.
    """
    given: dict[_Answered, str | None] = {
        (row["item_id"], row["repeat"]): row["answer"] for row in answers if row["status"] in SCORED
    }
    return [_shown(target, edited.column, given) for target in targets]


def _shown(target: Target, column: str, given: Mapping[_Answered, str | None]) -> Target:
    item = target.item
    if "original_id" not in item:
        return target
    return replace(
        target,
        item={**item, column: item["original_text"]},
        extra={
            **target.extra,
            "variant": item[column],
            "edits": edits_text(item["edits"]),
            "original_output": given.get((item["original_id"], target.answer["repeat"])),
        },
    )
