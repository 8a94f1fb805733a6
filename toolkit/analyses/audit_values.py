"""The scores of an audit as arrays: one row a judgement of one score of one judge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["NOT_ASKED", "AuditValues", "audit_values"]

NOT_ASKED: Final = "not asked: "
"""How the reason of a row begins whose kind does not apply to its reference."""

_COLUMNS: Final = ("item_id", "probe", "kind", "repeat", "anchor", "value", "reason")


@dataclass(frozen=True, slots=True)
class AuditValues:
    """What a judge gave for one score.

    Attributes:
        items: (n,) the reference of each row, as a number from 0: the clusters.
        probes: (n,) copy, edit, rewrite, padded or swapped.
        kinds: (n,) kind of edit or rewrite.
        repeats: (n,) 0-based repeat.
        anchors: (n,) mean score of the reference's copies; NaN without any.
        values: (n,) the score; NaN where there is none.
        asked: (n,) whether the judge was asked.
    """

    items: NDArray[np.int64]
    probes: NDArray[np.str_]
    kinds: NDArray[np.str_]
    repeats: NDArray[np.int64]
    anchors: NDArray[np.float64]
    values: NDArray[np.float64]
    asked: NDArray[np.bool_]

    def where(
        self, probe: str, kind: str | None = None, *, first: bool = True
    ) -> NDArray[np.bool_]:
        """Return which rows are of a probe and kind that was asked, of the first repeat only."""
        found: NDArray[np.bool_] = (self.probes == probe) & self.asked
        if kind is not None:
            found = found & (self.kinds == kind)
        return found & (self.repeats == 0) if first else found


def audit_values(tables: Iterable[pa.Table], judge: str, score: str) -> AuditValues:
    """Return the rows of one score of one judge, sorted: the same whatever the order of tables.

    Args:
        tables: tables with the ``audits`` columns of :mod:`toolkit.records`.
        judge: name of the judge.
        score: the judge's own name of the score.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    kept = []
    for table in tables:
        mine = pc.and_(pc.equal(table["judge"], judge), pc.equal(table["score"], score))
        kept.append(table.filter(mine).select(list(_COLUMNS)))
    if not kept:
        raise ValueError(f"no audit of '{judge}'")
    whole = pa.concat_tables(kept).sort_by(
        [(c, "ascending") for c in ("item_id", "probe", "kind", "repeat")]
    )
    items = np.unique(
        whole["item_id"].to_numpy(zero_copy_only=False).astype(str), return_inverse=True
    )
    return AuditValues(
        items=items[1].astype(np.int64),
        probes=whole["probe"].to_numpy(zero_copy_only=False).astype(str),
        kinds=whole["kind"].to_numpy(zero_copy_only=False).astype(str),
        repeats=whole["repeat"].to_numpy().astype(np.int64),
        anchors=_floats(whole["anchor"]),
        values=_floats(whole["value"]),
        asked=~pc.starts_with(whole["reason"], NOT_ASKED)
        .to_numpy(zero_copy_only=False)
        .astype(bool),
    )


def _floats(column: pa.ChunkedArray) -> NDArray[np.float64]:
    import numpy as np
    import pyarrow.compute as pc

    found: NDArray[np.float64] = (
        pc.fill_null(column, float("nan")).to_numpy(zero_copy_only=False).astype(np.float64)
    )
    return found
