"""The configuration ``leaderboard``: a split a version of the benchmark, one schema for all."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.errors import UserError
from toolkit.results.board import Board, Entry
from toolkit.results.coverage import asked
from toolkit.store.atomic import replacing

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CONFIG", "split_name", "write_parquet"]

CONFIG: Final = "leaderboard"
"""Name of the configuration."""


def write_parquet(board: Board, folder: Path) -> list[str]:
    """Write a file for each version of the benchmark that has an entry.

    A version all of whose records were withdrawn has no file: a split without rows cannot be
    loaded.

    Args:
        board: the board.
        folder: folder of the dataset repository.

    Returns:
        Names of the files, e.g. ``leaderboard/v1_0-00000-of-00001.parquet``, the newest version
        first.

    Raises:
        UserError: two versions would have one split.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    versions = [table.version for table in board.tables if table.entries]
    splits = [split_name(version) for version in versions]
    twice = sorted({split for split in splits if splits.count(split) > 1})
    if twice:
        raise UserError(
            f"several versions of the benchmark would have the split {', '.join(twice)}",
            hint="versions differ in more than their punctuation, e.g. 1.0 and 1.1",
        )
    schema = _schema()
    names = []
    for table in board.tables:
        if not table.entries:
            continue
        headline = {(task.score, task.prompt): task.id for task in board.tasks}
        rows = [_row(table.version, headline, entry) for entry in table.entries]
        name = f"{CONFIG}/{split_name(table.version)}-00000-of-00001.parquet"
        with replacing(folder / name) as temporary:
            pq.write_table(pa.Table.from_pylist(rows, schema=schema), temporary, compression="zstd")
        names.append(name)
    return names


def split_name(version: str) -> str:
    """Return the split of a version: ``v1_0`` for 1.0; ``datasets`` allows word characters."""
    return "v" + re.sub(r"\W", "_", version, flags=re.ASCII)


def _row(version: str, headline: dict[tuple[str, str], str], entry: Entry) -> dict[str, Any]:
    result, number = entry.result, entry.number
    return {
        "benchmark_version": version,
        "data_split": result.split,
        "prompt_mode": entry.mode,
        "score": number.score,
        "score_title": number.title,
        "task": headline.get((number.score, entry.mode), ""),
        "metric": number.metric,
        "judges": list(number.judges),
        "direction": number.direction,
        "target": number.target,
        "model": result.model.name,
        "model_title": result.model.title,
        "kind": result.model.kind,
        "hub_id": result.model.hub_id,
        "revision": result.model.revision,
        "prompt": result.prompt,
        "rank": entry.rank,
        "rank_low": entry.rank_low,
        "rank_high": entry.rank_high,
        "unranked": entry.unranked,
        "value": number.value,
        "low": number.low,
        "high": number.high,
        "level": number.level,
        "n": number.n,
        "asked": asked(result),
        "missing": number.missing,
        "reason": number.reason,
        "tier": result.tier,
        "submitter": result.submitter,
        "date": result.date,
        "record": result.record_id,
        "signature": number.signature,
    }


def _schema() -> pa.Schema:
    import pyarrow as pa

    text, real, whole = pa.string(), pa.float64(), pa.int64()
    kinds = {
        "judges": pa.list_(text),
        **dict.fromkeys(("target", "value", "low", "high", "level"), real),
        **dict.fromkeys(("rank", "rank_low", "rank_high", "n", "asked", "missing"), whole),
    }
    return pa.schema([(name, kinds.get(name, text)) for name in _COLUMNS])


_COLUMNS: Final = (
    "benchmark_version",
    "data_split",
    "prompt_mode",
    "score",
    "score_title",
    "task",
    "metric",
    "judges",
    "direction",
    "target",
    "model",
    "model_title",
    "kind",
    "hub_id",
    "revision",
    "prompt",
    "rank",
    "rank_low",
    "rank_high",
    "unranked",
    "value",
    "low",
    "high",
    "level",
    "n",
    "asked",
    "missing",
    "reason",
    "tier",
    "submitter",
    "date",
    "record",
    "signature",
)
