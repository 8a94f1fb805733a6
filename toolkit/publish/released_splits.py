"""The released split of each item as a file, so that the next version keeps it."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.errors import UserError
from toolkit.hub.repository import Repository
from toolkit.hub.tree import download
from toolkit.publish.head import look
from toolkit.publish.items import split_of_items
from toolkit.store.atomic import replacing

if TYPE_CHECKING:
    from toolkit.hub.client import Client
    from toolkit.publish.source import Source

__all__ = ["write_released_splits"]


def write_released_splits(client: Client, source: Source, path: Path) -> int:
    """Write ``item_id,split`` of the newest published version, for ``splits.frozen``.

    Returns:
        The number of items.

    Raises:
        UserError: nothing is published yet, or the file is no ``.csv``.
        RunError: the Hub cannot be reached.
    """
    if path.suffix != ".csv":
        raise UserError(f"{path} is no .csv file", hint="write e.g. released.csv")
    repository = Repository("dataset", source.dataset)
    head = look(client, repository)
    shards = head.shards(source.publish.config)
    if head.commit is None or not shards:
        raise UserError(f"{repository} has no released split yet", hint="publish a first version")
    with tempfile.TemporaryDirectory(prefix="toolkit-splits-") as scratch:
        download(client, repository, head.commit, shards, Path(scratch))
        found = split_of_items(Path(scratch), shards)
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([("item_id", "split"), *sorted(found.items())])
    return len(found)
