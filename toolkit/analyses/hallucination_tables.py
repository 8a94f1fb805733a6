"""Columns of flagged answers and of the types of what they made up; lines of the types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.base import AnalysisColumn
from toolkit.statistics.group_errors import clustered_mean
from toolkit.statistics.intervals import clustered_wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ALL_TYPES", "ANSWERS", "COUNTS", "TYPES", "type_rows"]

ALL_TYPES: Final = "all types"

_SHARE: Final = (
    AnalysisColumn("share_low", "double", "low end of its 95 % interval"),
    AnalysisColumn("share_high", "double", "high end of its 95 % interval"),
)

ANSWERS: Final = (
    AnalysisColumn("item_id", "string", "item", 0),
    AnalysisColumn("model", "string", "model", 0),
    AnalysisColumn("prompt", "string", "prompt; empty for a baseline", 0),
    AnalysisColumn("repeat", "int64", "repeat, from 0", 0),
    AnalysisColumn("level", "string", "level; empty where items are not edited", 0),
    AnalysisColumn("flags", "int64", "judges that flag it", 0),
    AnalysisColumn("rated", "int64", "judges that rated it", 0),
    AnalysisColumn("flagged_by", "string", "who flags it", 0),
)

COUNTS: Final = (
    AnalysisColumn("flags", "int64", "judges that flag", 0),
    AnalysisColumn("answers", "int64", "answers that so many flag", 0),
    AnalysisColumn("rated_by_all", "int64", "of these rated by all judges", 0),
    AnalysisColumn("n", "int64", "answers rated by all", 0),
    AnalysisColumn("share", "double", "share of the answers rated by all"),
    *_SHARE,
    AnalysisColumn("reason", "string", "why something is missing; else empty", 0),
)

TYPES: Final = (
    AnalysisColumn("type", "string", "type", 0),
    AnalysisColumn("items", "int64", "items of it", 0),
    AnalysisColumn("answers", "int64", "answers that hold one or more", 0),
    AnalysisColumn("n", "int64", "flagged answers", 0),
    AnalysisColumn("share", "double", "share of the flagged answers that hold one"),
    *_SHARE,
    AnalysisColumn("per_answer", "double", "mean number of items in a flagged answer"),
    AnalysisColumn("per_answer_low", "double", "low end of its 95 % t interval"),
    AnalysisColumn("per_answer_high", "double", "high end of its 95 % t interval"),
    AnalysisColumn("reason", "string", "why something is missing; else empty", 0),
)


def type_rows(
    typed: Sequence[tuple[int, str]], types: Sequence[str], clusters: NDArray[np.int64]
) -> Iterator[dict[str, Any]]:
    """Yield a line for all types together and one for each, in their order.

    Args:
        typed: flagged answer, by its number from 0, and type of each item.
        types: names of the types.
        clusters: (n,) the original item of each flagged answer.
    """
    import numpy as np

    n = len(clusters)
    for name in (ALL_TYPES, *types):
        mine = [answer for answer, one in typed if name in (ALL_TYPES, one)]
        counts = np.bincount(np.array(mine, np.int64), minlength=n).astype(np.float64)
        row = {"type": name, "items": len(mine), "answers": int((counts > 0).sum()), "n": n}
        if not n:
            yield row | {"reason": "no answer is flagged"}
            continue
        low, high = clustered_wilson((counts > 0).astype(np.float64), clusters)
        mean = float(counts.mean())
        half = clustered_mean(counts, clusters).half_width()
        yield row | {
            "share": float((counts > 0).mean()),
            "share_low": low,
            "share_high": high,
            "per_answer": mean,
            "per_answer_low": None if half is None else mean - half,
            "per_answer_high": None if half is None else mean + half,
            "reason": "" if low is not None else "one item",
        }
