"""``toolkit show``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from toolkit.cli.console import Console, pass_console

__all__ = ["command", "find_item"]


@click.command("show")
@click.argument("run")
@click.argument("item_id")
@pass_console
def command(console: Console, run: str, item_id: str) -> None:
    """Show an item of a run: its columns, every answer to it, every score; RUN may be latest."""
    from toolkit.errors import UserError
    from toolkit.store.workspace import find_workspace

    workspace = find_workspace(console.workspace)
    folder = workspace.run(run)
    found = list(find_item(workspace.artifacts, folder, item_id))
    if not found:
        raise UserError(
            f"run {folder.name} has no item '{item_id}'",
            hint="ids stand in leaderboard.html and in the splits of the release",
        )
    for step, table, row in found:
        console.say(f"--- {step} ({table})")
        for name, value in row.items():
            if value not in (None, "", []):
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                console.say(f"{name}: {text}")


def find_item(
    artifacts: Path, folder: Path, item_id: str
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (step, table, row) of every row of a run that is about an item."""
    import pyarrow.compute as pc

    from toolkit.cli.status import read_run
    from toolkit.store.artifact import open_artifact

    for name, step in read_run(folder)["steps"].items():
        if (
            step["stage"] not in ("corpus", "splits", "generate", "judge", "canary", "score")
            or not step["fingerprint"]
        ):
            continue
        artifact = open_artifact(artifacts / step["stage"] / step["fingerprint"][:32])
        if artifact is None:
            continue
        tables = dict.fromkeys(shard.table for shard in artifact.manifest.shards)
        for table in tables:
            # An item stands in the corpus already; its copy in a split says nothing new.
            if table.startswith("items_"):
                continue
            for batch in artifact.batches(table):
                rows = batch.filter(pc.equal(batch["item_id"], item_id))
                for row in rows.to_pylist():
                    yield name, table, row
