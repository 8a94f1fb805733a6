"""Read any table of Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from toolkit.corpus.merge import merge_rows
from toolkit.corpus.source import ROW_GROUP, Part, PartResult, PartWriter, find_files
from toolkit.corpus.table import Columns, RowWriter, batch_rows, table_schema
from toolkit.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

__all__ = ["Parquet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Params:
    files: tuple[str, ...] = field(
        metadata={"about": "files or globs", "path": True, "scalar": True}
    )
    id: str = field(default="id", metadata={"about": "column that holds the id of the item"})
    fields: Mapping[str, str] | None = field(
        default=None, metadata={"about": "item column to column of the file; default all"}
    )
    on_bad_row: Literal["stop", "reject"] = field(
        default="stop", metadata={"about": "a missing or repeated id, a NaN: stop, or reject it"}
    )


class Parquet:
    """Parquet files of one table; a column that some of them lack is null there."""

    name: ClassVar[str] = "parquet"
    version: ClassVar[int] = 1
    remote: ClassVar[bool] = False
    Params: ClassVar[type] = _Params

    def __init__(self, params: _Params, base: Path) -> None:
        self._params = params
        self._base = base
        self._columns = Columns(params.id, params.fields)

    def resolve(self, cache: Path, secrets: Mapping[str, str]) -> Parquet:
        """Return the source itself: nothing depends on a network."""
        return self

    def facts(self) -> dict[str, Any]:
        """Return nothing: the files say it all."""
        return {}

    def inputs(self) -> tuple[Path, ...]:
        """Return nothing: the parts are all there is."""
        return ()

    def parts(self) -> tuple[Part, ...]:
        """Return one part a file, by name.

        Raises:
            SourceError: patterns that match nothing, all of them listed.
        """
        files = find_files(self._params.files, self._base)
        return tuple(Part(path.name, path) for path in sorted(files, key=lambda p: p.name))

    def schema(self) -> pa.Schema:
        """Return the schema that fits all files; only their footers are read.

        Raises:
            SourceError: a file is damaged, or the files disagree about a column.
        """
        schemas = []
        for part in self.parts():
            with _opened(part) as file:
                schemas.append((part.name, file.schema_arrow))
        return table_schema(schemas, self._columns)

    def read(self, part: Part, out: Path, schema: pa.Schema) -> PartResult:
        """Stream one file into Parquet of the common schema.

        Raises:
            SourceError: the file is damaged, or a row is bad and ``on_bad_row`` is ``stop``.
        """
        fields = self._params.fields or {}
        with PartWriter(part.name, out, schema) as writer, _opened(part) as file:
            rows = RowWriter(writer, schema, part.name, stop=self._params.on_bad_row == "stop")
            wanted = [self._params.id, *(fields.get(name, name) for name in schema.names[1:])]
            present = [name for name in dict.fromkeys(wanted) if name in file.schema_arrow.names]
            start = 0
            for batch in _batches(part, file, present):
                rows.write(batch_rows(batch, self._params.id, fields, schema, start))
                start += batch.num_rows
        return writer.result()

    def merge(self, results: Sequence[PartResult]) -> dict[str, pa.Table]:
        """Reject rows that repeat an id, the first one stays.

        Raises:
            SourceError: ids repeat and ``on_bad_row`` is ``stop``.
        """
        return merge_rows(results, on_duplicate=self._params.on_bad_row)


@contextmanager
def _opened(part: Part) -> Iterator[pq.ParquetFile]:
    import pyarrow.parquet as pq

    with _damage(part):
        file = pq.ParquetFile(part.path, page_checksum_verification=True)
    with file:
        yield file


def _batches(part: Part, file: pq.ParquetFile, columns: list[str]) -> Iterator[pa.RecordBatch]:
    batches = file.iter_batches(batch_size=ROW_GROUP, columns=columns)
    while True:
        # Only reading is guarded: a full disk while writing is not the file's fault.
        with _damage(part):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


@contextmanager
def _damage(part: Part) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise SourceError(
            f"{part.path}: not a sound Parquet file: {error}",
            hint="write or fetch the file again; nothing of it was used",
        ) from error
