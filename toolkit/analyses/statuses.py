"""How often answers and judgements came to what: counts and shares by status."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.identity import identity
from toolkit.analyses.score_values import ScoreValues
from toolkit.statistics.intervals import share_row

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["STATUSES", "Statuses", "StatusesParams", "share_columns"]

STATUSES: Final = ("ok", "repaired", "invalid", "truncated", "refused", "error")
"""What an answer or a judgement can be, as tables list it."""

_FAILURES: Final = ("invalid", "truncated", "refused", "error")
_LOST: Final = ("invalid", "refused", "error")
"""Failures that leave nothing to score; a truncated answer has a text."""

_BY: Final = ("model", "prompt")
_INVALID: Final = "answer invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusesParams:
    """Counts of ok, repaired, invalid, truncated, refused and failed answers."""

    of: tuple[Literal["answers", "judgements"], ...] = field(
        default=("answers", "judgements"),
        metadata={"about": "what is counted", "scalar": True},
    )
    by: tuple[Literal["model", "prompt"], ...] = field(
        default=("model", "prompt"), metadata={"about": "columns", "scalar": True}
    )
    invalid_as_zero: bool = field(
        default=False,
        metadata={"about": "show means that count invalid answers as 0 beside the others"},
    )


class Statuses:
    """One table of answers, one of judgements."""

    name: ClassVar[str] = "statuses"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = StatusesParams

    def __init__(self, params: StatusesParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return none."""
        return ()

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "of", "by")

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        return "95 % Wilson intervals of shares"

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables.

        Held in memory: the counts, and 12 bytes for each score where invalid answers count as 0.

        Raises:
            UserError: two metrics return a score of the same name.
        """
        # The order of the recipe's list changes neither the table nor the fingerprint.
        by = tuple(name for name in _BY if name in self.params.by)
        tables = []
        if "answers" in self.params.of:
            tables.append(_table("answers", by, inputs.answers))
        if "judgements" in self.params.of and inputs.judges:
            tables.append(_table("judgements", ("judge", "stage", *by), inputs.judgements))
        if self.params.invalid_as_zero:
            tables.append(_as_zero(inputs.scores, by))
        return tables


def _table(what: str, by: tuple[str, ...], tables: Iterable[pa.Table]) -> AnalysisTable:
    counts: dict[tuple[str, ...], Counter[str]] = {}
    asked: Counter[tuple[str, ...]] = Counter()
    keys = [*by, "status"]
    for table in tables:
        groups = table.select([*keys, "asked"]).group_by(keys, use_threads=False)
        for row in groups.aggregate([([], "count_all"), ("asked", "sum")]).to_pylist():
            key = tuple(str(row[name]) for name in by)
            counts.setdefault(key, Counter())[row["status"]] += row["count_all"]
            asked[key] += row["asked_sum"] or 0
    rows = [_row(by, key, counts[key], asked[key]) for key in sorted(counts)]
    return AnalysisTable(
        name=f"statuses_of_{what}",
        title=f"What became of {what}",
        columns=(
            *(AnalysisColumn(name, "string", name, 0) for name in by),
            AnalysisColumn("n", "int64", f"n {what}", 0),
            AnalysisColumn("calls", "int64", "calls they took, re-asks included", 0),
            *(AnalysisColumn(status, "int64", status, 0) for status in STATUSES),
            *share_columns("failed", "share invalid, refused or in error"),
            *(
                c
                for status in _FAILURES
                for c in share_columns(f"{status}_share", f"share {status}")
            ),
        ),
        rows=rows,
        notes=("Intervals are Wilson's: 0 of 20 may still be up to 16 %.",),
        signature=f"statuses|version:{Statuses.version}|ci:wilson|level:0.95",
    )


def share_columns(name: str, about: str) -> tuple[AnalysisColumn, ...]:
    """Return the columns of what :func:`toolkit.statistics.intervals.share_row` gives."""
    return (
        AnalysisColumn(name, "double", about, 3),
        AnalysisColumn(f"{name}_low", "double", "low end of the 95 % interval", 3),
        AnalysisColumn(f"{name}_high", "double", "high end of the 95 % interval", 3),
    )


def _row(
    by: tuple[str, ...], key: tuple[str, ...], counts: Counter[str], asked: int
) -> dict[str, Any]:
    n = sum(counts.values())
    shares = {"failed": sum(counts[status] for status in _LOST)}
    shares |= {f"{status}_share": counts[status] for status in _FAILURES}
    row: dict[str, Any] = {
        **dict(zip(by, key, strict=True)),
        "n": n,
        "calls": asked,
        **{status: counts[status] for status in STATUSES},
    }
    for name, count in shares.items():
        row |= share_row(name, count, n)
    return row


def _as_zero(tables: Iterable[pa.Table], by: tuple[str, ...]) -> AnalysisTable:
    """Return each mean, and the mean that counts invalid answers as 0."""
    import numpy as np

    values = ScoreValues(pool_prompts="prompt" not in by)
    for table in tables:
        values.add(table)
    names = ("score", "model", *(("prompt",) if "prompt" in by else ()))
    rows = []
    for key, cell in sorted(values.by_key.items()):
        _, _, found = cell.grouped(np.arange(len(values.items)))
        n, total, invalid = len(found), math.fsum(found), cell.reasons[_INVALID]
        rows.append(
            {
                **dict(zip(names, key, strict=False)),
                "n": n,
                "n_missing": cell.missing,
                "n_invalid": invalid,
                "mean": total / n if n else None,
                "mean_with_zeros": total / (n + invalid) if n + invalid else None,
            }
        )
    return AnalysisTable(
        name="invalid_as_zero",
        title="Means when invalid answers count as 0",
        columns=(
            *(AnalysisColumn(name, "string", name, 0) for name in names),
            AnalysisColumn("n", "int64", "answers with a value", 0),
            AnalysisColumn("n_missing", "int64", "answers without one", 0),
            AnalysisColumn("n_invalid", "int64", "of them invalid", 0),
            AnalysisColumn("mean", "double", "mean without them", 3),
            AnalysisColumn("mean_with_zeros", "double", "mean with invalid ones as 0", 3),
        ),
        rows=rows,
        notes=(
            "Only invalid answers become 0; refused ones, errors and undefined scores stay out. "
            "0 is a penalty only where more is better and nothing is below 0.",
        ),
        signature=f"statuses|version:{Statuses.version}|invalid:0",
    )
