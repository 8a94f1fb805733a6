"""What assigning the items to splits gave: tables, sizes and what the splits share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolkit.splits.frozen import FrozenReport
from toolkit.splits.leakage import LeakageReport

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SplitResult"]


@dataclass(frozen=True, slots=True)
class SplitResult:
    """Where every item went.

    Attributes:
        splits: table ``splits`` of :mod:`toolkit.records`, sorted by item id.
        rejects: table ``rejects``, sorted by item id. Reasons: ``not_sampled``, ``no_date``,
            ``outside_dates``, ``linked_across_dates``, ``duplicate_of_released``,
            ``links_released_splits``.
        sizes: items of each split.
        leakage: what the splits share.
        frozen: what became of released ids; None without any.
    """

    splits: pa.Table
    rejects: pa.Table
    sizes: dict[str, int]
    leakage: LeakageReport
    frozen: FrozenReport | None

    def to_dict(self) -> dict[str, object]:
        """Return everything but the tables for JSON."""
        reasons = Counter(self.rejects["reason"].to_pylist())
        return {
            "sizes": self.sizes,
            "rejected": dict(sorted(reasons.items())),
            "leakage": self.leakage.to_dict(),
            "frozen": self.frozen.to_dict() if self.frozen else None,
        }
