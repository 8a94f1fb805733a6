"""``releases.json``: the versions of a dataset so far, and what each changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

__all__ = [
    "SplitVersion",
    "Version",
    "history_text",
    "ids_digest",
    "next_history",
    "read_history",
    "version_key",
]


@dataclass(frozen=True, slots=True)
class SplitVersion:
    """A split of a version: its rows, and the digest of its ids (:func:`ids_digest`)."""

    rows: int
    ids_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A released version.

    Attributes:
        version: its number, e.g. ``1.0``.
        data_digest: sha256 over names, columns and values of all its splits.
        splits: its splits in order.
        added: items that the version before did not have; None where that is not known.
        removed: items that only the version before had.
        changed: items of both with another value in a column that both have, or in another split.
        note: what a person wrote about it; may be empty.
    """

    version: str
    data_digest: str
    splits: Mapping[str, SplitVersion]
    added: int | None = None
    removed: int | None = None
    changed: int | None = None
    note: str = ""


def ids_digest(ids: Iterable[str]) -> str:
    """Return the sha256 (64 hex digits) of a set of ids, whatever their order."""
    raise NotImplementedError


def version_key(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, to compare it by: ``1.10`` is after ``1.9``.

    Raises:
        UserError: the version is not made of numbers and dots.
    """
    raise NotImplementedError


def read_history(text: str | None) -> tuple[Version, ...]:
    """Return the versions of ``releases.json``, oldest first; none for None or empty text.

    Raises:
        UserError: the text is no history.
    """
    raise NotImplementedError


def history_text(versions: Sequence[Version]) -> str:
    """Return ``releases.json``."""
    raise NotImplementedError


def next_history(previous: Sequence[Version], current: Version) -> tuple[Version, ...]:
    """Return the history with ``current`` as its newest version; the same again changes nothing.

    Raises:
        UserError: the version exists with other data, or a later one exists.
    """
    raise NotImplementedError
