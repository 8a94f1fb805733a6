"""The folder of records: only ever added to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from toolkit.results.items import ItemScores
from toolkit.results.record import Result, Withdrawal

__all__ = ["ResultStore"]


class ResultStore:
    """Records below ``folder/results/``.

    Attributes:
        results: every record, withdrawn ones included, by id.
        withdrawals: by id of the record.
    """

    results: Mapping[str, Result]
    withdrawals: Mapping[str, Withdrawal]

    def __init__(self, folder: Path) -> None:
        """Read all records; item scores stay on disk.

        Args:
            folder: folder of the dataset repository (holds ``results/``, or will).

        Raises:
            UserError: files are damaged or not where they belong; all faults at once.
        """
        raise NotImplementedError

    def add(self, result: Result, items: ItemScores | None) -> Result:
        """Add a record and the scores of its items.

        Returns:
            The record as it is kept; the one that was there where it is there already.

        Raises:
            UserError: a file of that name says something else; or the record would take the
                place of another submitter's of the same or a higher tier.
        """
        raise NotImplementedError

    def withdraw(self, record: str, *, reason: str, by: str, date: str) -> Withdrawal:
        """Take a record back; nothing is deleted.

        Raises:
            UserError: there is no such record, or it was withdrawn with another reason.
        """
        raise NotImplementedError

    def items(self, record: str) -> ItemScores | None:
        """Return the scores of a record's items; None where none are kept.

        Raises:
            UserError: the file is not the one that the record names.
        """
        raise NotImplementedError

    def paths(self) -> list[str]:
        """Return all files, as relative POSIX names, sorted."""
        raise NotImplementedError
