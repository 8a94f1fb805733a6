"""What of batches must survive a kill: which file holds which requests, and what became of it.

A note is written before anything that cannot be undone: before a file is uploaded, before a
batch is created, and again as soon as the server has given an id.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from toolkit.errors import StoreError
from toolkit.store.atomic import replacing, sweep, write_json
from toolkit.store.canonical import canonical_json, text_digest
from toolkit.store.lock import locked

__all__ = ["BatchBook", "BatchNote"]

State = Literal["written", "uploaded", "submitted"]

_LONGEST_WRITE_S: Final = 300.0


@dataclass(frozen=True, slots=True)
class BatchNote:
    """One file of requests.

    Attributes:
        name: sha256 over its bytes and the calls it pays for; unlike that of any other file.
        state: ``written`` (here), ``uploaded`` (at the server) or ``submitted`` (as a batch).
        asker: server, endpoint and name of the model; nobody else picks it up.
        run: the run that pays.
        calls: by custom id (the ledger's key of the request), the ledger's call.
        file_id: the server's id of the file; empty before.
        batch_id: the server's id of the batch; empty before.
    """

    name: str
    state: State
    asker: str
    run: str
    calls: Mapping[str, int]
    file_id: str = ""
    batch_id: str = ""


class BatchBook:
    """The notes of one ledger, one small file each, beside the ledger."""

    def __init__(self, ledger: Path) -> None:
        self._folder = ledger.with_name(f"{ledger.name}.batches")
        self._lock = ledger.with_name(f"{ledger.name}.batches.lock")

    def write(
        self,
        asker: str,
        run: str,
        path: str,
        requests: list[tuple[str, int, Mapping[str, Any]]],
    ) -> BatchNote:
        """Write a file of requests and its note; both are durable when this returns.

        Args:
            asker: whose requests they are.
            run: the run that pays.
            path: endpoint of each request, e.g. ``/v1/chat/completions``.
            requests: (custom id, call, body) of each.
        """
        lines = [
            canonical_json({"custom_id": key, "method": "POST", "url": path, "body": body})
            for key, _, body in requests
        ]
        text = "\n".join(lines) + "\n"
        calls = {key: call for key, call, _ in requests}
        name = text_digest([text, canonical_json(calls)])
        note = BatchNote(name, "written", asker, run, calls)
        with self._alone():
            with replacing(self.file(note)) as temporary:
                temporary.write_text(text, encoding="utf-8")
            self._save(note)
        return note

    def sweep(self) -> None:
        """Delete what writers that were killed have left: half a file, a file without a note."""
        if not self._folder.exists():
            return
        with self._alone():
            sweep(self._folder)
            for file in self._folder.glob("*.jsonl"):
                if not file.with_suffix(".json").exists():
                    file.unlink(missing_ok=True)

    def file(self, note: BatchNote) -> Path:
        """Return the file of requests."""
        return self._folder / f"{note.name}.jsonl"

    def advance(
        self, note: BatchNote, state: State, *, file_id: str = "", batch_id: str = ""
    ) -> BatchNote:
        """Write down that a note has come further, and return it; empty ids stay as they were."""
        moved = replace(
            note,
            state=state,
            file_id=file_id or note.file_id,
            batch_id=batch_id or note.batch_id,
        )
        with self._alone():
            self._save(moved)
        return moved

    def close(self, note: BatchNote) -> None:
        """Forget a file all of whose calls are settled."""
        (self._folder / f"{note.name}.json").unlink(missing_ok=True)
        self.file(note).unlink(missing_ok=True)

    def open_notes(self, asker: str | None = None) -> Iterator[BatchNote]:
        """Yield the notes of an asker, or of all, that are not closed, by name.

        Raises:
            StoreError: a note is damaged.
        """
        for file in sorted(self._folder.glob("*.json")):
            try:
                note = BatchNote(**json.loads(file.read_text(encoding="utf-8")))
            except FileNotFoundError:
                continue  # closed meanwhile by whoever waited for it
            except (OSError, ValueError, TypeError) as error:
                raise StoreError(
                    f"{file}: the note of a batch is damaged: {error}",
                    hint="its batch may be running and be paid for: look at the server's list of "
                    "batches, then delete the note",
                ) from error
            if asker in (None, note.asker):
                yield note

    def _save(self, note: BatchNote) -> None:
        write_json(self._folder / f"{note.name}.json", asdict(note))

    def _alone(self) -> AbstractContextManager[None]:
        """Keep other threads and processes from writing or sweeping meanwhile."""
        return locked(self._lock, "the notes of batches", wait_seconds=_LONGEST_WRITE_S)
