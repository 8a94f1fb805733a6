"""Decide over all parts which items go: replaced records, deletions, duplicates.

Only key columns are read, never text. The peak is about 50 bytes a record (measured over five
million), so 40 million records, all of PubMed, take 2 GB.

DOIs and titles are compared as 64-bit BLAKE2b hashes: the chance that any two of 40 million
different ones meet is n^2 / 2^65, about 4 in 100,000.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from toolkit.corpus.source import PartResult
from toolkit.errors import SourceError
from toolkit.store.parquet import read_parquet

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Keys = npt.NDArray[np.uint64]
    Counts = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

__all__ = [
    "MIN_TITLE_WORDS",
    "doi_key",
    "hash_key",
    "merge_articles",
    "merge_rows",
    "title_key",
]

MIN_TITLE_WORDS: Final = 5
"""Shorter titles (Editorial; Reply to the authors) name no article in particular."""

_RESOLVER: Final = re.compile(r"^(?:https?://)?(?:dx\.)?(?:www\.)?doi\.org/|^doi:\s*")
_NOT_WORD: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class _Table:
    """The key columns of all parts, one after the other in canonical order."""

    key: Keys
    version: npt.NDArray[np.int32]
    row: npt.NDArray[np.int32]
    part: npt.NDArray[np.int32]


def hash_key(text: str) -> int:
    """Return 64 bits of BLAKE2b over a text; never 0, which stands for none."""
    raw = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(raw, "big") or 1


def doi_key(doi: str | None) -> int:
    """Return the key of a DOI, 0 for none: case folded, without resolver and ``doi:``."""
    folded = _RESOLVER.sub("", (doi or "").strip().casefold()).rstrip(".")
    return hash_key(folded) if folded else 0


def title_key(title: str | None) -> int:
    """Return the key of a title, 0 for none.

    Titles are equal when their letters and digits are, after NFKC and case folding; runs of
    anything else separate words. A title of fewer than :data:`MIN_TITLE_WORDS` words has no
    key and is never a duplicate.
    """
    folded = unicodedata.normalize("NFKC", title or "").casefold()
    words = _NOT_WORD.sub(" ", folded).split()
    return hash_key(" ".join(words)) if len(words) >= MIN_TITLE_WORDS else 0


def merge_articles(
    results: Sequence[PartResult], dedup: Sequence[Literal["pmid", "doi", "title"]]
) -> dict[str, pa.Table]:
    """Decide which articles go.

    A PMID's last entry wins: the last file in the order of ``results``, within it the highest
    version, within that the last position. A deletion stands after the articles of its file,
    and a later file may bring the record back. A record takes part whether or not the rules
    kept it, so a revision that breaks a rule removes the older text all the same. Of the
    items left, the first in canonical order keeps a DOI, and of those left then, the first
    keeps a title.

    Args:
        results: the parts in canonical order.
        dedup: ``doi`` and ``title`` are asked when named; a PMID is unique in any case.

    Returns:
        For each part that loses items: ``row``, ``reason`` and ``detail``.
    """
    import numpy as np

    table = _load(results)
    lost = _superseded(table)
    alive = np.flatnonzero((table.row >= 0) & (lost == 0))
    drops: list[tuple[str, Counts, list[str]]] = []
    for code, reason in enumerate(_REASONS[1:], start=1):
        gone = np.flatnonzero((table.row >= 0) & (lost == code))
        drops.append((reason, gone, [""] * len(gone)))
    # Among themselves items stand as their files hold them, not by version.
    alive = alive[np.lexsort((table.row[alive], table.part[alive]))]
    for column in ("doi", "title"):
        if column in dedup:
            hashes = _column(results, column)[alive]
            again, first = _repeated(hashes)
            kept = table.key[alive[first]]
            drops.append(
                (f"duplicate_{column}", alive[again], [f"of {pmid}" for pmid in kept.tolist()])
            )
            alive = np.delete(alive, again)
    return _by_part(results, table, drops)


_REASONS: Final = ("", "older_version", "duplicate_pmid", "replaced_by_revision", "deleted")


def _superseded(table: _Table) -> npt.NDArray[np.int8]:
    """Return for each entry the code in ``_REASONS`` of what the next of its key does to it."""
    import numpy as np

    order = np.argsort(table.key, kind="stable")
    here, following = order[:-1], order[1:]
    lost = np.zeros(len(table.key), np.int8)
    again = table.key[here] == table.key[following]
    here, following = here[again], following[again]
    same_file = table.part[here] == table.part[following]
    same_version = table.version[here] == table.version[following]
    lost[here] = np.where(same_file, np.where(same_version, 2, 1), 3)
    lost[here[table.version[following] < 0]] = 4
    return lost


def _repeated(hashes: Keys) -> tuple[Counts, Counts]:
    """Return positions that repeat an earlier one, ascending, and that earlier position."""
    import numpy as np

    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else order
    first = order[np.repeat(starts, np.diff(np.r_[starts, len(ordered)]))]
    repeated = (first != order) & (ordered != 0)
    again, origin = order[repeated], first[repeated]
    ascending = np.argsort(again, kind="stable")
    return again[ascending], origin[ascending]


def merge_rows(
    results: Sequence[PartResult], *, on_duplicate: Literal["stop", "reject"]
) -> dict[str, pa.Table]:
    """Decide which rows of a table go: those whose id an earlier row has.

    Args:
        results: the parts in canonical order.
        on_duplicate: refuse the table, or reject all rows of an id but the first.

    Raises:
        SourceError: ids repeat and ``on_duplicate`` is ``stop``; at most ten are named.
    """
    table = _load(results)
    again, first = _repeated(table.key)
    places = [(int(table.part[i]), int(table.row[i])) for i in first]
    if on_duplicate == "stop" and len(again):
        shown = [
            _pair(results, table, int(a), place) for a, place in zip(again, places, strict=True)
        ]
        raise SourceError(
            f"{len(again)} row(s) repeat the id of an earlier row:\n  " + "\n  ".join(shown[:10]),
            hint="make the ids unique, name another id column, or set `on_bad_row: reject`",
        )
    details = [f"of row {row} of {results[part].part}" for part, row in places]
    return _by_part(results, table, [("duplicate_id", again, details)])


def _pair(results: Sequence[PartResult], table: _Table, again: int, first: tuple[int, int]) -> str:

    part, row = int(table.part[again]), int(table.row[again])
    name = read_parquet(results[part].items, ["item_id"])["item_id"][row].as_py()
    here, there = results[part].part, results[first[0]].part
    return f"'{name}': item {row} of {here} and item {first[1]} of {there}"


def _load(results: Sequence[PartResult]) -> _Table:
    import numpy as np

    keys: list[Keys] = []
    versions: list[npt.NDArray[np.int32]] = []
    rows: list[npt.NDArray[np.int32]] = []
    parts: list[npt.NDArray[np.int32]] = []
    for number, result in enumerate(results):
        table = _read(result, ["key", "version", "row", "position"])
        order = _file_order(table)
        keys.append(table["key"].to_numpy()[order])
        versions.append(table["version"].to_numpy()[order])
        rows.append(table["row"].to_numpy()[order])
        parts.append(np.full(len(order), number, np.int32))
    return _Table(
        np.concatenate([np.empty(0, np.uint64), *keys]),
        np.concatenate([np.empty(0, np.int32), *versions]),
        np.concatenate([np.empty(0, np.int32), *rows]),
        np.concatenate([np.empty(0, np.int32), *parts]),
    )


def _column(results: Sequence[PartResult], name: str) -> Keys:
    import numpy as np

    columns = [np.empty(0, np.uint64)]
    for result in results:
        table = _read(result, ["version", "position", name])
        columns.append(table[name].to_numpy()[_file_order(table)])
    return np.concatenate(columns)


def _file_order(table: pa.Table) -> Counts:
    """Order a part's keys by version and position, its deletions last."""
    import numpy as np

    version, position = table["version"].to_numpy(), table["position"].to_numpy()
    return np.lexsort((position, version, version < 0))


def _read(result: PartResult, columns: list[str]) -> pa.Table:

    return read_parquet(result.keys, columns)


def _by_part(
    results: Sequence[PartResult],
    table: _Table,
    drops: Sequence[tuple[str, Counts, list[str]]],
) -> dict[str, pa.Table]:
    import pyarrow as pa

    lost: dict[str, list[tuple[int, str, str]]] = {}
    for reason, entries, details in drops:
        for entry, detail in zip(entries.tolist(), details, strict=True):
            name = results[table.part[entry]].part
            lost.setdefault(name, []).append((int(table.row[entry]), reason, detail))
    schema = pa.schema([("row", pa.int64()), ("reason", pa.string()), ("detail", pa.string())])
    tables = {}
    for name, rows in sorted(lost.items()):
        columns = zip(*sorted(rows), strict=True)
        arrays = [pa.array(column, f.type) for column, f in zip(columns, schema, strict=True)]
        tables[name] = pa.table(arrays, schema=schema)
    return tables
