"""Write what was rebuilt: Parquet splits that ``datasets`` loads, a note, and what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.corpus.journal_table import JournalTable
from toolkit.corpus.journals import join_journals
from toolkit.gate.column_types import features
from toolkit.rebuild.release import Released
from toolkit.rebuild.rows import Reject, Restorer
from toolkit.release.front_matter import SplitInfo
from toolkit.release.markdown import escape
from toolkit.release.shards import GROUP_ROWS
from toolkit.report.text import plural
from toolkit.store.atomic import replacing, write_text

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["REJECTS_FILE", "write_card", "write_rejects", "write_split"]

REJECTS_FILE: Final = "rejects.jsonl"

POLICY: Final[Mapping[str, str]] = {
    "drop": "Records revised since the release are left out, so that every text here is the "
    "one that was released.",
    "keep": "Records revised since the release stand here as they are now; the column `rebuilt` "
    "says `revised`.",
    "stop": "No record was revised since the release: a rebuild that finds one stops.",
}


def write_split(
    release: Released,
    split: str,
    restorer: Restorer,
    journals: JournalTable | None,
    out: Path,
) -> SplitInfo | None:
    """Write a split as one shard.

    Returns:
        What was written; None where no row could be made, because ``datasets`` loads no
        configuration that has an empty split.
    """
    import pyarrow.parquet as pq

    path = out / release.config / f"{split}-00000-of-00001.parquet"
    rows = size = 0
    schema = _schema(restorer.schema, journals)
    with (
        replacing(path) as temporary,
        pq.ParquetWriter(temporary, schema, compression="zstd", version="2.6") as file,
    ):
        for table in _tables(release, split, restorer, journals):
            file.write_table(table.select(schema.names).cast(schema))
            rows += table.num_rows
            size += table.nbytes
        file.close()
    if rows == 0:
        path.unlink()
        return None
    return SplitInfo(name=split, rows=rows, num_bytes=size, file_bytes=path.stat().st_size, files=1)


def write_rejects(rejects: Sequence[Reject], out: Path) -> None:
    """Write one JSON object a line, in the order of the release."""
    lines = [json.dumps(asdict(reject), sort_keys=True) + "\n" for reject in rejects]
    write_text(out / REJECTS_FILE, "".join(lines))


def write_card(
    release: Released,
    restorer: Restorer,
    infos: Sequence[SplitInfo],
    journals: JournalTable | None,
    out: Path,
    revised: str,
) -> None:
    """Write the README that tells ``datasets`` where the splits are, and people what they are."""
    import yaml

    columns = features(_schema(restorer.schema, journals))
    front: dict[str, Any] = {
        "configs": [
            {
                "config_name": release.config,
                "default": True,
                "data_files": [
                    {"split": info.name, "path": f"{release.config}/{info.name}-*.parquet"}
                    for info in infos
                ],
            }
        ],
        "dataset_info": [
            {
                "config_name": release.config,
                "features": columns,
                "splits": [
                    {"name": info.name, "num_bytes": info.num_bytes, "num_examples": info.rows}
                    for info in infos
                ],
                "download_size": sum(info.file_bytes for info in infos),
                "dataset_size": sum(info.num_bytes for info in infos),
            }
        ],
    }
    version = f", version {release.version}" if release.version else ""
    gone = sum(not reject.kept for reject in restorer.rejects)
    rows = sum(info.rows for info in infos)
    body = f"""
# {escape(release.name)}{escape(version)}, rebuilt

{plural(rows, "item")} rebuilt, {gone} left out; `{REJECTS_FILE}` says which and why.
{POLICY[revised]}

The column `rebuilt` is `verified` where the sha256 of input and conclusion are those of the
release, `released` where the release holds the texts itself, and `input` in a split whose
references are not released.

The texts are here for your own use under the terms of their holders. Do not publish this folder.
"""
    text = yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=100)
    write_text(out / "README.md", f"---\n{text}---\n{body}")


def _schema(schema: pa.Schema, journals: JournalTable | None) -> pa.Schema:
    if journals is None:
        return schema
    joined, _ = join_journals(schema.empty_table(), journals)
    return joined.schema


def _tables(
    release: Released, split: str, restorer: Restorer, journals: JournalTable | None
) -> Iterator[pa.Table]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for path in release.shards(split):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(GROUP_ROWS):
                rows = restorer.restore(batch.to_pylist(), split)
                if rows:
                    table = pa.Table.from_pylist(rows, schema=restorer.schema)
                    yield table if journals is None else join_journals(table, journals)[0]
