"""Texts that a release leaves out: under copyright, of the hidden split, or taken down since."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from toolkit.gate.copyright import kept_withheld
from toolkit.gate.levels import WITHHELD
from toolkit.gate.texts import table_texts

if TYPE_CHECKING:
    from toolkit.diff.finished_run import FinishedRun
    from toolkit.store.artifact import Artifact

__all__ = ["kept_back"]


def kept_back(run: FinishedRun, withdrawn: Collection[str]) -> Iterator[str]:
    """Yield every text of an item that the release does not hold whole.

    The rows are those that the release and the answers were made from, so an item that is in no
    released split counts as well.

    Args:
        run: a run with a release.
        withdrawn: ids of items that were taken down since.

    Raises:
        StoreError: an artifact of the run is gone or damaged.
    """
    whole = _whole(run) - set(withdrawn)
    for artifact in _sources(run):
        tables = sorted({s.table for s in artifact.manifest.shards if s.table.startswith("items")})
        if sum(artifact.manifest.rows(table) for table in tables) == len(whole):
            continue
        for table in tables:
            yield from _texts(artifact, table, whole)


def _whole(run: FinishedRun) -> set[str]:
    """Return the ids of released items of which no text was left out."""
    import pyarrow.parquet as pq

    release = run.artifact("release")
    found: set[str] = set()
    for shard in release.shards("release"):
        if not shard.name.endswith(".parquet"):
            continue
        with pq.ParquetFile(release.path(shard)) as file:
            names = [name for name in ("item_id", WITHHELD) if name in file.schema_arrow.names]
            for row in file.read(columns=names).to_pylist():
                if row.get(WITHHELD) is None:
                    found.add(str(row["item_id"]))
    return found


def _sources(run: FinishedRun) -> Iterator[Artifact]:
    """Yield what the release and the answers were made from."""
    steps = [run.steps["release"], *(s for s in run.steps.values() if s["stage"] == "generate")]
    for name in sorted({name for step in steps for name in step["inputs"]}):
        yield run.artifact(name)


def _texts(artifact: Artifact, table: str, whole: Collection[str]) -> Iterator[str]:
    import pyarrow as pa

    for batch in artifact.batches(table):
        rows = pa.Table.from_batches([batch])
        ids = rows["item_id"].to_pylist()
        left = rows.filter(pa.array([str(item) not in whole for item in ids], pa.bool_()))
        for texts in table_texts(left):
            if pa.types.is_large_string(texts.values.type) and not kept_withheld(
                texts.column.split(".")[0]
            ):
                yield from (text for text in texts.values.to_pylist() if text)
