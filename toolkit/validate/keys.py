"""Uniqueness and matching of keys over all shards: 8 bytes a row, and exact.

The first pass keeps a 64-bit hash of each row's key. Only rows whose hash stands twice are
compared by the key itself, so a collision of hashes never makes a duplicate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from toolkit.validate.shards import CannotEvaluate, Rows, Shards, key_text
from toolkit.validate.tally import Tally
from toolkit.validate.whole import Check, Context

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = ["KEY_CHECKS"]

_NAMED: Final = 5


class _Unique(Check):
    """No two rows have the same key; rows whose whole key is null are skipped."""

    column_arguments = ("columns",)

    def __init__(self, tally: Tally, context: Context) -> None:
        super().__init__(tally, context)
        self._hashes: list[np.ndarray] = []

    def see(self, rows: Rows) -> None:
        keys = key_text(rows.batch, self.columns)
        self.tally.element_count += len(keys)
        self.tally.missing_count += keys.null_count
        self._hashes.append(_hashes(keys.drop_null()))

    def finish(self) -> None:
        suspects = _repeated(self._hashes)
        self._hashes = []
        if not len(suspects):
            return
        counts: Counter[str] = Counter()
        for rows, keys in _suspicious(self, self.columns, suspects):
            del rows
            counts.update(key for key in keys if key is not None)
        repeated = {key for key, count in counts.items() if count > 1}
        for rows, keys in _suspicious(self, self.columns, suspects):
            _note(self, rows, [index for index, key in enumerate(keys) if key in repeated])
        if repeated:
            self.tally.reason = (
                f"{len(repeated)} keys stand more than once, in {self.tally.unexpected_count} rows"
            )


class _SingleValue(Check):
    """All rows with one key (``group_columns``) hold one value in ``column``."""

    column_arguments = ("column", "group_columns")

    def __init__(self, tally: Tally, context: Context) -> None:
        super().__init__(tally, context)
        self._pairs: list[np.ndarray] = []

    def see(self, rows: Rows) -> None:
        import numpy as np

        groups = key_text(rows.batch, self.columns[1:])
        values = key_text(rows.batch, self.columns)
        self.tally.element_count += len(groups)
        self.tally.missing_count += groups.null_count
        known = groups.is_valid()
        pairs = np.stack([_hashes(groups.filter(known)), _hashes(values.filter(known))], axis=1)
        self._pairs.append(np.unique(pairs, axis=0))

    def finish(self) -> None:
        import numpy as np

        if not self._pairs:
            return
        pairs = np.unique(np.concatenate(self._pairs), axis=0)
        self._pairs = []
        suspects = _repeated([pairs[:, 0]])
        if not len(suspects):
            return
        values: dict[str, set[str | None]] = {}
        for rows, keys in _suspicious(self, self.columns[1:], suspects):
            held = key_text(rows.batch, self.columns[:1]).to_pylist()
            for key, value in zip(keys, held, strict=True):
                if key is not None:
                    values.setdefault(key, set()).add(value)
        split = {key for key, found in values.items() if len(found) > 1}
        for rows, keys in _suspicious(self, self.columns[1:], suspects):
            _note(self, rows, [index for index, key in enumerate(keys) if key in split])
        if split:
            self.tally.reason = f"{len(split)} groups hold more than one {self.columns[0]}"


class _IdsMatch(Check):
    """Every key stands in another table of the run and, for ``same``, the other way round.

    Holds the key columns of both tables.
    """

    column_arguments = ("columns",)

    def __init__(self, tally: Tally, context: Context) -> None:
        super().__init__(tally, context)
        name = self.kwargs["table"]
        if name not in context.others:
            raise CannotEvaluate(f"the caller gave no table '{name}' to compare with")
        other = Shards(context.others[name])
        absent = [column for column in self.columns if column not in other.schema.names]
        if absent:
            raise CannotEvaluate(f"the table '{name}' has no column {', '.join(absent)}")
        found: list[pa.Array] = []
        for rows in other.batches(self.columns):
            found.append(key_text(rows.batch, self.columns))
            context.tick()
        self._others = _together(found)
        self._ours: list[pa.Array] = []

    def see(self, rows: Rows) -> None:
        import pyarrow.compute as pc

        keys = key_text(rows.batch, self.columns)
        stranger = pc.invert(pc.is_in(keys, value_set=self._others))
        self.judge(
            rows,
            stranger.to_numpy(zero_copy_only=False),
            keys.is_null().to_numpy(zero_copy_only=False),
        )
        if self.kwargs.get("relation", "same") == "same":
            self._ours.append(keys)

    def finish(self) -> None:
        import pyarrow.compute as pc

        problems = []
        table = self.kwargs["table"]
        if self.tally.unexpected_count:
            problems.append(f"{self.tally.unexpected_count} rows are not in '{table}'")
        if self.kwargs.get("relation", "same") == "same":
            here = pc.is_in(self._others, value_set=_together(self._ours))
            lost = self._others.filter(pc.invert(here)).drop_null()
            self.tally.observed = {"missing_here": len(lost)}
            if len(lost):
                named = ", ".join(lost.slice(0, _NAMED).to_pylist())
                problems.append(f"{len(lost)} rows of '{table}' are not here: {named}")
                self.tally.failed = True
        self.tally.reason = "; ".join(problems)


def _hashes(keys: pa.Array) -> np.ndarray:
    import numpy as np
    from pandas.util import hash_array

    hashed: np.ndarray = hash_array(np.array(keys.to_pylist(), dtype=object), categorize=False)
    return hashed


def _repeated(parts: list[np.ndarray]) -> np.ndarray:
    """Return the sorted values that stand more than once in all parts together."""
    import numpy as np

    if not parts:
        return np.array([], dtype=np.uint64)
    together = np.concatenate(parts)
    together.sort()
    return np.unique(together[1:][together[1:] == together[:-1]])


def _suspicious(
    check: Check, columns: list[str], suspects: np.ndarray
) -> Iterator[tuple[Rows, list[str | None]]]:
    """Yield every batch with its keys, those whose hash stands once replaced by None."""
    import numpy as np

    wanted = [*check.context.failures.columns, *check.columns]
    for rows in check.context.shards.batches(wanted):
        keys = key_text(rows.batch, columns)
        hashed = np.zeros(len(keys), dtype=np.uint64)
        known = keys.is_valid().to_numpy(zero_copy_only=False)
        hashed[known] = _hashes(keys.drop_null())
        twice = known & np.isin(hashed, suspects)
        if twice.any():
            masked = [
                key if hit else None for key, hit in zip(keys.to_pylist(), twice, strict=True)
            ]
            yield rows, masked
        check.context.tick()


def _note(check: Check, rows: Rows, indices: list[int]) -> None:
    check.tally.unexpected_count += len(indices)
    check.context.failures.add(check.tally, rows, indices, check.columns)


def _together(parts: list[pa.Array]) -> pa.Array:
    import pyarrow as pa

    return (
        pa.chunked_array(parts, pa.string()).combine_chunks()
        if parts
        else pa.array([], pa.string())
    )


KEY_CHECKS: Final[dict[str, type[Check]]] = {
    "toolkit_ids_match": _IdsMatch,
    "toolkit_single_value": _SingleValue,
    "toolkit_unique": _Unique,
}
