"""Make tables of ratings, as judges of type ``human`` read them, out of what readers wrote."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolkit.errors import UserError
from toolkit.readers.export import FORM_FILE, KEY_FILE
from toolkit.readers.private_files import write_files
from toolkit.readers.rated import Rated, read_rated
from toolkit.readers.sheets import CASE
from toolkit.store.canonical import text_digest

__all__ = ["Collected", "collect_ratings"]

_ANSWER: Final = ("item_id", "model", "prompt", "repeat")
_MOST: Final = 50
"""Faults that are written out."""


@dataclass(frozen=True, slots=True)
class Collected:
    """The ratings of one reader.

    Attributes:
        rater: the reader: the name of the file without its ending.
        file: the table of ratings; None where nothing is rated, and none was written.
        rated: cases with an answer to every question.
        partly: cases with an answer to some.
        unrated: cases with none, in order; they have no row.
    """

    rater: str
    file: Path | None
    rated: int
    partly: Sequence[str]
    unrated: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Study:
    questions: Mapping[str, tuple[int, int]]
    key: Mapping[str, Mapping[str, str]]
    access: str


def collect_ratings(
    folder: Path, files: Sequence[Path] = (), out: Path | None = None
) -> list[Collected]:
    """Check what readers wrote and write a table of ratings for each of them.

    Args:
        folder: what the export wrote.
        files: the files that came back; ``rater_*.csv`` of the folder where none is named.
        out: where the tables go; ``ratings`` in the folder by default.

    Returns:
        The readers in the order of the files.

    Raises:
        UserError: the folder is no export, or was changed; or a file has faults: all of them, of
            all files. Nothing was written then.
    """
    study = _study(folder)
    named = list(files) or sorted(folder.glob("rater_*.csv"))
    if not named:
        raise UserError(f"{folder}: no rater_*.csv", hint="name the files that came back")
    cases = list(study.key)
    read = [
        read_rated(file, study.questions, cases, private=study.access != "open") for file in named
    ]
    faults = [fault for rated in read for fault in rated.faults]
    twice = [name for name, n in Counter(file.stem for file in named).items() if n > 1]
    faults += [f"two files are called {name}.csv: a file's name is the reader's" for name in twice]
    if faults:
        more = len(faults) - _MOST
        lines = faults[:_MOST] + ([f"and {more:,} more"] if more > 0 else [])
        raise UserError(
            "the ratings have faults:\n" + "\n".join(f"  {line}" for line in lines),
            hint="mend them with the reader; nothing was written",
        )
    place = out if out is not None else folder / "ratings"
    tables = {
        f"{file.stem}.csv": _table(study, file.stem, rated)
        for file, rated in zip(named, read, strict=True)
        if any(rated.values.values())
    }
    write_files(place, tables, private=study.access == "credentialed")
    return [
        _collected(study, file.stem, place, rated) for file, rated in zip(named, read, strict=True)
    ]


def _study(folder: Path) -> _Study:
    try:
        about = json.loads((folder / FORM_FILE).read_text(encoding="utf-8"))
        key = (folder / KEY_FILE).read_text(encoding="utf-8")
        questions = {
            name: (int(low), int(high)) for name, (low, high) in about["questions"].items()
        }
        digest, access = about["key_sha256"], str(about["access"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f"{folder} is no reader study: {FORM_FILE} or {KEY_FILE} cannot be read: {error}",
            hint="name the folder that `toolkit readers export` wrote",
        ) from error
    if text_digest(key) != digest:
        raise UserError(
            f"{folder / KEY_FILE} was changed after it was written: ratings would go to other "
            "answers",
            hint="export again into a new folder and copy its key.csv here",
        )
    rows = csv.DictReader(io.StringIO(key, newline=""))
    return _Study(questions, {row[CASE]: row for row in rows}, access)


def _table(study: _Study, rater: str, rated: Rated) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_ANSWER, "rater", *study.questions])
    for case, about in study.key.items():
        values = rated.values[case]
        if values:
            given = [str(values.get(name, "")) for name in study.questions]
            writer.writerow([*(about[name] for name in _ANSWER), rater, *given])
    return out.getvalue()


def _collected(study: _Study, rater: str, place: Path, rated: Rated) -> Collected:
    answered = {case: len(rated.values[case]) for case in study.key}
    return Collected(
        rater=rater,
        file=place / f"{rater}.csv" if any(answered.values()) else None,
        rated=sum(n == len(study.questions) for n in answered.values()),
        partly=[case for case, n in answered.items() if 0 < n < len(study.questions)],
        unrated=[case for case, n in answered.items() if n == 0],
    )
