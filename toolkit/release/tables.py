"""The tables a release is made from: one a split, all with the same columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolkit.errors import RunError, UserError
from toolkit.gate.column_types import release_type
from toolkit.store.artifact import Artifact

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SplitTable", "check_filled", "common_schema", "ordered"]

_FIRST: Final = ("train", "validation", "dev", "test")


@dataclass(frozen=True, slots=True)
class SplitTable:
    """A split to be released: its name, and the table that holds its items."""

    name: str
    items: Artifact
    table: str

    @property
    def rows(self) -> int:
        """Number of its items."""
        return self.items.manifest.rows(self.table)

    @property
    def bytes(self) -> int:
        """Bytes of its items as they lie in the workspace."""
        return sum(shard.bytes for shard in self.items.shards(self.table))


def ordered(names: Iterable[str]) -> list[str]:
    """Return split names in the order people expect: train, validation, dev, test, the rest."""
    ranks = {name: rank for rank, name in enumerate(_FIRST)}
    return sorted(names, key=lambda name: (ranks.get(name, len(ranks)), name))


def check_filled(splits: Sequence[SplitTable]) -> None:
    """Refuse a split without items: ``datasets`` could then load none of the others either.

    Raises:
        UserError: a split is empty.
    """
    for split in splits:
        if split.rows == 0:
            raise UserError(
                f"the split '{split.name}' has no items: it cannot be published",
                hint="enlarge the corpus, change `splits`, or leave the split out",
            )


def common_schema(splits: Sequence[SplitTable]) -> pa.Schema:
    """Return the columns of the items, which all splits share.

    Raises:
        RunError: two splits differ in a column's name or type.
        UserError: a column has a type that cannot be released.
        StoreError: a file of the items was damaged.
    """
    import pyarrow.parquet as pq

    first: pa.Schema | None = None
    types: dict[str, pa.DataType] = {}
    for split in splits:
        for path in split.items.files(split.table):
            schema = pq.read_schema(path)
            mine = {field.name: release_type(field.type, field.name) for field in schema}
            if first is None:
                first, types = schema, mine
            _compare(splits[0].name, types, split.name, mine)
    assert first is not None
    return first


def _compare(
    one: str, types: dict[str, pa.DataType], other: str, mine: dict[str, pa.DataType]
) -> None:
    for column in sorted(types.keys() | mine.keys()):
        if types.get(column) != mine.get(column):
            raise RunError(
                f"the split '{other}' has the column '{column}' as {mine.get(column, 'nothing')}, "
                f"and the split '{one}' as {types.get(column, 'nothing')}",
                hint="make the columns of the source agree, and run again",
            )
