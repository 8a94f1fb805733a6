"""How often answers and judgements came to what: counts and shares by status."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Statuses", "StatusesParams", "wilson"]

_STATUSES: Final = ("ok", "repaired", "invalid", "truncated", "refused", "error")
_Z: Final = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""


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
    version: ClassVar[int] = 1
    Params: ClassVar[type] = StatusesParams

    def __init__(self, params: StatusesParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return none."""
        return ()

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        p = self.params
        return {
            "name": self.name,
            "version": self.version,
            "of": sorted(p.of),
            "by": sorted(p.by),
            "invalid_as_zero": p.invalid_as_zero,
        }

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        return "95 % Wilson intervals of shares"

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables."""
        by = tuple(self.params.by)
        tables = []
        if "answers" in self.params.of:
            tables.append(_table("answers", by, inputs.answers))
        if "judgements" in self.params.of and inputs.judges:
            tables.append(_table("judgements", ("judge", "stage", *by), inputs.judgements))
        if self.params.invalid_as_zero:
            tables.append(_as_zero(inputs.scores))
        return tables


def wilson(count: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927), each end from 0 to 1.

    Args:
        count: successes, from 0 to n.
        n: trials, at least 1.
    """
    share = count / n
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n * n))
    low = 0.0 if count == 0 else centre - half
    return low, 1.0 if count == n else centre + half


def _table(what: str, by: tuple[str, ...], tables: Iterable[pa.Table]) -> AnalysisTable:
    counts: dict[tuple[str, ...], Counter[str]] = {}
    asked: Counter[tuple[str, ...]] = Counter()
    for table in tables:
        for row in table.select([*by, "status", "asked"]).to_pylist():
            key = tuple(str(row[name]) for name in by)
            counts.setdefault(key, Counter())[row["status"]] += 1
            asked[key] += row["asked"] or 0
    rows = [_row(by, key, counts[key], asked[key]) for key in sorted(counts)]
    return AnalysisTable(
        name=f"statuses_of_{what}",
        title=f"What became of {what}",
        columns=(
            *(AnalysisColumn(name, "string", name, 0) for name in by),
            AnalysisColumn("n", "int64", f"n {what}", 0),
            AnalysisColumn("calls", "int64", "calls they took, re-asks included", 0),
            *(AnalysisColumn(status, "int64", status, 0) for status in _STATUSES),
            AnalysisColumn("failed", "double", "share invalid, refused or in error", 3),
            AnalysisColumn("failed_low", "double", "low end of the 95 % interval", 3),
            AnalysisColumn("failed_high", "double", "high end of the 95 % interval", 3),
        ),
        rows=rows,
        notes=("Intervals are Wilson's.",),
        signature="statuses|ci:wilson|level:0.95",
    )


def _as_zero(tables: Iterable[pa.Table]) -> AnalysisTable:
    """Return each mean, and the mean that counts invalid answers as 0."""
    sums: dict[tuple[str, str, str], list[float]] = {}
    for table in tables:
        for row in table.to_pylist():
            total = sums.setdefault((row["score"], row["model"], row["prompt"]), [0.0, 0, 0])
            if row["value"] is not None:
                total[0] += row["value"]
                total[1] += 1
            elif row["reason"] == "answer invalid":
                total[2] += 1
    rows = [
        {
            **dict(zip(("score", "model", "prompt"), key, strict=True)),
            "n": int(n),
            "n_invalid": int(invalid),
            "mean": total / n if n else None,
            "mean_with_zeros": total / (n + invalid) if n + invalid else None,
        }
        for key, (total, n, invalid) in sorted(sums.items())
    ]
    return AnalysisTable(
        name="invalid_as_zero",
        title="Means when invalid answers count as 0",
        columns=(
            *(AnalysisColumn(name, "string", name, 0) for name in ("score", "model", "prompt")),
            AnalysisColumn("n", "int64", "answers with a value", 0),
            AnalysisColumn("n_invalid", "int64", "invalid answers", 0),
            AnalysisColumn("mean", "double", "mean without them", 3),
            AnalysisColumn("mean_with_zeros", "double", "mean with them as 0", 3),
        ),
        rows=rows,
        signature="statuses|invalid:0",
    )


def _row(
    by: tuple[str, ...], key: tuple[str, ...], counts: Counter[str], asked: int
) -> dict[str, Any]:
    n = sum(counts.values())
    failed = counts["invalid"] + counts["refused"] + counts["error"]
    low, high = wilson(failed, n)
    return {
        **dict(zip(by, key, strict=True)),
        "n": n,
        "calls": asked,
        **{status: counts[status] for status in _STATUSES},
        "failed": failed / n,
        "failed_low": low,
        "failed_high": high,
    }
