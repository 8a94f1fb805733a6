"""What a pair of raters agree on over all scores: the mean of their macro-F1 and its spread."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolkit.analyses.base import AnalysisColumn

__all__ = ["OVERALL", "OVERALL_NOTE", "overall_rows"]

OVERALL: Final = (
    AnalysisColumn("judge", "string", "judge whose people they are; empty for judges", 0),
    AnalysisColumn("rater_a", "string", "rater a", 0),
    AnalysisColumn("rater_b", "string", "rater b", 0),
    AnalysisColumn("n_scores", "int64", "scores with a macro-F1", 0),
    AnalysisColumn("mean", "double", "mean of macro-F1 over the scores"),
    AnalysisColumn("sd_across_scores", "double", "sample SD across the scores"),
    AnalysisColumn("reason", "string", "what to know of it", 0),
)

OVERALL_NOTE: Final = (
    "mean: macro-F1 of each score, averaged over the scores. sd_across_scores is the sample "
    "standard deviation (n - 1) of these few numbers: how much the scores differ, not how sure "
    "the mean is. It is no standard error and no spread of resamples; those of each score stand "
    "in the table of the pairs."
)


def overall_rows(rows: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a line for each pair of raters who share several scores with a macro-F1.

    Args:
        rows: lines of pairs with ``rater_a, rater_b, score, statistic`` and, where there is one,
            ``value``; those of people have ``judge``, too.
    """
    pairs: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in rows:
        if row["statistic"] == "macro_f1":
            key = (row.get("judge", ""), row["rater_a"], row["rater_b"])
            pairs.setdefault(key, []).append(row)
    for (judge, first, second), lines in pairs.items():
        if len(lines) < 2:
            continue
        values = [row["value"] for row in lines if row.get("value") is not None]
        lacking = [row["score"] for row in lines if row.get("value") is None]
        n = len(values)
        mean = math.fsum(values) / n if n else None
        spread = None
        if mean is not None and n > 1:
            spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
        yield {
            "judge": judge,
            "rater_a": first,
            "rater_b": second,
            "n_scores": n,
            "mean": mean,
            "sd_across_scores": spread,
            "reason": f"no macro-F1 of {', '.join(lacking)}" if lacking else "",
        }
