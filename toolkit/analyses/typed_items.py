"""What people found in flagged answers: a table of typed items, every fault of it at once."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from toolkit.errors import UserError

__all__ = ["Answer", "read_typed"]

Answer = tuple[str, str, str, int]
"""Item, model, prompt, repeat."""

_COLUMNS: Final = ("item_id", "model", "prompt", "type")
_SHOWN: Final = 20


def read_typed(
    file: Path, flagged: Mapping[Answer, int], types: Sequence[str]
) -> list[tuple[int, str]]:
    """Return the answer and the type of each item that the file lists.

    The file is CSV in UTF-8 with the columns ``item_id, model, prompt, type``; ``repeat`` is 0
    where the column is absent, others, such as ``quote``, are not read.

    Args:
        file: the file.
        flagged: numbers of the flagged answers.
        types: names of the types.

    Raises:
        UserError: the file cannot be read or lacks a column, or rows are about no flagged answer
            or of no listed type; all of them are counted, the first are named with their line.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"{file}: the typed items cannot be read: {error}", hint="save them as CSV in UTF-8"
        ) from error
    reader = csv.DictReader(io.StringIO(text))
    lacking = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
    if lacking:
        raise UserError(
            f"{file}:1: there is no column {', '.join(lacking)}",
            hint=f"name the columns {', '.join(_COLUMNS)}",
        )
    found: list[tuple[int, str]] = []
    faults: list[str] = []
    for row in reader:
        cells = {key: (value or "").strip() for key, value in row.items() if isinstance(key, str)}
        repeat = cells.get("repeat") or "0"
        about = (cells["item_id"], cells["model"], cells["prompt"])
        answer = flagged.get((*about, int(repeat))) if repeat.isdecimal() else None
        wrong = list(_faults(cells, repeat, answer, types))
        faults += [f"{file}:{reader.line_num}: {fault}" for fault in wrong]
        if answer is not None and not wrong:
            found.append((answer, cells["type"]))
    if faults:
        more = [f"and {len(faults) - _SHOWN} more"] if len(faults) > _SHOWN else []
        raise UserError(
            "\n".join([*faults[:_SHOWN], *more]),
            hint=f"list items of flagged answers only; types are {', '.join(types)}",
        )
    return found


def _faults(
    cells: Mapping[str, str], repeat: str, answer: int | None, types: Sequence[str]
) -> Iterator[str]:
    if answer is None:
        about = " ".join(cells[name] for name in _COLUMNS[:3])
        again = f", repeat {repeat}" if repeat != "0" else ""
        yield f"'{about[:120]}'{again} is no flagged answer"
    if cells["type"] not in types:
        yield f"'{cells['type'][:80]}' is no listed type"
