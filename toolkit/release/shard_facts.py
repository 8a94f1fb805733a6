"""What the shards of a configuration are: rows, sizes, ids, columns, all read from the files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.errors import UserError
from toolkit.gate.levels import WITHHELD
from toolkit.release.front_matter import SplitInfo
from toolkit.release.history import SplitVersion, ids_digest
from toolkit.store.canonical import digest, file_digest

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ConfigFacts", "read_config", "shards_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFacts:
    """A configuration as its files are.

    Attributes:
        name: its name.
        schema: its columns.
        splits: its splits in order.
        versions: rows and digest of ids of each split.
        data_digest: sha256 over the names and the sha256 of its shards.
        withheld: rows whose texts are left out, by reason.
        retracted: rows flagged as retracted.
    """

    name: str
    schema: pa.Schema
    splits: tuple[SplitInfo, ...]
    versions: Mapping[str, SplitVersion]
    data_digest: str
    withheld: Mapping[str, int]
    retracted: int


def shards_of(folder: Path, config: str, split: str) -> list[Path]:
    """Return the shards of a split in the order of the rows.

    Raises:
        UserError: there is none.
    """
    found = sorted((folder / config).glob(f"{split}-?????-of-?????.parquet"))
    if not found:
        raise UserError(
            f"{folder}: no file is called {config}/{split}-*.parquet",
            hint="make the release again: toolkit run RECIPE",
        )
    return found


def read_config(folder: Path, config: str, splits: Sequence[str]) -> ConfigFacts:
    """Read the shards of a configuration.

    Raises:
        UserError: a split has no shard.
    """
    import pyarrow.parquet as pq

    infos: list[SplitInfo] = []
    versions: dict[str, SplitVersion] = {}
    digests: dict[str, str] = {}
    withheld: Counter[str] = Counter()
    retracted = 0
    for split in splits:
        paths = shards_of(folder, config, split)
        digests |= {path.name: file_digest(path) for path in paths}
        seen = _Split()
        for path in paths:
            seen.read(path)
        infos.append(
            SplitInfo(
                name=split,
                rows=seen.rows,
                num_bytes=seen.bytes,
                file_bytes=sum(path.stat().st_size for path in paths),
                files=len(paths),
            )
        )
        versions[split] = SplitVersion(seen.rows, ids_digest(seen.ids))
        withheld.update(seen.withheld)
        retracted += seen.retracted
    first = shards_of(folder, config, splits[0])[0]
    return ConfigFacts(
        name=config,
        schema=pq.read_schema(first),
        splits=tuple(infos),
        versions=versions,
        data_digest=digest(digests),
        withheld=dict(sorted(withheld.items())),
        retracted=retracted,
    )


class _Split:
    def __init__(self) -> None:
        self.rows = self.bytes = self.retracted = 0
        self.ids: list[str] = []
        self.withheld: Counter[str] = Counter()

    def read(self, path: Path) -> None:
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group)
                self.rows += table.num_rows
                self.bytes += table.nbytes
                names = table.column_names
                if "item_id" in names:
                    self.ids += [str(item) for item in table["item_id"].to_pylist()]
                if WITHHELD in names:
                    self.withheld.update(filter(None, table[WITHHELD].to_pylist()))
                if "retracted" in names:
                    self.retracted += sum(map(bool, table["retracted"].to_pylist()))
