"""Shards: numbered in order, none empty, and row groups that can be browsed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolkit.gate.base import Finding, Policy
from toolkit.gate.outgoing import Chunk, Outgoing

__all__ = ["GROUP_BYTES", "GroupSize", "check"]

GROUP_BYTES: Final = 286 << 20
"""Bytes of a row group in memory up to which the Hub's viewer shows it (286.10 MiB seen)."""

_AGAIN: Final = "write the release anew; `toolkit run` numbers shards and leaves empty ones out"
_SHARD: Final = re.compile(r"(?P<split>[A-Za-z0-9]\w*)-\d{5}-of-\d{5}\.parquet", re.ASCII)


def check(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    """Refuse an empty shard, a split without one, and names whose order is not that of the rows.

    An empty shard breaks the loading of its whole configuration (datasets 5.2.0), and names
    without leading zeros are read in the wrong order.
    """
    import pyarrow.parquet as pq

    for name in outgoing.parquet:
        if pq.read_metadata(outgoing.path(name)).num_rows == 0:
            message = "no rows; such a file breaks the loading of its whole configuration"
            yield Finding("shards", name, message, _AGAIN)
    claimed: set[str] = set()
    for config, splits in policy.configs.items():
        for split in splits:
            mine = sorted(_shards(outgoing.names, config, split))
            claimed |= set(mine)
            yield from _numbered(config, split, mine)
    for name in outgoing.names:
        if name.endswith(".parquet") and name not in claimed:
            message = "no split claims this file"
            yield Finding("shards", name, message, f"take it out, or: {_AGAIN}")


def _shards(names: object, config: str, split: str) -> Iterator[str]:
    assert isinstance(names, (list, tuple))
    for name in names:
        folder, _, file = name.partition("/")
        found = _SHARD.fullmatch(file)
        if folder == config and found and found["split"] == split:
            yield name


def _numbered(config: str, split: str, mine: list[str]) -> Iterator[Finding]:
    if not mine:
        message = f"the split '{split}' of '{config}' has no file"
        yield Finding("shards", f"{config}/", message, f"leave the split out, or: {_AGAIN}")
        return
    count = len(mine)
    expected = [f"{config}/{split}-{i:05d}-of-{count:05d}.parquet" for i in range(count)]
    if mine != expected:
        message = f"the shards of '{split}' are not numbered 00000 to {count - 1:05d}"
        yield Finding("shards", mine[0], message, _AGAIN)


class GroupSize:
    """Refuses row groups that are too large to be browsed."""

    def __init__(self, outgoing: Outgoing, policy: Policy) -> None:
        self._found: dict[str, int] = {}

    def look(self, chunk: Chunk) -> None:
        """Note the largest row group of each file."""
        size = chunk.table.nbytes
        if size > GROUP_BYTES:
            self._found[chunk.name] = max(size, self._found.get(chunk.name, 0))

    def findings(self) -> Iterator[Finding]:
        """Yield one finding a file."""
        for name, size in sorted(self._found.items()):
            message = f"a row group of {size >> 20} MiB in memory; the Hub shows up to 286"
            yield Finding("row groups", name, message, "write smaller row groups")
