"""Expectations about the table as a whole, exact over all shards, evaluated with Arrow.

Great Expectations sees one frame at a time: an id that stands in two shards is unique in each.
These checks see every batch, hold at most the key columns, and tell NaN from null.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.validate.shards import CannotEvaluate, Rows, Shards, is_nested
from toolkit.validate.tally import Failures, Tally

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = ["CHECKS", "Check", "Context"]

_MOST_GROUPS: Final = 10_000


class Context:
    """What a check needs beside its own rows.

    Attributes:
        shards: the table.
        failures: where rows that break it are noted.
        others: shard files of the caller's other tables, by name.
        tick: called after each batch, so that the caller sees life.
    """

    def __init__(
        self,
        shards: Shards,
        failures: Failures,
        others: Mapping[str, Sequence[Path]],
        tick: Callable[[], None],
    ) -> None:
        self.shards = shards
        self.failures = failures
        self.others = others
        self.tick = tick


class Check:
    """One expectation of ours: it sees every batch once, then concludes.

    Attributes:
        columns: the columns it reads.
    """

    column_arguments: ClassVar[tuple[str, ...]] = ("column",)

    def __init__(self, tally: Tally, context: Context) -> None:
        self.tally = tally
        self.context = context
        self.kwargs = tally.kwargs
        self.columns: list[str] = []
        for argument in self.column_arguments:
            value = self.kwargs[argument]
            self.columns += [value] if isinstance(value, str) else list(value)

    def see(self, rows: Rows) -> None:
        """Look at one batch.

        Raises:
            CannotEvaluate: the values are of a kind that it cannot judge.
        """

    def finish(self) -> None:
        """Conclude, reading the table again where that saves holding it.

        Raises:
            CannotEvaluate: it cannot conclude.
        """

    def judge(self, rows: Rows, broken: np.ndarray, missing: np.ndarray) -> None:
        """Count one batch of a row-level check from two boolean masks."""
        import numpy as np

        self.tally.element_count += len(broken)
        self.tally.missing_count += int(missing.sum())
        indices = np.flatnonzero(broken & ~missing)
        self.tally.unexpected_count += len(indices)
        self.context.failures.add(self.tally, rows, indices.tolist(), self.columns)


class _ColumnType(Check):
    def see(self, rows: Rows) -> None:
        self.tally.element_count += rows.batch.num_rows

    def finish(self) -> None:
        from toolkit.records import arrow_type

        found = self.context.shards.schema.field(self.columns[0]).type
        wanted = self.kwargs["arrow_type"]
        try:
            same = found.equals(arrow_type(wanted))
        except ValueError:
            same = str(found) == wanted
        self.tally.observed = str(found)
        self.tally.failed = not same
        self.tally.reason = "" if same else f"the type is {found}, not {wanted}"


class _Finite(Check):
    column_arguments = ("columns",)

    def see(self, rows: Rows) -> None:
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        broken = np.zeros(rows.batch.num_rows, dtype=bool)
        missing = np.ones(rows.batch.num_rows, dtype=bool)
        for name in self.columns:
            column = rows.batch.column(name)
            if not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
                raise CannotEvaluate(f"column '{name}' is {column.type}, not a number")
            finite = pc.is_finite(column).fill_null(True)
            broken |= ~finite.to_numpy(zero_copy_only=False)
            missing &= column.is_null().to_numpy(zero_copy_only=False)
        self.judge(rows, broken, missing)


class _Ordered(Check):
    column_arguments = ("columns",)

    def see(self, rows: Rows) -> None:
        import numpy as np

        values = [_numbers(rows.batch, name) for name in self.columns]
        missing = np.zeros(rows.batch.num_rows, dtype=bool)
        broken = np.zeros(rows.batch.num_rows, dtype=bool)
        tolerance = float(self.kwargs.get("tolerance", 1e-9))
        for column in values:
            missing |= np.isnan(column)
        for low, high in itertools.pairwise(values):
            # Relative for large numbers, absolute near zero: a mean computed in another order
            # than its interval may differ in the last bits.
            slack = tolerance * np.maximum(1.0, np.maximum(np.abs(low), np.abs(high)))
            broken |= low > high + slack
        self.judge(rows, broken, missing)


class _WithinRanges(Check):
    column_arguments = ("column", "by")

    def see(self, rows: Rows) -> None:
        import numpy as np

        values = _numbers(rows.batch, self.columns[0])
        names = rows.batch.column(self.columns[1]).to_pylist()
        ranges = self.kwargs["ranges"]
        # A name without a declared range allows nothing.
        bounds = [ranges.get(str(name), (math.inf, -math.inf)) for name in names]
        low = np.array([-math.inf if item[0] is None else item[0] for item in bounds], dtype=float)
        high = np.array([math.inf if item[1] is None else item[1] for item in bounds], dtype=float)
        self.judge(rows, (values < low) | (values > high), np.isnan(values))


class _MeanBetween(Check):
    def __init__(self, tally: Tally, context: Context) -> None:
        super().__init__(tally, context)
        self._sums: list[float] = []
        self._count = 0

    def see(self, rows: Rows) -> None:
        column = rows.batch.column(self.columns[0])
        values = _numbers(rows.batch, self.columns[0])[column.is_valid().to_numpy(False)]
        self.tally.element_count += len(column)
        self.tally.missing_count += column.null_count
        self._count += len(values)
        self._sums.append(math.fsum(values.tolist()))

    def finish(self) -> None:
        self.tally.failed = True
        if not self._count:
            self.tally.reason = "the column has no value"
            return
        mean = math.fsum(self._sums) / self._count
        if not math.isfinite(mean):
            self.tally.reason = "the column holds NaN or infinite values"
            return
        self.tally.observed = mean
        self.tally.failed, self.tally.reason = _outside(mean, self.kwargs, "the mean")


class _GroupCounts(Check):
    def __init__(self, tally: Tally, context: Context) -> None:
        super().__init__(tally, context)
        self._counts: Counter[str] = Counter()

    def see(self, rows: Rows) -> None:
        column = rows.batch.column(self.columns[0])
        if is_nested(column.type):
            raise CannotEvaluate(f"column '{self.columns[0]}' holds lists")
        self.tally.element_count += len(column)
        self.tally.missing_count += column.null_count
        for entry in column.drop_null().value_counts().to_pylist():
            self._counts[str(entry["values"])] += entry["counts"]
        if len(self._counts) > _MOST_GROUPS:
            raise CannotEvaluate(f"more than {_MOST_GROUPS} groups")

    def finish(self) -> None:
        groups = self.kwargs.get("groups")
        wanted = sorted(self._counts) if groups is None else groups
        bounds = {"min_value": 1, **self.kwargs}
        problems = [
            reason
            for name in wanted
            for outside, reason in [_outside(self._counts[name], bounds, f"'{name}': the count")]
            if outside
        ]
        strangers = sorted(set(self._counts) - set(wanted))
        if strangers:
            problems.append(f"not among the declared groups: {', '.join(strangers[:10])}")
        self.tally.observed = {
            name: self._counts[name] for name in sorted({*wanted, *self._counts})
        }
        self.tally.failed = bool(problems)
        self.tally.reason = "; ".join(problems[:10])


def _numbers(batch: pa.RecordBatch, name: str) -> np.ndarray:
    """Return a numeric column as float64, null and NaN both NaN."""
    import pyarrow as pa

    column = batch.column(name)
    if not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
        raise CannotEvaluate(f"column '{name}' is {column.type}, not a number")
    numbers: np.ndarray = (
        column.cast(pa.float64(), safe=False).fill_null(math.nan).to_numpy(zero_copy_only=False)
    )
    return numbers


def _outside(value: float, bounds: Mapping[str, Any], what: str) -> tuple[bool, str]:
    low, high = bounds.get("min_value"), bounds.get("max_value")
    if low is not None and value < low:
        return True, f"{what} is {value:.6g}, under {low}"
    if high is not None and value > high:
        return True, f"{what} is {value:.6g}, over {high}"
    return False, ""


CHECKS: Final[dict[str, type[Check]]] = {
    "toolkit_column_type": _ColumnType,
    "toolkit_finite": _Finite,
    "toolkit_group_counts": _GroupCounts,
    "toolkit_mean_between": _MeanBetween,
    "toolkit_ordered": _Ordered,
    "toolkit_within_ranges": _WithinRanges,
}
"""The checks of this module; those about keys stand in :mod:`toolkit.validate.keys`."""
