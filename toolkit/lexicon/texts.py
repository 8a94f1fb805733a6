"""The texts that a dictionary is built from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from toolkit.errors import UserError
from toolkit.lexicon.rows import read_rows, require_columns

__all__ = ["read_texts"]


def read_texts(files: Sequence[Path], column: str | None) -> list[str]:
    """Read texts; blank ones are left out.

    Args:
        files: tables, or ``.txt`` files with a text a line.
        column: column of the texts in the tables.

    Raises:
        UserError: a file cannot be read or lacks the column, or there is no text at all.
    """
    found: list[str] = []
    for file in files:
        if file.suffix == ".txt":
            try:
                found += file.read_text(encoding="utf-8-sig").split("\n")
            except (OSError, UnicodeDecodeError) as error:
                raise UserError(f"{file}: {error}", hint="save it in UTF-8") from error
            continue
        if column is None:
            raise UserError(f"{file}: which column holds the texts?", hint="name it with --column")
        rows = read_rows(file)
        require_columns(rows, [column], file)
        found += [str(row.values.get(column) or "") for row in rows]
    texts = [text for text in found if text.strip()]
    if not texts:
        raise UserError("there is no text to build from", hint="give files that hold some")
    return texts
