"""Look into a ledger without touching it: while a run writes, from another process."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeVar

from toolkit.errors import StoreError
from toolkit.store.ledger_rows import count_rows
from toolkit.store.ledger_types import LedgerCounts

__all__ = ["Asked", "Failure", "LedgerView", "Tokens"]

T = TypeVar("T")

_WINDOW: Final = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Failure:
    """Calls that ended for the same reason.

    Attributes:
        outcome: ``failed``, ``not_processed`` or ``unknown``.
        reason: in words.
        calls: how many.
    """

    outcome: str
    reason: str
    calls: int


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run's calls to one model came to.

    Attributes:
        base_url: address of its server.
        model: the name it was asked by.
        finished: calls that ended with a reply.
        failed: of them, replies that were no answer.
        first_day: day of the first call, YYYY-MM-DD.
        last_day: day of the last call.
        hours: from sending to reply, summed over the finished calls.
    """

    base_url: str
    model: str
    finished: int
    failed: int
    first_day: str
    last_day: str
    hours: float


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a run's calls, as servers reported them."""

    read: int
    written: int
    reasoning: int


class LedgerView:
    """A ledger opened for reading only: no claim, no lock, no repair, no write."""

    def __init__(self, path: Path) -> None:
        """Name the ledger; each question opens and closes it.

        Args:
            path: the ledger file.
        """
        self._path = path

    @property
    def exists(self) -> bool:
        """Whether there is a ledger at all."""
        return self._path.is_file()

    def counts(self, run: str | None = None) -> LedgerCounts:
        """Count requests, calls, tokens and money, of one run or of all.

        Raises:
            StoreError: it cannot be read.
        """
        return self._ask(lambda db: count_rows(db, run))

    def tokens(self, run: str) -> Tokens:
        """Sum up the tokens of a run's calls.

        Raises:
            StoreError: it cannot be read.
        """
        return self._ask(
            lambda db: Tokens(
                *db.execute(
                    "SELECT COALESCE(SUM(prompt_tokens), 0), COALESCE(SUM(completion_tokens), 0),"
                    " COALESCE(SUM(reasoning_tokens), 0) FROM calls WHERE run = ?",
                    (run,),
                ).fetchone()
            )
        )

    def failures(self, run: str) -> list[Failure]:
        """Return why calls of a run gave no answer, the most frequent reason first.

        Raises:
            StoreError: it cannot be read.
        """
        return self._ask(
            lambda db: [
                Failure(*row)
                for row in db.execute(
                    "SELECT outcome, COALESCE(NULLIF(reason, ''), 'no reason given'), COUNT(*) AS n"
                    " FROM calls WHERE run = ?"
                    " AND outcome IN ('failed', 'not_processed', 'unknown')"
                    " GROUP BY 1, 2 ORDER BY n DESC, 1, 2",
                    (run,),
                )
            ]
        )

    def by_model(self, run: str) -> list[Asked]:
        """Return what the calls of a run came to, by server and model.

        Raises:
            StoreError: it cannot be read.
        """
        return self._ask(
            lambda db: [
                Asked(*row)
                for row in db.execute(
                    "SELECT requests.base_url, COALESCE(json_extract(body, '$.model'), '') AS name,"
                    " SUM(outcome IN ('done', 'failed')), SUM(outcome = 'failed'),"
                    " MIN(SUBSTR(sent_at, 1, 10)), MAX(SUBSTR(sent_at, 1, 10)),"
                    " COALESCE(SUM(CASE WHEN outcome IN ('done', 'failed') THEN"
                    " (JULIANDAY(ended_at) - JULIANDAY(sent_at)) * 24 END), 0.0)"
                    " FROM calls JOIN requests ON requests.key = calls.key"
                    " WHERE run = ? GROUP BY 1, 2 ORDER BY 1, 2",
                    (run,),
                )
            ]
        )

    def bounded(self, run: str) -> int:
        """Return how much of a run's money is an upper bound, in pico-dollars.

        Raises:
            StoreError: it cannot be read.
        """
        return self._ask(
            lambda db: int(
                db.execute(
                    "SELECT COALESCE(SUM(reserved_pico_usd), 0) FROM calls"
                    " WHERE run = ? AND cost_pico_usd IS NULL",
                    (run,),
                ).fetchone()[0]
            )
        )

    def rate(self, run: str, now: datetime | None = None) -> float:
        """Return the calls a minute that a run has finished in the last five minutes.

        Raises:
            StoreError: it cannot be read.
        """
        since = ((now or datetime.now(UTC)) - _WINDOW).isoformat(timespec="milliseconds")
        finished = self._ask(
            lambda db: int(
                db.execute(
                    "SELECT COUNT(*) FROM calls WHERE run = ? AND ended_at >= ?"
                    " AND outcome IN ('done', 'failed')",
                    (run, since),
                ).fetchone()[0]
            )
        )
        return finished / (_WINDOW.total_seconds() / 60)

    def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        try:
            with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)) as db:
                return question(db)
        except sqlite3.Error as error:
            raise StoreError(
                f"the ledger {self._path} cannot be read: {error}",
                hint="look with `toolkit ledger count`, which says what is wrong with it",
            ) from error
