"""Take texts out of the records of a page that the release leaves out, whoever wrote them again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from toolkit.errors import UserError
from toolkit.space.verbatim import Verbatim

__all__ = ["leave_out", "rows_of"]

_NO_WORDS: Final = ("values", "texts")
"""Parts of a record that are numbers, and the rows of texts, which are looked at one by one."""


def leave_out(records: Mapping[str, dict[str, Any]], kept_back: Iterable[str]) -> int:
    """Take out the texts of each item beside which a text stands that must not be shown.

    Each kept-back text is looked up once, however many records there are.

    Args:
        records: the parts of the page, by name; changed in place.
        kept_back: texts that must not be shown.

    Returns:
        The number of rows of texts that were taken out.

    Raises:
        UserError: such a text stands elsewhere in a record, where it cannot be left out.
    """
    shown = {text for record in records.values() for row in rows_of(record) for text in row or ()}
    if not shown:
        return 0
    others = {text: name for name, record in records.items() for text in _words(record)}
    search = Verbatim(shown | set(others))
    for text in kept_back:
        search.look(text)
    named = sorted({others[text] for text in search.found if text in others})
    if named:
        raise UserError(
            "the page would show a text that the release leaves out, in what these say of "
            f"themselves: {', '.join(named)}",
            hint="withdraw these records, or shorten the note of their model",
        )
    gone = 0
    for record in records.values():
        rows = rows_of(record)
        for at, row in enumerate(rows):
            if row and not search.found.isdisjoint(row):
                rows[at] = None
                gone += 1
    return gone


def rows_of(record: Mapping[str, Any]) -> list[list[str] | None]:
    """Return the texts beside the scores of a record's items; none where none are shown."""
    rows: list[list[str] | None] = (record.get("items") or {}).get("texts") or []
    return rows


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            if key not in _NO_WORDS:
                yield from _words(part)
    elif isinstance(value, list):
        for part in value:
            yield from _words(part)
