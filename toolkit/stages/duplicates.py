"""Find the near-duplicates of the items in workers, in pieces that a killed run does not repeat.

Three kinds of pieces, in a folder that goes when the step is done. Every shard of items is
signed: the digest of each text and one number for each of its bands. From these this process
proposes pairs. The texts of proposed items, and no others, are then gathered shard by shard,
those of one cluster side by side; last, batches of pairs are compared, each of which reads two
tiles of gathered texts at most.

Measured: this process holds 57 bytes an item for its digest, 120 more while it looks at one band
after the other, and some 120 a proposed pair. A worker holds the proposed texts of one shard, or
two tiles of texts and their shingles (35 MB).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.recipe.splits_section import NearDuplicates
from toolkit.splits.near_duplicates import (
    Pair,
    band_keys,
    bands,
    digests,
    document,
    propose,
    signatures,
    similarities,
)
from toolkit.stages.context import Context
from toolkit.stages.light import keep_pandas_out
from toolkit.stages.slices import picked_rows
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import Shard
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["find_duplicates"]

TILE: Final = 1_000_000
"""Characters of text in a tile, unless one text alone is longer."""

BATCH: Final = 100_000
"""Most pairs that a task compares."""

_ROWS: Final = 1000


def find_duplicates(
    context: Context,
    ids: pa.ChunkedArray,
    columns: tuple[str, ...],
    params: NearDuplicates,
    folder: Path,
) -> tuple[list[Pair], list[bytes]]:
    """Find the near-duplicate pairs of the corpus.

    Args:
        context: runs the tasks; its input ``corpus`` has the items.
        ids: ids of the items, in the order of the items.
        columns: the columns whose texts are compared.
        params: what a near-duplicate is.
        folder: where pieces go; nothing in it is needed afterwards.

    Returns:
        The pairs as :func:`toolkit.splits.near_duplicates.find_pairs` gives them, and the
        digest of each item's text.
    """
    import numpy as np
    import pyarrow.compute as pc

    items = context.inputs["corpus"]
    tasks = [
        _Sign(f"near-duplicates, {shard.name}", f"{at:05d}", folder, items, shard, columns, params)
        for at, shard in enumerate(items.shards("items"))
    ]
    signed = _Signed(folder, list(context.each(_sign, tasks, "signing texts")))
    seen = signed.digests()
    order = pc.sort_indices(ids).to_numpy().astype(np.int64)
    proposals = propose(order, seen, signed.bands(params))
    jaccards = np.empty(0)
    if len(proposals.pairs):
        work = _Comparing(context, items, columns, params, folder)
        jaccards = work.jaccards(proposals.pairs, signed.characters())
    rows, values = proposals.accepted(jaccards, params.threshold)
    firsts, seconds = (ids.take(side).to_pylist() for side in rows.T)
    return sorted(map(Pair, firsts, seconds, values.tolist())), seen


@dataclass(frozen=True, slots=True)
class _Sign:
    name: str
    key: str
    folder: Path
    items: Artifact
    shard: Shard
    columns: tuple[str, ...]
    params: NearDuplicates


def _sign(task: _Sign) -> Piece:
    keep_pandas_out()
    return ensure_piece(task.folder, task.key, lambda writer: _fill_signed(task, writer))


def _fill_signed(task: _Sign, writer: PieceWriter) -> Mapping[str, Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = _band_names(task.params)
    schema = pa.schema(
        [
            ("digest", pa.binary()),
            ("characters", pa.int64()),
            *((name, pa.uint64()) for name in names),
        ]
    )

    def batches() -> Iterator[pa.RecordBatch]:
        with pq.ParquetFile(task.items.path(task.shard)) as file:
            for batch in file.iter_batches(columns=list(task.columns), batch_size=_ROWS):
                texts = _documents(batch.to_pylist(), task.columns)
                keys = band_keys(signatures(texts, task.params), task.params)
                arrays = [pa.array(digests(texts)), pa.array(list(map(len, texts)))]
                arrays += [pa.array(column) for column in keys.T]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    writer.batches("signed", schema, batches())
    return {}


def _band_names(params: NearDuplicates) -> list[str]:
    count, _ = bands(params.threshold, params.permutations)
    return [f"band_{band}" for band in range(count)]


def _documents(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> list[str]:
    return [document(row[name] for name in columns) for row in rows]


class _Signed:
    """The signed shards, read column by column: all of them would be 200 bytes an item."""

    def __init__(self, folder: Path, pieces: Sequence[Piece]) -> None:
        self._paths = [folder / shard.name for piece in pieces for shard in piece.shards]

    def digests(self) -> list[bytes]:
        found: list[bytes] = self._column("digest").to_pylist()
        return found

    def characters(self) -> NDArray[np.int64]:
        found: NDArray[np.int64] = self._column("characters").to_numpy()
        return found

    def bands(self, params: NearDuplicates) -> Iterator[NDArray[np.uint64]]:
        for name in _band_names(params):
            yield self._column(name).to_numpy()

    def _column(self, name: str) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        chunks: list[Any] = []
        for path in self._paths:
            with pq.ParquetFile(path) as file:
                chunks += file.read(columns=[name])[name].chunks
        return pa.chunked_array(chunks)


def _ranked(pairs: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Order the proposed texts so that those of one cluster stand side by side.

    Returns:
        Positions of the texts by rank, and the pairs as ranks, shape (m, 2), low one first.
    """
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    texts, nodes = np.unique(pairs, return_inverse=True)
    nodes = nodes.reshape(pairs.shape)
    links = (np.ones(len(pairs), dtype=np.int8), (nodes[:, 0], nodes[:, 1]))
    _, cluster = connected_components(coo_array(links, shape=(len(texts),) * 2), directed=False)
    order = np.argsort(cluster, kind="stable")
    rank = np.empty(len(texts), dtype=np.int64)
    rank[order] = np.arange(len(texts))
    return texts[order], np.sort(rank[nodes], axis=1)


@dataclass(frozen=True, slots=True)
class _Comparing:
    """Gathers the texts of pairs and compares them, batch by batch.

    A text's rank is its place among the proposed texts, clusters one after the other; so most
    pairs lie within one tile of successive ranks, and most texts are read for one batch.
    """

    context: Context
    items: Artifact
    columns: tuple[str, ...]
    params: NearDuplicates
    folder: Path

    def jaccards(
        self, pairs: NDArray[np.int64], characters: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the similarity of each pair of positions."""
        import numpy as np

        texts, ranks = _ranked(pairs)
        places = self._gather(texts)
        size = characters[texts]
        tile = ((np.cumsum(size) - size) // TILE)[ranks]
        order = np.lexsort((ranks[:, 1], ranks[:, 0], tile[:, 1], tile[:, 0]))
        tasks = [self._task(batch, texts, places) for batch in _batches(ranks[order], tile[order])]
        pieces = self.context.each(_compare, tasks, "comparing texts")
        found = np.empty(len(pairs))
        found[order] = np.concatenate([_values(self.folder, piece) for piece in pieces])
        return found

    def _gather(self, texts: NDArray[np.int64]) -> _Places:
        import numpy as np

        tasks: list[_Gather] = []
        file = np.empty(len(texts), dtype=np.int64)
        row = np.empty(len(texts), dtype=np.int64)
        start = 0
        for shard in self.items.shards("items"):
            mine = np.flatnonzero((texts >= start) & (texts < start + shard.rows))
            if len(mine):
                file[mine], row[mine] = len(tasks), np.arange(len(mine))
                rows = texts[mine] - start
                name = f"near-duplicates, texts of {shard.name}"
                key = f"texts-{start:010d}-{_digest(rows)}"
                tasks.append(_Gather(name, key, self.folder, self.items, shard, self.columns, rows))
            start += shard.rows
        pieces = self.context.each(_gather, tasks, "gathering texts")
        return _Places([_path(self.folder, piece) for piece in pieces], file, row)

    def _task(
        self, batch: NDArray[np.int64], texts: NDArray[np.int64], places: _Places
    ) -> _Compare:
        import numpy as np

        ranks, pairs = np.unique(batch, return_inverse=True)
        pairs = pairs.reshape(batch.shape)
        key = f"pairs-{_digest(texts[ranks], pairs)}"
        name = f"near-duplicates, {len(pairs)} pairs"
        return _Compare(name, key, self.folder, places.of(ranks), pairs, self.params.shingle)


def _digest(*arrays: NDArray[np.int64]) -> str:
    # In the names of pieces: one that another version cut differently is never taken for this.
    return blake2b(b"".join(array.tobytes() for array in arrays), digest_size=16).hexdigest()


def _batches(ranks: NDArray[np.int64], tiles: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Cut sorted pairs where one of their tiles changes, and where a batch is full."""
    import numpy as np

    edges = np.flatnonzero((tiles[1:] != tiles[:-1]).any(axis=1)) + 1
    for part in np.split(ranks, edges):
        for first in range(0, len(part), BATCH):
            yield part[first : first + BATCH]


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the gathered texts are: a file and a row for each rank."""

    paths: list[Path]
    file: NDArray[np.int64]
    row: NDArray[np.int64]

    def of(self, ranks: NDArray[np.int64]) -> tuple[_Part, ...]:
        """Return the rows to read for ascending ranks, file by file."""
        import numpy as np

        file = self.file[ranks]
        parts: list[_Part] = []
        for number in np.unique(file).tolist():
            at = np.flatnonzero(file == number)
            parts.append(_Part(self.paths[number], self.row[ranks[at]], at))
        return tuple(parts)


@dataclass(frozen=True, slots=True)
class _Part:
    """Ascending rows of one file of texts, and their places among a batch's texts."""

    path: Path
    rows: NDArray[np.int64]
    at: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Gather:
    name: str
    key: str
    folder: Path
    items: Artifact
    shard: Shard
    columns: tuple[str, ...]
    rows: NDArray[np.int64]


def _gather(task: _Gather) -> Piece:
    keep_pandas_out()
    return ensure_piece(task.folder, task.key, lambda writer: _fill_texts(task, writer))


def _fill_texts(task: _Gather, writer: PieceWriter) -> Mapping[str, Any]:
    import numpy as np
    import pyarrow as pa

    ascending = np.argsort(task.rows)
    rows = picked_rows(
        task.items.path(task.shard), task.rows[ascending].tolist(), list(task.columns)
    )
    texts = pa.array(_documents(rows, task.columns), pa.large_string())
    writer.table("texts", pa.table({"text": texts.take(np.argsort(ascending))}))
    return {}


@dataclass(frozen=True, slots=True)
class _Compare:
    name: str
    key: str
    folder: Path
    parts: tuple[_Part, ...]
    pairs: NDArray[np.int64]
    shingle: int


def _compare(task: _Compare) -> Piece:
    keep_pandas_out()
    return ensure_piece(task.folder, task.key, lambda writer: _fill_jaccards(task, writer))


def _fill_jaccards(task: _Compare, writer: PieceWriter) -> Mapping[str, Any]:
    import pyarrow as pa

    texts: dict[int, str] = {}
    for part in task.parts:
        rows = picked_rows(part.path, part.rows.tolist(), ["text"])
        texts.update(zip(part.at.tolist(), (row["text"] for row in rows), strict=True))
    values = similarities(task.pairs, texts.__getitem__, task.shingle)
    writer.table("jaccards", pa.table({"jaccard": values}))
    return {}


def _values(folder: Path, piece: Piece) -> NDArray[np.float64]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(_path(folder, piece)) as file:
        values: NDArray[np.float64] = file.read()["jaccard"].to_numpy()
    return values


def _path(folder: Path, piece: Piece) -> Path:
    return folder / piece.shards[0].name
