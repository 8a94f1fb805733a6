"""What a published commit must turn out to be when it is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.gate.column_types import features
from toolkit.gate.front_matter import parse_card
from toolkit.release.content import ColumnDigests
from toolkit.release.read_back import Block, ExpectedSplit, Published, read_back_published

if TYPE_CHECKING:
    from toolkit.hub.client import Client

__all__ = ["expected_splits", "load_again"]


def expected_splits(folder: Path, names: Sequence[str]) -> list[ExpectedSplit]:
    """Return the splits of a staged folder in the order of its card, with their contents.

    Args:
        folder: holds the card and the shards it names.
        names: the files of the folder that are published.
    """
    from fnmatch import fnmatchcase

    card = parse_card((folder / "README.md").read_text(encoding="utf-8"))
    found = []
    for config in card["configs"]:
        for entry in config["data_files"]:
            mine = sorted(name for name in names if fnmatchcase(name, entry["path"]))
            found.append(_split(folder, mine, config["config_name"], entry["split"]))
    return found


def _split(folder: Path, names: Sequence[str], config: str, split: str) -> ExpectedSplit:
    import pyarrow.parquet as pq

    blocks = []
    for name in names:
        with pq.ParquetFile(folder / name) as file:
            schema = file.schema_arrow
            digests = ColumnDigests(schema.names)
            for batch in file.iter_batches():
                digests.update(batch)
        blocks.append(Block(digests.rows, digests.result()))
    return ExpectedSplit(config=config, split=split, features=features(schema), blocks=blocks)


def load_again(
    client: Client, dataset: str, commit: str, expected: Sequence[ExpectedSplit], scratch: Path
) -> None:
    """Load a commit in a fresh process as anybody would, and compare it.

    Raises:
        RunError: it is not what was sent.
        MissingError: ``datasets`` cannot be imported.
    """
    environment = {
        "HF_ENDPOINT": client.endpoint,
        # A private dataset is read with it; the process writes it nowhere.
        "HF_TOKEN": client.token,
        # Downloads are whole files: Xet would gain nothing, and not every server has it.
        "HF_HUB_DISABLE_XET": "1",
    }
    place = Published(dataset=dataset, revision=commit, environment=environment)
    read_back_published(place, expected, scratch)
