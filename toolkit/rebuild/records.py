"""The records that a rebuild looks for, and what was found of each, on disk."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from toolkit.corpus.article import Article
from toolkit.corpus.sections import Division
from toolkit.records import DERIVED
from toolkit.store.canonical import text_digest

__all__ = ["Found", "Records", "Wanted"]

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS record (
    item_id TEXT PRIMARY KEY, input TEXT, conclusion TEXT, revised TEXT,
    state TEXT NOT NULL DEFAULT 'missing', detail TEXT NOT NULL DEFAULT '',
    retracted INTEGER NOT NULL DEFAULT 0, row BLOB
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS journal (key TEXT, title TEXT, PRIMARY KEY (key, title)) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A record to look for.

    Attributes:
        item_id: its PMID.
        input: sha256 of its input.
        conclusion: sha256 of its conclusion; None where that is not released.
        revised: day of its last revision in the release; None where that is not known.
    """

    item_id: str
    input: str
    conclusion: str | None
    revised: str | None


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of a record.

    Attributes:
        state: ``verified``, ``revised``, ``deleted`` or ``missing``.
        detail: what differs.
        retracted: the last record seen says that the article was retracted.
        row: the record's columns; None where there are no texts.
    """

    state: str
    detail: str
    retracted: bool
    row: dict[str, Any] | None


class Records:
    """A file of wanted records; use it as a context manager."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path)
        self._database.executescript(_SCHEMA)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.commit()
        self._database.close()

    def want(self, records: Iterable[Wanted]) -> None:
        """Add records to look for; one that is known already keeps what was found.

        One that is known with other checksums is of another release, and is looked for anew.
        """
        rows = [(one.item_id, one.input, one.conclusion, one.revised) for one in records]
        self._database.executemany(
            "INSERT INTO record (item_id, input, conclusion, revised) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (item_id) DO UPDATE SET input = excluded.input, "
            "conclusion = excluded.conclusion, revised = excluded.revised, state = 'missing', "
            "detail = '', retracted = 0, row = NULL "
            "WHERE input IS NOT excluded.input OR conclusion IS NOT excluded.conclusion",
            rows,
        )
        self._database.commit()

    def missing(self) -> list[str]:
        """Return the ids of which nothing was found, by number."""
        with closing(
            self._database.execute("SELECT item_id FROM record WHERE state = 'missing'")
        ) as rows:
            return sorted((row[0] for row in rows), key=lambda item: (len(item), item))

    def offer(self, article: Article, division: Division | None) -> None:
        """Take a record if it is looked for; one with the released texts is never replaced."""
        known = self._known(article.item_id)
        if known is None:
            return
        self._database.execute(
            "UPDATE record SET retracted = ? WHERE item_id = ?",
            (article.retracted, article.item_id),
        )
        if known[3] == "verified":
            return
        wanted = Wanted(article.item_id, *known[:3])
        if division is None:
            self._set(article.item_id, "revised", "its sections can no longer be divided", None)
            return
        detail = _difference(wanted, article, division)
        row = article.row()
        row.update({column.name: getattr(division, column.name) for column in DERIVED})
        self._set(article.item_id, "revised" if detail else "verified", detail, row)
        journal = article.nlm_unique_id or article.journal
        if journal and article.journal:
            self._database.execute(
                "INSERT OR IGNORE INTO journal VALUES (?, ?)", (journal, article.journal)
            )

    def unstructured(self, item_id: str) -> None:
        """Note that a record has no labelled sections any more."""
        known = self._known(item_id)
        if known is not None and known[3] != "verified":
            self._set(item_id, "revised", "its abstract has no labelled section any more", None)

    def delete(self, item_ids: Sequence[str]) -> None:
        """Note that NLM deleted records."""
        for item_id in item_ids:
            if self._known(item_id) is not None:
                self._set(item_id, "deleted", "NLM deleted the record", None)

    def save(self) -> None:
        """Make what was found durable."""
        self._database.commit()

    def found(self, item_id: str) -> Found:
        """Return what was found of a record."""
        with closing(
            self._database.execute(
                "SELECT state, detail, retracted, row FROM record WHERE item_id = ?", (item_id,)
            )
        ) as rows:
            state, detail, retracted, row = next(iter(rows), ("missing", "", 0, None))
        columns = None if row is None else json.loads(zlib.decompress(row))
        return Found(state, detail, bool(retracted), columns)

    def journals(self) -> Iterator[tuple[str, str]]:
        """Yield (id or title, title) of every journal seen."""
        with closing(self._database.execute("SELECT key, title FROM journal")) as rows:
            yield from rows

    def _known(self, item_id: str) -> tuple[str, str | None, str | None, str] | None:
        with closing(
            self._database.execute(
                "SELECT input, conclusion, revised, state FROM record WHERE item_id = ?",
                (item_id,),
            )
        ) as rows:
            return next(iter(rows), None)

    def _set(self, item_id: str, state: str, detail: str, row: dict[str, Any] | None) -> None:
        packed = None if row is None else zlib.compress(json.dumps(row).encode("utf-8"), 1)
        self._database.execute(
            "UPDATE record SET state = ?, detail = ?, row = ? WHERE item_id = ?",
            (state, detail, packed, item_id),
        )


def _difference(wanted: Wanted, article: Article, division: Division) -> str:
    names = []
    if text_digest(division.input) != wanted.input:
        names.append("input")
    if wanted.conclusion is not None and text_digest(division.conclusion) != wanted.conclusion:
        names.append("conclusion")
    if not names:
        return ""
    what = f"another {' and '.join(names)}"
    if wanted.revised and article.date_revised == wanted.revised:
        return f"{what} in the same revision: read by other rules"
    return f"{what}; revised {article.date_revised or '(no day)'}, released {wanted.revised or '-'}"
