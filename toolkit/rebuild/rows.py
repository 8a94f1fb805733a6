"""Put restored records back into the rows of a release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from toolkit.gate.levels import WITHHELD
from toolkit.rebuild.records import Found, Records, Wanted
from toolkit.rebuild.release import Released
from toolkit.records import ARTICLE, DERIVED, arrow_type
from toolkit.release.withheld import HIDDEN

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["REBUILT", "Reject", "Restorer", "Revised", "wanted_rows"]

Revised = Literal["keep", "drop", "stop"]

REBUILT: Final = "rebuilt"
"""Column that says where a row's texts come from: released, verified, revised, or input."""

_DIGESTS: Final = ("input_sha256", "conclusion_sha256")
_RECORD: Final = {column.name: column.type for column in (*ARTICLE, *DERIVED)}


@dataclass(frozen=True, slots=True)
class Reject:
    """An item that is not as it was released.

    Attributes:
        item_id: its PMID.
        split: its split.
        reason: ``missing``, ``deleted``, ``withdrawn``, ``revised`` or ``retracted_since``.
        detail: what is known of it.
        kept: it stands in the split all the same.
    """

    item_id: str
    split: str
    reason: str
    detail: str
    kept: bool


def wanted_rows(batch: pa.RecordBatch, withdrawn: Mapping[str, str]) -> Iterator[Wanted]:
    """Yield the records whose texts a batch of released rows lacks."""
    for row in batch.to_pylist():
        if _lacks(row) and row["item_id"] not in withdrawn and row.get("input_sha256"):
            conclusion = row.get("conclusion_sha256")
            yield Wanted(row["item_id"], row["input_sha256"], conclusion, row.get("date_revised"))


class Restorer:
    """Makes whole rows of released ones, and lists those that cannot be made.

    Columns of the release stay as they were released; columns that it lacks come from the
    record. Where a record was revised and is kept, all its columns come from the record.
    """

    def __init__(
        self, release: Released, schema: pa.Schema, records: Records, revised: Revised
    ) -> None:
        self._release = release
        self._records = records
        self._keep = revised == "keep"
        self.schema = _whole(schema)
        self.rejects: list[Reject] = []
        self.counts: dict[str, int] = {}

    def restore(self, rows: Sequence[Mapping[str, Any]], split: str) -> list[dict[str, Any]]:
        """Return whole rows, in their order; what cannot be restored is left out and listed."""
        made = []
        for row in rows:
            whole = self._row(dict(row), split)
            if whole is not None:
                made.append(whole)
                self.counts[whole[REBUILT]] = self.counts.get(whole[REBUILT], 0) + 1
        return made

    def _row(self, row: dict[str, Any], split: str) -> dict[str, Any] | None:
        item = row["item_id"]
        if item in self._release.withdrawn:
            self._refuse(item, split, "withdrawn", self._release.withdrawn[item])
            return None
        if not _lacks(row):
            return {**row, REBUILT: "released"}
        found = self._records.found(item)
        if found.row is None or (found.state == "revised" and not self._keep):
            self._refuse(item, split, found.state, found.detail)
            return None
        if found.retracted and not row.get("retracted"):
            self.rejects.append(
                Reject(item, split, "retracted_since", "the article was retracted", True)
            )
        if HIDDEN in (row.get(WITHHELD) or ""):
            return {**row, "input": found.row["input"], REBUILT: "input"}
        return self._filled(row, split, found)

    def _filled(self, row: dict[str, Any], split: str, found: Found) -> dict[str, Any]:
        assert found.row is not None
        if found.state == "revised":
            self.rejects.append(Reject(row["item_id"], split, "revised", found.detail, True))
            return {**row, **found.row, REBUILT: found.state}
        released = {name: value for name, value in row.items() if value is not None}
        return {**row, **found.row, **released, REBUILT: found.state}

    def _refuse(self, item: str, split: str, reason: str, detail: str) -> None:
        words = detail or ("PubMed or the files do not hold it" if reason == "missing" else "")
        self.rejects.append(Reject(item, split, reason, words, False))


def _lacks(row: Mapping[str, Any]) -> bool:
    """Return whether a released row has no text: its column is null, or is not there."""
    return row.get("input") is None or row.get("conclusion") is None


def _whole(schema: pa.Schema) -> pa.Schema:
    import pyarrow as pa

    record = [(name, arrow_type(kind)) for name, kind in _RECORD.items()]
    more = [(field.name, field.type) for field in schema if field.name not in _RECORD]
    return pa.schema([*record, *more, (REBUILT, pa.string())])
