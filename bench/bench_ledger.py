"""How many calls a second can the ledger write down so that they survive a power loss?

    python bench/bench_ledger.py [--rows N] [--callers N] [--folder DIR]

A row is a whole call: a claim, committed, then its reply, committed; prompts of 2 kB, replies
of 1 kB. So many callers are at it at once, each waits for its commit, as the event loop does.
The floors, in the same folder and run, are bare SQLite (WAL, synchronous=FULL) that inserts as
many bytes: one row a commit, and as many rows a commit as there are callers. ``--folder`` must
be on a disk: a file system in memory needs no time to be durable.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

from toolkit.store.ledger import Claim, Ledger, LedgerRequest, Settlement

LEAST = 2000
PROMPT, REPLY = "word " * 400, b"reply " * 170


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=10_000, help="calls (10000)")
    parser.add_argument("--callers", type=int, default=256, help="calls in flight (256)")
    parser.add_argument("--folder", type=Path, default=Path(), help="where to write (here)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        single = inserts(folder / "single.sqlite", options.rows // 10, 1)
        batched = inserts(folder / "batched.sqlite", options.rows, options.callers)
        rate, cpu_ms = calls(folder / "ledger.sqlite", options.rows, options.callers)
    print(f"bare SQLite, one row a commit:       {single:8.0f} rows/s")
    print(f"bare SQLite, {options.callers:3d} rows a commit:      {batched:8.0f} rows/s")
    print(f"ledger, {options.callers:3d} callers, claim + reply: {rate:8.0f} rows/s", end="")
    print(f" ({2 * rate:.0f} durable operations/s, {cpu_ms:.2f} ms of CPU a row)")
    print(f"at least {LEAST} rows/s: {'yes' if rate >= LEAST else 'NO'}")
    return 0 if rate >= LEAST else 1


def inserts(file: Path, rows: int, batch: int) -> float:
    db = sqlite3.connect(file, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute("CREATE TABLE calls (key TEXT PRIMARY KEY, body TEXT, response BLOB) WITHOUT ROWID")
    start = time.perf_counter()
    for first in range(0, rows, batch):
        db.execute("BEGIN IMMEDIATE")
        values = [
            (f"{n * 2654435761 % 2**32:064x}", PROMPT, REPLY) for n in range(first, first + batch)
        ]
        db.executemany("INSERT INTO calls VALUES (?, ?, ?)", values)
        db.execute("COMMIT")
    seconds = time.perf_counter() - start
    db.close()
    return rows / seconds


def calls(file: Path, rows: int, callers: int) -> tuple[float, float]:
    """Return rows a second and CPU milliseconds a row, those of the ledger's thread included."""
    with Ledger(file) as ledger:
        crowd = Crowd(ledger, rows)
        start, spent = time.perf_counter(), time.process_time()
        for _ in range(callers):
            crowd.next()
        crowd.over.wait()
        seconds, spent = time.perf_counter() - start, time.process_time() - spent
        done = ledger.counts().calls
    assert done == {"done": rows}, done
    return rows / seconds, spent / rows * 1e3


class Crowd:
    """Callers that each claim, settle and take the next row, in the ledger's own thread."""

    def __init__(self, ledger: Ledger, rows: int) -> None:
        self._ledger = ledger
        self._numbers: Iterator[int] = iter(range(rows))
        self._left = rows
        self.over = threading.Event()

    def next(self) -> None:
        number = next(self._numbers, None)
        if number is None:
            return
        body = {"model": "m", "messages": [{"role": "user", "content": f"{PROMPT}{number}"}]}
        request = LedgerRequest("p", "http://127.0.0.1/v1", "", body, 0)
        claim = self._ledger.claim(request, run="r", reserve_pico_usd=10**9, budget_pico_usd=10**18)
        claim.add_done_callback(self._claimed)

    def _claimed(self, claim: Future[Claim]) -> None:
        settlement = Settlement(
            outcome="done",
            http_status=200,
            content_type="application/json",
            response=REPLY,
            prompt_tokens=400,
            completion_tokens=170,
            cost_pico_usd=10**8,
        )
        settled = self._ledger.settle(claim.result().call, settlement)
        settled.add_done_callback(self._settled)

    def _settled(self, settled: Future[None]) -> None:
        settled.result()
        self._left -= 1
        if not self._left:
            self.over.set()
        self.next()


if __name__ == "__main__":
    sys.exit(main())
