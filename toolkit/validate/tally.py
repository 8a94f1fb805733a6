"""Count what one expectation finds over all batches, and keep the rows that broke it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.validate.result import SHOWN_IDS
from toolkit.validate.shards import Rows, Shards

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Failures", "Tally"]

_SHOWN_CHARACTERS: Final = 200


@dataclass(slots=True)
class Tally:
    """Running counts of one expectation.

    Attributes:
        item: the expectation as its suite holds it: type, kwargs, severity, meta.
        failed: the verdict of one that is about no row; None when counts decide.
        reason: why it failed.
        error: why it cannot be evaluated; empty while it can.
    """

    item: Mapping[str, Any]
    element_count: int = 0
    missing_count: int = 0
    unexpected_count: int = 0
    observed: Any = None
    failed: bool | None = None
    reason: str = ""
    error: str = ""
    ids: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The expectation's id."""
        return str(self.item["meta"]["id"])

    @property
    def kwargs(self) -> Mapping[str, Any]:
        """The expectation's arguments."""
        return dict(self.item["kwargs"])

    def broken(self) -> bool:
        """Say whether the rows seen break it: too many unexpected, or the verdict says so."""
        if self.failed:
            return True
        # Summed over shards first: the share that `mostly` allows is one of the whole table.
        considered = self.element_count - self.missing_count
        allowed = float(self.kwargs.get("mostly", 1.0))
        return considered > 0 and (considered - self.unexpected_count) / considered < allowed

    def result(self) -> dict[str, Any]:
        """Return the result as :class:`~toolkit.validate.result.ExpectationResult` holds it."""
        status = "error" if self.error else "failed" if self.broken() else "passed"
        reason = self.error or (self.reason or self._counted() if status == "failed" else "")
        return {
            "id": self.id,
            "type": self.item["type"],
            "kwargs": self.kwargs,
            "severity": self.item["severity"],
            "why": self.item["meta"]["why"],
            "status": status,
            "reason": reason,
            "element_count": self.element_count,
            "missing_count": self.missing_count,
            "unexpected_count": self.unexpected_count,
            "failing_ids": self.ids,
            "observed": self.observed,
        }

    def _counted(self) -> str:
        considered = self.element_count - self.missing_count
        return f"{self.unexpected_count} of {considered} rows break it"


class Failures:
    """The rows that broke expectations, on disk until it is known which expectations failed."""

    def __init__(self, shards: Shards, id_columns: Sequence[str], spool: Path | None) -> None:
        """Prepare to collect.

        Args:
            shards: the table.
            id_columns: the columns that name a row.
            spool: an empty folder for intermediate files; None when only ids are wanted.
        """
        self._shards = shards
        self._ids = list(id_columns)
        self._spool = spool
        self._writers: dict[str, Any] = {}

    @property
    def columns(self) -> list[str]:
        """The columns that every batch must carry so that its rows can be named."""
        names = self._shards.schema.names
        return [*self._ids, *(["year"] if "year" in names and "year" not in self._ids else [])]

    def add(self, tally: Tally, rows: Rows, indices: Sequence[int], shown: Sequence[str]) -> None:
        """Note rows of one batch that broke an expectation.

        Args:
            tally: the expectation; its ids are filled up.
            rows: the batch.
            indices: 0-based row numbers inside the batch, ascending.
            shown: the columns whose values the detail quotes.
        """
        wanted = len(indices) if self._spool else max(0, SHOWN_IDS - len(tally.ids))
        if not len(indices) or not wanted:
            return
        import pyarrow as pa

        chosen = list(indices[:wanted])
        taken = rows.batch.take(pa.array(chosen, pa.int64()))
        keys = [_texts(taken.column(name)) for name in self._ids]
        names = [
            " / ".join("(null)" if part is None else part for part in key)
            for key in zip(*keys, strict=True)
        ]
        tally.ids.extend(names[: SHOWN_IDS - len(tally.ids)])
        if self._spool:
            self._write(tally, rows, chosen, taken, shown)

    def _write(
        self,
        tally: Tally,
        rows: Rows,
        chosen: list[int],
        taken: pa.RecordBatch,
        shown: Sequence[str],
    ) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        from toolkit.records import arrow_schema

        schema = arrow_schema("rejects")
        quoted = list(dict.fromkeys([*shown, *self._ids[1:]]))
        details = _details(taken, quoted)
        year = _years(taken)
        batch = pa.RecordBatch.from_arrays(
            [
                pa.array(_texts(taken.column(self._ids[0])), pa.string()),
                pa.array([tally.id] * len(chosen), pa.string()),
                pa.array(details, pa.string()),
                year,
                pa.array([self._shards.labels[rows.shard]] * len(chosen), pa.string()),
                pa.array([rows.start + index for index in chosen], pa.int64()),
            ],
            schema=schema,
        )
        if tally.id not in self._writers:
            assert self._spool is not None
            path = self._spool / f"{tally.id}.parquet"
            self._writers[tally.id] = pq.ParquetWriter(path, schema)
        self._writers[tally.id].write_batch(batch)

    def save(self, broken: Sequence[str], target: Path) -> None:
        """Write the rows of the expectations that failed, in the order of the suite.

        Args:
            broken: ids of the expectations that failed.
            target: the rejects file; written even when no row failed.
        """
        import pyarrow.parquet as pq

        from toolkit.records import arrow_schema
        from toolkit.store.atomic import replacing

        for writer in self._writers.values():
            writer.close()
        assert self._spool is not None
        with (
            replacing(target) as temporary,
            pq.ParquetWriter(temporary, arrow_schema("rejects"), compression="zstd") as out,
        ):
            for name in broken:
                if name in self._writers:
                    with pq.ParquetFile(self._spool / f"{name}.parquet") as file:
                        for batch in file.iter_batches():
                            out.write_batch(batch)


def _texts(column: pa.Array) -> list[str | None]:
    return [None if value is None else _text(value) for value in column.to_pylist()]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _quoted(value)


def _quoted(value: Any) -> str:
    # JSON escapes control characters, so text from a paper cannot move a terminal's cursor.
    return json.dumps(value, ensure_ascii=False, default=str)


def _details(taken: pa.RecordBatch, columns: Sequence[str]) -> list[str]:
    values = [taken.column(name).to_pylist() for name in columns]
    details = []
    for row in range(taken.num_rows):
        parts = []
        for name, column in zip(columns, values, strict=True):
            text = _quoted(column[row])
            cut = text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."
            parts.append(f"{name}={cut}")
        details.append(", ".join(parts))
    return details


def _years(taken: pa.RecordBatch) -> pa.Array:
    import pyarrow as pa

    names = taken.schema.names
    if "year" in names and pa.types.is_integer(taken.schema.field("year").type):
        return taken.column("year").cast(pa.int32(), safe=False)
    return pa.nulls(taken.num_rows, pa.int32())
