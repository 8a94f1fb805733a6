"""What was measured of distinct texts, on disk: found by text, a few at a time.

A finished artifact holds Arrow files that are mapped into memory, not read: the results in
pieces of equal size (``measured``), and the ids of all texts in order with the row of each
(``index``). A lookup touches the rows it asks for and little else, whatever the size of the rest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.errors import StoreError
from toolkit.metrics.measured import Measurer
from toolkit.store.artifact import Artifact, open_artifact
from toolkit.store.atomic import replacing
from toolkit.store.pieces import PieceWriter

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["ID_BYTES", "MeasuredTexts", "open_measured", "text_id", "write_mapped"]

ID_BYTES = 16


def text_id(text: str) -> bytes:
    """Return the 16 bytes that stand for a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=ID_BYTES).digest()


def write_mapped(writer: PieceWriter, folder: Path, name: str, key: str, table: pa.Table) -> None:
    """Write a table as one batch that can be mapped into memory."""
    import pyarrow as pa

    path = folder / f"{name}-{key}.arrow"
    with (
        replacing(path) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as file,
    ):
        for batch in table.combine_chunks().to_batches():
            file.write_batch(batch)
        # Closed before the rename: the footer is part of the file.
        file.close()
    writer.adopt(name, path, table.num_rows)


@lru_cache(maxsize=8)
def open_measured(folder: Path) -> MeasuredTexts:
    """Open the artifact in a folder once a process; each of its files is verified once.

    Raises:
        StoreError: there is none, or it is damaged.
    """
    artifact = open_artifact(folder)
    if artifact is None:
        raise StoreError(f"{folder}: there are no measured texts", hint="run the recipe again")
    return MeasuredTexts(artifact)


class MeasuredTexts:
    """Looks results up by text."""

    def __init__(self, artifact: Artifact) -> None:
        self._artifact = artifact
        self._shards = artifact.shards("measured")
        self._size = int(artifact.manifest.facts["piece_texts"])
        self._maps: dict[int, pa.RecordBatch] = {}

    def of(self, texts: Sequence[str], measurer: Measurer) -> dict[str, Any]:
        """Return what was found of each text, by text.

        Raises:
            StoreError: a text is not among those measured.
        """
        import numpy as np

        distinct = sorted(set(texts))
        if not distinct:
            return {}
        rows = self._rows(distinct)
        found: dict[str, Any] = {}
        for piece in np.unique(rows // self._size).tolist():
            mine = np.flatnonzero(rows // self._size == piece)
            results = measurer.unpack(self._take(piece, rows[mine] - piece * self._size))
            found |= {distinct[at]: one for at, one in zip(mine.tolist(), results, strict=True)}
        return found

    def ids(self) -> NDArray[np.bytes_]:
        """Return the ids of all texts in order, mapped into memory."""
        return self._index[0]

    def _rows(self, texts: Sequence[str]) -> NDArray[np.int64]:
        import numpy as np

        ids, rows = self._index
        wanted = np.frombuffer(b"".join(map(text_id, texts)), dtype=f"S{ID_BYTES}")
        places = np.searchsorted(ids, wanted)
        known = places < len(ids)
        known[known] = ids[places[known]] == wanted[known]
        if not known.all():
            lost = texts[int(np.flatnonzero(~known)[0])]
            raise StoreError(
                f"{self._artifact.folder}: a text that is to be scored was not measured: "
                f"'{lost[:60]}'",
                hint="delete the folder; the next run builds it again",
            )
        return rows[places].astype(np.int64)

    @cached_property
    def _index(self) -> tuple[NDArray[np.bytes_], NDArray[np.uint32]]:
        import numpy as np

        shards = self._artifact.shards("index")
        if not shards:
            return np.empty(0, dtype=f"S{ID_BYTES}"), np.empty(0, dtype=np.uint32)
        batch = _mapped(self._artifact.path(shards[0]))
        ids = np.frombuffer(batch["text_id"].buffers()[1], dtype=f"S{ID_BYTES}")
        return ids[: batch.num_rows], batch["row"].to_numpy()

    def _take(self, piece: int, rows: NDArray[np.int64]) -> pa.Table:
        import pyarrow as pa

        if piece not in self._maps:
            self._maps[piece] = _mapped(self._artifact.path(self._shards[piece]))
        return pa.Table.from_batches([self._maps[piece].take(pa.array(rows))])


def _mapped(path: Path) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.ipc.open_file(pa.memory_map(str(path))).get_batch(0)
