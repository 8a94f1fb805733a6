"""How a column of the items is distributed: the corpus described, not sampled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from toolkit.analyses.base import AnalysisInputs, AnalysisTable
from toolkit.analyses.distribution_tables import frequency_tables, number_tables
from toolkit.analyses.identity import identity
from toolkit.analyses.present_columns import present_columns

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["Distribution", "DistributionParams", "Frequencies", "Numbers"]


def _about(text: str, **more: Any) -> dict[str, Any]:
    return {"about": text, **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionParams:
    """How a column of the items is distributed: median, mean, peak, a figure."""

    column: str = field(metadata=_about("column"))
    top: int | None = field(default=None, metadata=_about("most frequent values shown", minimum=1))
    axis: Literal["linear", "log"] = field(default="linear", metadata=_about("axis of the figure"))
    of: Literal["corpus", "asked"] = field(
        default="corpus",
        metadata=_about("the whole corpus, or the items that models were asked about"),
    )


@dataclass(frozen=True, slots=True)
class Numbers:
    """The values of a numeric column.

    Attributes:
        values: all finite ones.
        items: how many items there are.
        whole: every value is a whole number by the type of the column.
    """

    values: NDArray[np.float64]
    items: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How many items have each value of a column.

    Attributes:
        counts: (value, items) the most frequent first, equal counts in the order of the values.
        items: how many items there are.
        missing: of them without a value.
        several: of them with more than one value.
    """

    counts: tuple[tuple[str, int], ...]
    items: int
    missing: int
    several: int


class Distribution:
    """For numbers one line of statistics and the counts behind the figure; else the counts."""

    name: ClassVar[str] = "distribution"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = DistributionParams

    def __init__(self, params: DistributionParams) -> None:
        self.params = params

    @property
    def reads_corpus(self) -> bool:
        """Whether it reads the whole corpus instead of the items that were asked about."""
        return self.params.of == "corpus"

    def item_columns(self) -> tuple[str, ...]:
        """Return the column."""
        return (self.params.column,)

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return what was described, for people."""
        items = "the whole corpus" if self.reads_corpus else "the items asked about"
        return f"{self.params.column} of {items}; described, not estimated, so without intervals"

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables.

        A column of numbers is described by statistics, unless ``top`` asks for its most frequent
        values. Held in memory: 8 bytes a number, or the distinct values.

        Raises:
            UserError: the items lack the column.
        """
        import pyarrow as pa

        column = self.params.column
        tables = present_columns(inputs.items, (column,), self.name)
        first = next(tables, None)
        if first is None:
            return frequency_tables(Frequencies((), 0, 0, 0), self.params, self.describe())
        kind = first.schema.field(column).type
        every = chain([first], tables)
        numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if numeric and self.params.top is None:
            found = _numbers(every, column, whole=pa.types.is_integer(kind))
            return number_tables(found, self.params, self.describe())
        return frequency_tables(_frequencies(every, column), self.params, self.describe())


def _numbers(tables: Iterable[pa.Table], column: str, *, whole: bool) -> Numbers:
    import numpy as np

    parts, items = [np.empty(0)], 0
    for table in tables:
        items += table.num_rows
        values = table[column].to_numpy(zero_copy_only=False).astype(np.float64)
        parts.append(values[np.isfinite(values)])
    # Sorted: the last bit of a sum depends on the order of the shards.
    return Numbers(np.sort(np.concatenate(parts)), items, whole)


def _frequencies(tables: Iterable[pa.Table], column: str) -> Frequencies:
    counts: dict[str, int] = {}
    items = held = several = 0
    for table in tables:
        items += table.num_rows
        for rows, values in _labels(table, column):
            held += len(set(rows))
            several += sum(1 for count in _repeats(rows) if count > 1)
            for value in values:
                counts[value] = counts.get(value, 0) + 1
    order = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return Frequencies(tuple(order), items, items - held, several)


def _labels(table: pa.Table, column: str) -> Iterator[tuple[list[int], list[str]]]:
    """Yield rows and their distinct values, none of them blank."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    for chunk in table[column].chunks:
        rows, values = pa.array(np.arange(len(chunk))), chunk
        if pa.types.is_list(chunk.type) or pa.types.is_large_list(chunk.type):
            rows, values = pc.list_parent_indices(chunk), pc.list_flatten(chunk)
        texts = pc.utf8_trim_whitespace(_texts(values))
        kept = pc.fill_null(pc.not_equal(texts, ""), False)
        pairs = pa.table({"row": rows.filter(kept), "value": texts.filter(kept)})
        once = pairs.group_by(["row", "value"], use_threads=False).aggregate([])
        yield once["row"].to_pylist(), once["value"].to_pylist()


def _texts(values: pa.Array) -> pa.Array:
    import pyarrow as pa

    if pa.types.is_string(values.type):
        return values
    if pa.types.is_nested(values.type):
        found = [None if value is None else str(value) for value in values.to_pylist()]
        return pa.array(found, pa.string())
    return values.cast(pa.string())


def _repeats(rows: list[int]) -> Iterable[int]:
    counts: dict[int, int] = {}
    for row in rows:
        counts[row] = counts.get(row, 0) + 1
    return counts.values()
