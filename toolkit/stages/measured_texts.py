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
from typing import TYPE_CHECKING, Any, Final

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

ID_BYTES: Final = 16

_OPEN_FILES: Final = 64
"""Pieces of one artifact that are mapped at once: each holds a file open."""


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


@lru_cache(maxsize=4)
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
    """Looks results up by text.

    Attributes:
        measurer: the fingerprint of what measured them.
    """

    def __init__(self, artifact: Artifact) -> None:
        self._artifact = artifact
        self.measurer = artifact.manifest.facts["measurer"]
        self._shards = artifact.shards("measured")
        self._size = int(artifact.manifest.facts["piece_texts"])
        self._maps: dict[int, pa.RecordBatch] = {}

    def of(self, texts: Sequence[str], measurer: Measurer) -> dict[str, Any]:
        """Return what was found of each text, by text.

        Raises:
            StoreError: a text is not among those measured.
        """
        found = self.find(texts, measurer)
        for text in texts:
            if text not in found:
                raise StoreError(
                    f"{self._artifact.folder}: a text that is to be scored was not measured: "
                    f"'{text[:60]}'",
                    hint="delete the folder; the next run builds it again",
                )
        return found

    def find(self, texts: Sequence[str], measurer: Measurer) -> dict[str, Any]:
        """Return what was found of those texts that were measured, by text.

        Raises:
            StoreError: a file is missing or damaged.
        """
        import numpy as np

        distinct = sorted(set(texts))
        ids = np.frombuffer(b"".join(map(text_id, distinct)), dtype=f"S{ID_BYTES}")
        places, known = self._places(ids)
        here = np.flatnonzero(known)
        rows = self._index[1][places[here]].astype(np.int64)
        found: dict[str, Any] = {}
        for piece in np.unique(rows // self._size).tolist():
            mine = np.flatnonzero(rows // self._size == piece)
            results = measurer.unpack(self._take(piece, rows[mine] - piece * self._size))
            found |= {distinct[at]: one for at, one in zip(here[mine], results, strict=True)}
        return found

    def holds(self, ids: NDArray[np.bytes_]) -> NDArray[np.bool_]:
        """Return of each id whether its text was measured."""
        return self._places(ids)[1]

    def _places(self, wanted: NDArray[np.bytes_]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        import numpy as np

        ids, _ = self._index
        places = np.searchsorted(ids, wanted)
        known = places < len(ids)
        known[known] = ids[places[known]] == wanted[known]
        return places, known

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
            if len(self._maps) == _OPEN_FILES:
                # The one opened first: texts are mostly asked for in the order of the pieces.
                self._maps.pop(next(iter(self._maps)))
            self._maps[piece] = _mapped(self._artifact.path(self._shards[piece]))
        return pa.Table.from_batches([self._maps[piece].take(pa.array(rows))])


def _mapped(path: Path) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.ipc.open_file(pa.memory_map(str(path))).get_batch(0)
