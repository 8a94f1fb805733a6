"""The texts of a training corpus, one after the other: JSONL, Parquet or plain text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from toolkit.corpus.compressed import Reading, read_blocks
from toolkit.errors import SourceError

__all__ = ["TrainingText", "Unit", "training_texts"]

Unit = Literal["line", "paragraph", "file"]


class TrainingText(NamedTuple):
    """One text and where it stands."""

    file: str
    position: int
    text: str


def training_texts(files: Sequence[str], column: str, unit: Unit) -> Iterator[TrainingText]:
    """Yield the texts of all files, by name; at most one text or 1,000 rows are held at a time.

    Files that end in ``.parquet`` and ``.jsonl`` (``.ndjson``) hold texts in a column, all others
    are text. Any but Parquet may be packed by gzip. Rows without a text are passed over.

    Args:
        files: absolute paths or patterns.
        column: column of the texts.
        unit: what is one text of a text file: a line, a paragraph between blank lines, the file.

    Raises:
        SourceError: nothing matches, a file is damaged, or a row has no such column.
    """
    for path in _matched(files):
        name = path.name.lower().removesuffix(".gz")
        if name.endswith(".parquet"):
            yield from _parquet(path, column)
        elif name.endswith((".jsonl", ".ndjson")):
            yield from _jsonl(path, column)
        else:
            yield from _plain(path, unit)


def _matched(files: Sequence[str]) -> list[Path]:
    import glob

    found: set[str] = set()
    for pattern in files:
        names = glob.glob(pattern, recursive=True)  # noqa: PTH207 - the pattern is absolute
        if not names:
            raise SourceError(f"'{pattern}' matches no file", hint="correct training_overlap.files")
        found.update(names)
    return sorted(map(Path, found), key=lambda path: (path.name, str(path)))


def _parquet(path: Path, column: str) -> Iterator[TrainingText]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    position = 0
    try:
        with pq.ParquetFile(path) as file:
            if column not in file.schema_arrow.names:
                raise _no_column(path, column, file.schema_arrow.names)
            for batch in file.iter_batches(batch_size=1000, columns=[column]):
                for text in batch.column(0).to_pylist():
                    if isinstance(text, str):
                        yield TrainingText(path.name, position, text)
                    position += 1
    except (pa.ArrowException, OSError) as error:
        raise SourceError(
            f"{path}: not a sound Parquet file: {error}", hint="write or fetch the file again"
        ) from error


def _jsonl(path: Path, column: str) -> Iterator[TrainingText]:
    for position, line in enumerate(_lines(path)):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise SourceError(
                f"{path}:{position + 1}: not JSON: {error}", hint="write one JSON object a line"
            ) from error
        if not isinstance(row, dict) or column not in row:
            raise _no_column(path, column, list(row) if isinstance(row, dict) else [], position)
        if isinstance(row[column], str):
            yield TrainingText(path.name, position, row[column])


def _plain(path: Path, unit: Unit) -> Iterator[TrainingText]:
    if unit == "file":
        yield TrainingText(path.name, 0, "\n".join(_lines(path)))
        return
    if unit == "line":
        for position, line in enumerate(_lines(path)):
            if line.strip():
                yield TrainingText(path.name, position, line)
        return
    for position, paragraph in enumerate(_paragraphs(_lines(path))):
        yield TrainingText(path.name, position, paragraph)


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    held: list[str] = []
    for line in lines:
        if line.strip():
            held.append(line)
        elif held:
            yield "\n".join(held)
            held = []
    if held:
        yield "\n".join(held)


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file; bytes that are not UTF-8 are refused with their line."""
    rest = b""
    number = 0
    for block in read_blocks(Reading(path)):
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            number += 1
            yield _decoded(path, line, number)
    if rest:
        yield _decoded(path, rest, number + 1)


def _decoded(path: Path, line: bytes, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{path}:{number}: not UTF-8: byte {error.start + 1} of the line",
            hint="save the file as UTF-8",
        ) from error


def _no_column(
    path: Path, column: str, known: Sequence[str], position: int | None = None
) -> SourceError:
    where = f"{path}:{position + 1}" if position is not None else str(path)
    return SourceError(
        f"{where}: no column '{column}'",
        hint=f"set training_overlap.column; columns: {', '.join(map(str, known)) or 'none'}",
    )
