"""The process that loads a release as a user would, and says what it found."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.gate.column_types import features
from toolkit.release.content import ColumnDigests
from toolkit.store.atomic import write_json

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["main"]

_ROWS = 1000


def main(request: str, reply: str) -> None:
    """Answer one request; both are JSON files."""
    asked = json.loads(Path(request).read_text(encoding="utf-8"))
    warnings.simplefilter("ignore")
    try:
        import datasets
    except ImportError as error:
        write_json(Path(reply), {"missing": f"{type(error).__name__}: {error}"})
        return
    datasets.disable_progress_bars()
    try:
        splits = list(_splits(datasets, asked))
    except Exception as error:  # noqa: BLE001 - whatever datasets raises, the parent must hear it
        write_json(Path(reply), {"error": _chain(error)})
        return
    write_json(Path(reply), {"splits": splits})


def _splits(datasets: Any, asked: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    blocks = {
        (split["config"], split["split"]): [block["rows"] for block in split["blocks"]]
        for split in asked["splits"]
    }
    repository, revision = asked["repository"], asked["revision"]
    for config in datasets.get_dataset_config_names(repository, revision=revision):
        loaded = datasets.load_dataset(repository, config, revision=revision)
        for name, split in loaded.items():
            yield {
                "config": config,
                "split": str(name),
                "rows": split.num_rows,
                "features": features(split.features.arrow_schema),
                "blocks": _digests(split, blocks.get((config, str(name)), [])),
            }


def _digests(split: Any, rows: Sequence[int]) -> list[dict[str, str]]:
    found = []
    start = 0
    for count in rows:
        digests = ColumnDigests(split.column_names)
        end = min(start + count, split.num_rows)
        for batch in _tables(split, start, end):
            digests.update(batch)
        found.append(digests.result())
        start = end
    return found


def _tables(split: Any, start: int, end: int) -> Iterator[pa.Table]:
    arrow = split.with_format("arrow")
    for at in range(start, end, _ROWS):
        yield arrow[at : min(at + _ROWS, end)]


def _chain(error: BaseException) -> str:
    """Return an error and its causes: datasets wraps the one that says what is wrong."""
    lines = []
    found: BaseException | None = error
    while found is not None:
        lines.append(f"{type(found).__name__}: {found}")
        found = found.__cause__ or found.__context__
    return "; caused by ".join(lines)
