"""What a source is: parts that workers read side by side, and one merge over their keys.

A run calls, in this order: ``resolve`` once, in the process that knows the secrets (the only
step that uses a network: it leaves files on disk), ``parts`` and ``schema`` once, ``read``
once a part in any process and any order, ``merge`` once over all results in the order of the
parts, then :func:`surviving` and :func:`dropped` part by part. Nothing depends on which worker
reads which part, or when.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, runtime_checkable

from toolkit.errors import SourceError
from toolkit.records import arrow_schema
from toolkit.store.atomic import replacing
from toolkit.store.parquet import read_parquet

if TYPE_CHECKING:
    from types import TracebackType

    import pyarrow as pa
    import pyarrow.parquet as pq

__all__ = [
    "ROW_GROUP",
    "Part",
    "PartResult",
    "PartWriter",
    "RemoteSource",
    "Source",
    "dropped",
    "find_files",
    "keys_schema",
    "surviving",
]

ROW_GROUP = 2048
"""Most rows in a row group and in a batch held in memory."""


@dataclass(frozen=True, slots=True)
class Part:
    """One unit of parallel reading.

    Attributes:
        name: unique within the source, and the same on every machine.
        path: the file to read, None when the part is no local file.
        options: what else ``read`` needs, as text.
    """

    name: str
    path: Path | None = None
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PartResult:
    """What ``read`` made of a part: three finished Parquet files and counts.

    Attributes:
        part: name of the part.
        items: rows that passed every rule that looks at one row, in the order of the part.
        rejects: rows that did not, in the columns of ``REJECT``.
        keys: what :func:`keys_schema` says, for ``merge``.
        rows: rows in ``items``.
        rejected: rows in ``rejects``; rows + rejected = rows of the input.
        counts: what else was seen, by name; sums over parts are meaningful.
        problem: why the whole part was skipped; empty when it was read.
    """

    part: str
    items: Path
    rejects: Path
    keys: Path
    rows: int
    rejected: int
    counts: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""


@runtime_checkable
class Source(Protocol):
    """A kind of raw data; picklable, so that it travels to workers."""

    name: ClassVar[str]
    version: ClassVar[int]
    remote: ClassVar[bool]
    Params: ClassVar[type]

    def __init__(self, params: Any, base: Path) -> None: ...

    def resolve(self, cache: Path, secrets: Mapping[str, str]) -> Source:
        """Return the source with everything fetched that a network holds.

        Args:
            cache: a folder of the source's own, kept between runs; fetched files stand there.
            secrets: values of the environment variables that the parameters name.

        Raises:
            SourceError: the other side refuses, or holds nothing or too much.
            MissingError: the network or a secret is missing.
        """

    def facts(self) -> dict[str, Any]:
        """Return the JSON values that ``resolve`` pinned: a commit, a query's ids, ..."""

    def inputs(self) -> tuple[Path, ...]:
        """Return the files besides the parts whose bytes can change the items."""

    def parts(self) -> tuple[Part, ...]:
        """Return the parts in canonical order, whatever the order of the parameters.

        Raises:
            SourceError: patterns that match nothing, all of them listed; or a remote source
                was not resolved.
        """

    def schema(self) -> pa.Schema:
        """Return the schema of the items, ``item_id`` first; may scan the data."""

    def read(self, part: Part, out: Path, schema: pa.Schema) -> PartResult:
        """Stream a part into Parquet files under ``out``; safe to repeat.

        Nothing stands under a final name before the whole part was read cleanly.

        Raises:
            SourceError: the part is damaged and the parameters do not say to skip it.
        """

    def merge(self, results: Sequence[PartResult]) -> dict[str, pa.Table]:
        """Decide which items go once all parts are known.

        Args:
            results: one a part, in the order of :meth:`parts`.

        Returns:
            For each part that loses items, a table of ``row`` (0-based in the part's items,
            ascending), ``reason`` and ``detail``.
        """


@runtime_checkable
class RemoteSource(Source, Protocol):
    """A source that lies on a network; ``remote`` is True."""

    def asks(self) -> dict[str, Any]:
        """Return the parameters that decide what ``resolve`` asks for, as JSON.

        Sources that ask the same are resolved once, whatever rules they apply to the answer.
        """


def keys_schema() -> pa.Schema:
    """Return the columns of a keys file.

    ``key`` identifies the item as 64 bits (the PMID itself, or a hash of the id); ``row`` is
    its row in the part's items, or -1 when the part holds none; ``doi`` and ``title`` are
    64-bit hashes, 0 for none. A row of version -1 deletes its key.
    """
    import pyarrow as pa

    return pa.schema(
        [
            ("key", pa.uint64()),
            ("version", pa.int32()),
            ("row", pa.int32()),
            ("position", pa.int64()),
            ("doi", pa.uint64()),
            ("title", pa.uint64()),
        ]
    )


class PartWriter:
    """Writes the three files of a part; a part that fails leaves none of them.

    Use it as a context manager and take :meth:`result` after the block.
    """

    def __init__(self, part: str, out: Path, schema: pa.Schema) -> None:
        self._part = part
        self._tables = (("items", schema), ("rejects", arrow_schema("rejects")))
        self._paths = {name: out / f"{name}.parquet" for name in ("items", "rejects", "keys")}
        self._rows = dict.fromkeys(self._paths, 0)
        self._pending: dict[str, list[pa.RecordBatch]] = {name: [] for name in self._paths}
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        import pyarrow.parquet as pq

        for name, schema in (*self._tables, ("keys", keys_schema())):
            temporary = self._stack.enter_context(replacing(self._paths[name]))
            writer = pq.ParquetWriter(
                temporary, schema, compression="zstd", compression_level=1, version="2.6"
            )
            self._writers[name] = self._stack.enter_context(writer)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                for name in self._paths:
                    self._flush(name)
        except BaseException as failure:
            self._stack.__exit__(type(failure), failure, failure.__traceback__)
            raise
        self._stack.__exit__(kind, error, trace)

    @property
    def rows(self) -> int:
        """How many items were written so far: the row of the next one."""
        return self._rows["items"]

    def items(self, batch: pa.RecordBatch) -> None:
        """Append items in the schema of the part."""
        self._append("items", batch)

    def rejects(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Append rejects as rows of ``REJECT``."""
        import pyarrow as pa

        if rows:
            schema = arrow_schema("rejects")
            self._append("rejects", pa.RecordBatch.from_pylist(list(rows), schema=schema))

    def keys(self, columns: Mapping[str, Iterable[Any]]) -> None:
        """Append keys as columns; absent columns are 0."""
        import pyarrow as pa

        schema = keys_schema()
        given = {name: list(values) for name, values in columns.items()}
        count = len(given["key"])
        arrays = [pa.array(given.get(f.name, [0] * count), f.type) for f in schema]
        self._append("keys", pa.RecordBatch.from_arrays(arrays, schema=schema))

    def result(self, counts: Mapping[str, int] | None = None, problem: str = "") -> PartResult:
        """Describe the finished files."""
        return PartResult(
            part=self._part,
            items=self._paths["items"],
            rejects=self._paths["rejects"],
            keys=self._paths["keys"],
            rows=self._rows["items"],
            rejected=self._rows["rejects"],
            counts=dict(sorted((counts or {}).items())),
            problem=problem,
        )

    def _append(self, name: str, batch: pa.RecordBatch) -> None:
        if batch.num_rows == 0:
            return
        self._pending[name].append(batch)
        self._rows[name] += batch.num_rows
        if sum(b.num_rows for b in self._pending[name]) >= ROW_GROUP:
            self._flush(name)

    def _flush(self, name: str) -> None:
        import pyarrow as pa

        if self._pending[name]:
            table = pa.Table.from_batches(self._pending[name])
            self._writers[name].write_table(table, row_group_size=ROW_GROUP)
            self._pending[name] = []


def find_files(patterns: Sequence[str], base: Path) -> tuple[Path, ...]:
    """Expand file names and glob patterns.

    Args:
        patterns: names or globs (``*``, ``?``, ``**``), relative to ``base`` or absolute.
        base: folder that relative patterns start from.

    Returns:
        Existing files, each once, sorted by path.

    Raises:
        SourceError: patterns that match no file or files that are empty, all of them listed;
            or two files of the same name.
    """
    found: set[Path] = set()
    faults: list[str] = []
    for pattern in patterns:
        # A file may have brackets or stars in its very name.
        literal = base / pattern
        names = (
            [str(literal)]
            if literal.is_file()
            else glob.glob(pattern, root_dir=base, recursive=True)  # noqa: PTH207 (may be absolute)
        )
        files = [path for name in names if (path := base / name).is_file()]
        if not files:
            faults.append(f"'{pattern}' matches no file in {base}")
        faults += [f"'{path}' is empty" for path in sorted(files) if path.stat().st_size == 0]
        found.update(files)
    if not patterns:
        faults.append("no file is named")
    if faults:
        raise SourceError(
            "the source's files cannot be read:\n" + "\n".join(f"  {fault}" for fault in faults),
            hint="correct `corpus.files`; names are relative to the recipe's folder",
        )
    _refuse_namesakes(found)
    return tuple(sorted(found))


def _refuse_namesakes(paths: Iterable[Path]) -> None:
    # Items and rejects say which file they came from by its name alone.
    names: dict[str, Path] = {}
    for path in sorted(paths):
        first = names.setdefault(path.name, path)
        if first != path:
            raise SourceError(
                f"two files are called '{path.name}': {first} and {path}",
                hint="rename one of them; items name their file without its folder",
            )


def surviving(
    result: PartResult, drops: pa.Table | None, columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Read a part's items without those that ``merge`` dropped.

    Args:
        result: the part.
        drops: its table from ``merge``, None when it loses nothing.
        columns: the columns wanted; None for all.
    """
    import numpy as np
    import pyarrow.parquet as pq

    gone = drops["row"].to_numpy() if drops is not None else np.empty(0, np.int64)
    start = 0
    with pq.ParquetFile(result.items) as file:
        names = None if columns is None else list(columns)
        for batch in file.iter_batches(batch_size=ROW_GROUP, columns=names):
            keep = np.ones(batch.num_rows, bool)
            low, high = np.searchsorted(gone, [start, start + batch.num_rows])
            keep[gone[low:high] - start] = False
            start += batch.num_rows
            yield batch if keep.all() else batch.filter(keep)


def dropped(result: PartResult, drops: pa.Table | None) -> pa.Table:
    """Return the rejects of the items that ``merge`` dropped, in the columns of ``REJECT``.

    Args:
        result: the part.
        drops: its table from ``merge``, None when it loses nothing.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    schema = arrow_schema("rejects")
    if drops is None or drops.num_rows == 0:
        return schema.empty_table()
    names = pq.read_schema(result.items).names
    wanted = [name for name in ("item_id", "year", "source_file") if name in names]
    rows = read_parquet(result.items, wanted).take(drops["row"])
    keys = read_parquet(result.keys, ["row", "position"])
    keys = keys.filter(pc.greater_equal(keys["row"], 0)).sort_by("row")
    columns = {
        "item_id": rows["item_id"],
        "reason": drops["reason"],
        "detail": drops["detail"],
        "position": keys["position"].take(drops["row"]),
        "source_file": pa.array([result.part] * drops.num_rows, pa.string()),
        **{name: rows[name] for name in wanted},
    }
    # A user's own column called year may hold anything; ours is a number or nothing.
    if "year" not in columns or not pa.types.is_integer(columns["year"].type):
        columns["year"] = pa.nulls(drops.num_rows, pa.int32())
    arrays = [columns[f.name].cast(f.type) for f in schema]
    return pa.table(arrays, schema=schema)
