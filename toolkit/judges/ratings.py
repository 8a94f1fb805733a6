"""Read a table of ratings: every row becomes a rating, or is listed with what is wrong with it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from toolkit.errors import SourceError
from toolkit.judges.score import Score, score_fault
from toolkit.store.parquet import read_parquet

__all__ = ["Rating", "Ratings", "read_ratings"]

_Row = tuple[str, Mapping[str, Any]]
"""Where a row stands, and its values by column."""

_NUMBER: Final = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")

_SHAPE: Final = (
    "columns: item_id, model, and where they apply prompt, repeat and rater; then one column a "
    "score, or the two columns score and value"
)


@dataclass(frozen=True, slots=True)
class Rating:
    """One number that one person gave one answer.

    Attributes:
        rater: who rated.
        score: name of the score in the recipe.
        value: as given, before any inversion.
    """

    rater: str
    score: str
    value: float


@dataclass(slots=True)
class Ratings:
    """A table of ratings.

    Attributes:
        by_answer: ratings by (item_id, model, prompt, repeat).
        rejects: (where, item_id or None, what is wrong) of each row that is no rating.
    """

    by_answer: dict[tuple[str, str, str, int], list[Rating]] = field(default_factory=dict)
    rejects: list[tuple[str, str | None, str]] = field(default_factory=list)


def read_ratings(file: Path, scores: Mapping[str, Score], rater: str) -> Ratings:
    """Read ratings from CSV, JSONL or Parquet.

    Args:
        file: the table, one row a rated answer or one row a rating.
        scores: the scores that may stand in it; a column bears a score's name or its key.
        rater: the rater of rows that name none.

    Raises:
        SourceError: the file cannot be read, or lacks the columns.
    """
    found = Ratings()
    names = {score.key or name: name for name, score in scores.items()}
    names |= {name: name for name in scores}
    seen: set[tuple[Any, ...]] = set()
    for where, row in _rows(file):
        key = _key(row)
        if key is None:
            found.rejects.append(
                (where, _text(row, "item_id"), "no item_id, no model or no repeat")
            )
            continue
        who = _text(row, "rater") or rater
        given = _given(row, names)
        if not given:
            found.rejects.append((where, key[0], "no score of the recipe is rated"))
        for name, value in given:
            fault = _fault(name, value, scores, (*key, who, name) in seen)
            if fault:
                found.rejects.append((where, key[0], fault))
                continue
            seen.add((*key, who, name))
            rating = Rating(who, name, float(_number(value)))
            found.by_answer.setdefault(key, []).append(rating)
    return found


def _fault(name: str, value: Any, scores: Mapping[str, Score], twice: bool) -> str:
    if name not in scores:
        return f"'{name}' is no score of the recipe"
    fault = score_fault(name, scores[name], _number(value))
    return fault or (f"'{name}' is rated twice by the same rater" if twice else "")


def _given(row: Mapping[str, Any], names: Mapping[str, str]) -> list[tuple[str, Any]]:
    """Return (score, value) of a row; a score that was left empty is not rated."""
    if "score" in row and "value" in row and not {"score", "value"} & names.keys():
        score = str(row["score"])
        return [(names.get(score, score), row["value"])] if not _blank(row["value"]) else []
    return [(name, row[key]) for key, name in names.items() if key in row and not _blank(row[key])]


def _key(row: Mapping[str, Any]) -> tuple[str, str, str, int] | None:
    item, model = _text(row, "item_id"), _text(row, "model")
    repeat = row.get("repeat")
    try:
        # A column of whole numbers with gaps comes out of pandas as 0.0.
        number = 0.0 if _blank(repeat) else float(str(repeat))
    except ValueError:
        return None
    if number != int(number) or number < 0:
        return None
    return (item, model, _text(row, "prompt") or "", int(number)) if item and model else None


def _text(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    return None if _blank(value) else str(value).strip()


def _blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _number(value: Any) -> Any:
    """Return the number that a cell of text holds; anything else as it is."""
    if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
        return value
    return float(value)


def _rows(file: Path) -> Iterator[_Row]:
    try:
        if file.suffix == ".parquet":
            rows = read_parquet(file).to_pylist()
            found: list[_Row] = [(f"{file.name}: row {n}", row) for n, row in enumerate(rows, 1)]
        else:
            # A CSV cell may hold line ends; newline="" leaves them as they are.
            with file.open(encoding="utf-8-sig", newline="") as handle:
                text = handle.read()
            found = list(_jsonl(text, file) if file.suffix == ".jsonl" else _csv(text, file))
    except (OSError, ValueError, RecursionError) as error:
        # Damaged Parquet and wrong encodings are ValueErrors.
        raise SourceError(f"{file}: {error}", hint="CSV, JSONL or Parquet, in UTF-8") from error
    _check_columns(found, file)
    yield from found


def _check_columns(rows: Sequence[_Row], file: Path) -> None:
    columns = {name for _, row in rows for name in row}
    missing = [name for name in ("item_id", "model") if name not in columns]
    if missing:
        raise SourceError(f"{file}: no column {' and no column '.join(missing)}", hint=_SHAPE)


def _jsonl(text: str, file: Path) -> Iterator[_Row]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            raise SourceError(f"{file}:{number}: not JSON: {error}", hint=_SHAPE) from error
        if not isinstance(row, dict):
            raise SourceError(f"{file}:{number}: not a JSON object", hint=_SHAPE)
        yield f"{file.name}:{number}", row


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        raise ValueError("a key stands twice")
    return row


def _csv(text: str, file: Path) -> Iterator[_Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        header = [name.strip() for name in next(reader, [])]
        if len(header) == 1 and ";" in header[0]:
            raise SourceError(f"{file}:1: divided by semicolons", hint="save it with commas")
        twice = [name for name in header if header.count(name) > 1]
        if twice:
            raise SourceError(f"{file}:1: two columns are called '{twice[0]}'", hint=_SHAPE)
        for row in reader:
            line, where = reader.line_num, f"{file.name}:{reader.line_num}"
            if row and len(row) != len(header):
                raise SourceError(
                    f"{where}: {len(row)} values, but the header names {len(header)} columns",
                    hint="put a value that holds a comma or a line end in quotes",
                )
            if row:
                yield where, dict(zip(header, row, strict=True))
    except csv.Error as error:
        raise SourceError(f"{file}:{line}: {error}", hint="close every quote") from error
