"""What a finished artifact says of itself: its shards with checksums, counts and facts.

A manifest holds no time, host, path or duration, so that equal inputs give equal bytes. It holds
the checksum of all else it says, because its facts are read by other stages like any rows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from toolkit.errors import StoreError
from toolkit.records import SCHEMA_VERSION
from toolkit.store.atomic import write_json
from toolkit.store.canonical import canonical_json, digest

__all__ = ["Manifest", "Shard", "read_manifest", "write_manifest"]


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of an artifact.

    Attributes:
        name: file name inside the artifact's folder.
        table: which of the artifact's tables it belongs to.
        rows: number of rows; 0 for a file that is not a table.
        bytes: size of the file.
        sha256: checksum of its bytes, 64 hex digits.
    """

    name: str
    table: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A finished artifact.

    Attributes:
        step: name of the step in the plan, for people.
        stage: the stage that made it.
        fingerprint: 64 hex digits; the folder's name starts with them.
        inputs: fingerprints of the artifacts it was made from.
        access: the strictest access of its sources: open, restricted or credentialed.
        shards: its files in order.
        facts: counts, funnels and notes, as JSON.
        schema_version: version of this layout.
    """

    step: str
    stage: str
    fingerprint: str
    inputs: tuple[str, ...]
    access: str
    shards: tuple[Shard, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    schema_version: int = SCHEMA_VERSION

    def rows(self, table: str) -> int:
        """Return how many rows a table has over all its shards."""
        return sum(shard.rows for shard in self.shards if shard.table == table)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write ``manifest.json``; the artifact is complete from here on."""
    # As it will be read: JSON turns keys into text, and text sorts in another order.
    data = json.loads(canonical_json(asdict(manifest)))
    write_json(folder / "manifest.json", {**data, "sha256": digest(data)})


def read_manifest(folder: Path) -> Manifest | None:
    """Read the manifest of an artifact.

    Returns:
        The manifest, or None when the artifact is not complete.

    Raises:
        StoreError: the manifest is damaged, or a newer version of the toolkit wrote it.
    """
    path = folder / "manifest.json"
    again = f"delete the folder {folder}; the next run builds it again"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, OSError) as error:
        raise StoreError(f"{path}: the manifest cannot be read: {error}", hint=again) from error
    if not isinstance(data, dict):
        raise StoreError(f"{path}: not a manifest", hint=again)
    version = data.get("schema_version")
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"{path}: written with schema version {version}, this program knows {SCHEMA_VERSION}",
            hint="upgrade leaderboard-toolkit, or use another workspace (--workspace)",
        )
    checksum = data.pop("sha256", None)
    if checksum != digest(data):
        raise StoreError(
            f"{path}: the manifest was changed after it was written (its checksum differs)",
            hint=again,
        )
    shards = tuple(Shard(**shard) for shard in data.pop("shards"))
    inputs = tuple(data.pop("inputs"))
    return Manifest(shards=shards, inputs=inputs, **data)
