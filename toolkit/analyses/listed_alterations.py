"""What a judge lists as altered, reply by reply."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolkit.ask.dialogue import USABLE

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Reply", "listed_alterations"]

_LIST: Final = "alterations"
_ABOUT: Final = ("item_id", "model", "prompt", "repeat", "judge_repeat", "rater")


@dataclass(frozen=True, slots=True)
class Reply:
    """One judgement of one answer.

    Attributes:
        item: the item that was answered.
        model: who answered.
        prompt: the prompt of the answer.
        listed: the judge's list; None where no reply that could be read has one.
    """

    item: str
    model: str
    prompt: str
    listed: tuple[str, ...] | None


def listed_alterations(judgements: Iterable[pa.Table], judge: str) -> list[Reply]:
    """Return a judge's lists of alterations, sorted by answer and repeat.

    A judgement in stages is one reply; where several of its stages list alterations, the lists
    are joined in the order of the stages' names. A list that holds anything but texts cannot be
    read.

    Args:
        judgements: tables with the ``judgements`` columns, in any order.
        judge: name of the judge.
    """
    import pyarrow.compute as pc

    found: dict[tuple[str | int, ...], dict[str, tuple[str, ...]]] = {}
    for table in judgements:
        mine = table.select([*_ABOUT, "judge", "stage", "status", "parsed"])
        for row in mine.filter(pc.equal(mine["judge"], judge)).to_pylist():
            stages = found.setdefault(tuple(row[name] for name in _ABOUT), {})
            listed = _list(row["parsed"]) if row["status"] in USABLE else None
            if listed is not None:
                stages[row["stage"]] = listed
    return [
        Reply(
            str(about[0]),
            str(about[1]),
            str(about[2]),
            tuple(line for _, lines in sorted(stages.items()) for line in lines)
            if stages
            else None,
        )
        for about, stages in sorted(found.items())
    ]


def _list(parsed: str | None) -> tuple[str, ...] | None:
    value = json.loads(parsed) if parsed is not None else None
    lines = value.get(_LIST) if isinstance(value, dict) else None
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        return None
    return tuple(lines)
