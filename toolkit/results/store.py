"""The folder of records: only ever added to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from toolkit.errors import UserError
from toolkit.report.text import printable
from toolkit.results.items import ItemScores, items_text, read_items
from toolkit.results.owners import OWNER_HINT, counting_first, owner_fault
from toolkit.results.record import (
    Result,
    Withdrawal,
    items_path,
    record_path,
    withdrawal_path,
)
from toolkit.results.record_json import (
    read_result,
    read_withdrawal,
    result_json,
    withdrawal_json,
)
from toolkit.store.atomic import write_text
from toolkit.store.canonical import file_digest, text_digest

__all__ = ["FOLDER", "ResultStore"]

FOLDER: Final = "results"
"""Folder of all records inside a dataset repository."""

_ITEMS: Final = ".items.jsonl"
_WITHDRAWN: Final = ".withdrawn.json"


class ResultStore:
    """Records below ``folder/results/``."""

    def __init__(self, folder: Path) -> None:
        """Read all records; item scores stay on disk.

        Args:
            folder: folder of the dataset repository (holds ``results/``, or will).

        Raises:
            UserError: files are damaged or not where they belong; all faults at once.
        """
        self.folder = folder
        self._results: dict[str, Result] = {}
        self._withdrawals: dict[str, Withdrawal] = {}
        faults: dict[str, str] = {}
        files = _files(folder)
        for name in files:
            try:
                self._take(name)
            except UserError as error:
                faults[name] = error.message
        strays = {name: fault for name, fault in self._strays(set(files)) if name not in faults}
        if faults or strays:
            found = [*faults.values(), *strays.values()]
            raise UserError(
                "\n".join([f"{folder}: the records cannot be used", *found]),
                hint="records are only added: bring back the files as they were published",
            )

    @property
    def results(self) -> Mapping[str, Result]:
        """Every record, withdrawn ones included, by id, sorted."""
        return dict(sorted(self._results.items()))

    @property
    def withdrawals(self) -> Mapping[str, Withdrawal]:
        """Every withdrawal, by id of its record."""
        return dict(sorted(self._withdrawals.items()))

    def standing(self) -> list[Result]:
        """Return the records that were not withdrawn, sorted by id."""
        return [one for name, one in self.results.items() if name not in self._withdrawals]

    def paths(self) -> list[str]:
        """Return the files of all records, as POSIX names relative to the folder, sorted.

        Scores of items whose record never came, because a program was stopped between the two,
        are none of them.
        """
        return sorted(self._due())

    def add(self, result: Result, items: ItemScores | None) -> Result:
        """Add a record and the scores of its items.

        The items are written first: a record that is there is whole.

        Returns:
            The record as it is kept, with the digest of its items and the id of the record it
            takes the place of. Where the same evaluation is there already, nothing is written
            and that record is returned, with the day on which it first came.

        Raises:
            UserError: a file of that name says something else; the record would take the place
                of one of a higher tier, or of another submitter's of the same tier; or it is not
                of the shape.
        """
        text = None if items is None else items_text(items)
        digest = "" if text is None else text_digest(text)
        result = replace(result, items_sha256=digest, items=_count(result, items))
        known = self._results.get(result.record_id)
        if known is not None:
            return known
        standing = self.standing()
        fault = owner_fault(result, standing)
        if fault:
            raise UserError(fault, hint=OWNER_HINT)
        before = counting_first(other for other in standing if other.key == result.key)
        if before:
            result = replace(result, supersedes=before[0].record_id)
        written = result_json(result)
        if text is not None:
            self._write(items_path(result), text)
        self._write(record_path(result), written)
        self._results[result.record_id] = result
        return result

    def withdraw(self, record: str, *, reason: str, by: str, date: str) -> Withdrawal:
        """Take a record back; nothing is deleted.

        Returns:
            The withdrawal; the first one where it was withdrawn before.

        Raises:
            UserError: there is no such record, or a word is missing.
        """
        result = self._results.get(record)
        if result is None:
            raise UserError(
                f"no record '{printable(record)[:80]}' in {self.folder / FOLDER}",
                hint="ids are the names of the files without .json",
            )
        if record in self._withdrawals:
            return self._withdrawals[record]
        withdrawal = Withdrawal(record=record, reason=reason, by=by, date=date)
        self._write(withdrawal_path(result), withdrawal_json(withdrawal))
        self._withdrawals[record] = withdrawal
        return withdrawal

    def items(self, record: str) -> ItemScores | None:
        """Return the scores of a record's items; None where none are kept.

        Raises:
            UserError: the file is not the one that the record names.
        """
        result = self._results[record]
        if not result.items_sha256:
            return None
        path = self.folder / items_path(result)
        try:
            actual = file_digest(path)
        except OSError as error:
            raise UserError(f"{path}: missing", hint="bring back the file") from error
        if actual != result.items_sha256:
            raise UserError(
                f"{path}: not the scores that the record names (its checksum differs)",
                hint="scores of items are never edited: bring back the file as it was",
            )
        return read_items(path.read_text(encoding="utf-8"), str(path))

    def _take(self, name: str) -> None:
        if name.endswith(_ITEMS) or not name.endswith(".json"):
            return
        path = self.folder / name
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise UserError(f"{name}: cannot be read: {error}", hint="") from error
        if name.endswith(_WITHDRAWN):
            withdrawal = read_withdrawal(text, name)
            self._withdrawals[withdrawal.record] = withdrawal
            return
        result = read_result(text, name)
        if record_path(result) != name:
            raise UserError(f"{name}: belongs to {record_path(result)}", hint="")
        self._results[result.record_id] = result

    def _due(self) -> set[str]:
        due: set[str] = set()
        for result in self._results.values():
            due.add(record_path(result))
            if result.items_sha256:
                due.add(items_path(result))
            if result.record_id in self._withdrawals:
                due.add(withdrawal_path(result))
        return due

    def _strays(self, files: set[str]) -> Iterator[tuple[str, str]]:
        """Yield what is wrong between files: the file, and the fault."""
        due = self._due()
        for name in sorted(files - due):
            if not name.endswith(_ITEMS):
                yield name, f"{name}: belongs to no record"
        for name in sorted(due - files):
            yield name, f"{name}: missing"

    def _write(self, name: str, text: str) -> None:
        path = self.folder / name
        if path.exists():
            if path.read_bytes() == text.encode():
                return
            raise UserError(
                f"{name} is there and says something else",
                hint="records are never edited: bring back the file as it was",
            )
        write_text(path, text)


def _files(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix()
        for path in (folder / FOLDER).rglob("*")
        # Names with a dot are files in the making.
        if path.is_file() and not path.name.startswith(".")
    )


def _count(result: Result, items: ItemScores | None) -> int:
    return result.items if items is None else len(items.items)
