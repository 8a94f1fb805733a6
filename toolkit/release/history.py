"""``releases.json``: the versions of a dataset so far, and what each changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from toolkit.errors import UserError
from toolkit.release.tables import ordered
from toolkit.store.canonical import text_digest

__all__ = [
    "HISTORY_FILE",
    "SplitVersion",
    "Version",
    "history_text",
    "ids_digest",
    "next_history",
    "read_history",
    "version_key",
]

HISTORY_FILE: Final = "releases.json"

_VERSION: Final = re.compile(r"v?(\d{1,9}(?:\.\d{1,9}){0,3})")
_AGAIN: Final = "restore the file from an earlier revision of the repository"


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
        data_digest: sha256 over the names and the sha256 of its shards.
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
    """Return the sha256 (64 hex digits) of a set of ids, whatever their order.

    It is taken over the ids in the order of their code points, joined by NUL.
    """
    return text_digest(sorted(ids))


def version_key(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, to compare it by: ``1.10`` is after ``1.9``.

    ``1`` and ``1.0`` are the same version.

    Raises:
        UserError: the version is not made of one to four numbers and dots.
    """
    found = _VERSION.fullmatch(version)
    if found is None:
        raise UserError(
            f"the version '{version}' cannot be released",
            hint='write numbers and dots, quoted: version: "1.0"',
        )
    numbers = [int(part) for part in found.group(1).split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def read_history(text: str | None) -> tuple[Version, ...]:
    """Return the versions of ``releases.json``, oldest first; none for None or empty text.

    Raises:
        UserError: the text is no history.
    """
    if not text or not text.strip():
        return ()
    try:
        data = json.loads(text)
        return tuple(_version(entry) for entry in data["versions"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{HISTORY_FILE} cannot be read: {error}", hint=_AGAIN) from error


def history_text(versions: Sequence[Version]) -> str:
    """Return ``releases.json``."""
    data = {"schema": 1, "versions": [asdict(version) for version in versions]}
    return json.dumps(data, sort_keys=True, indent=1, ensure_ascii=False) + "\n"


def next_history(previous: Sequence[Version], current: Version) -> tuple[Version, ...]:
    """Return the history with ``current`` as its newest version; the same again changes nothing.

    Raises:
        UserError: the version exists with other data, or a later one exists.
    """
    key = version_key(current.version)
    for known in previous:
        if version_key(known.version) == key and known.data_digest != current.data_digest:
            raise UserError(
                f"version {current.version} is released already, with other data",
                hint="a released version never changes: raise `version` in the recipe",
            )
    if previous and key < version_key(previous[-1].version):
        raise UserError(
            f"version {current.version} comes before {previous[-1].version}, which is released",
            hint=f"give the recipe a version after {previous[-1].version}",
        )
    if previous and key == version_key(previous[-1].version):
        return tuple(previous)
    return (*previous, current)


def _version(entry: Mapping[str, Any]) -> Version:
    version_key(entry["version"])
    counts = {name: entry.get(name) for name in ("added", "removed", "changed")}
    if any(count is not None and type(count) is not int for count in counts.values()):
        raise ValueError("a count that is no number")
    return Version(
        version=entry["version"],
        data_digest=str(entry["data_digest"]),
        splits={
            # The file sorts its keys; people read splits in another order.
            name: SplitVersion(
                int(entry["splits"][name]["rows"]), str(entry["splits"][name]["ids_digest"])
            )
            for name in ordered(entry["splits"])
        },
        note=str(entry.get("note", "")),
        **counts,
    )
