"""The figure of scores before and after knowledge cutoffs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolkit.analyses.base import AnalysisInputs
from toolkit.figures.base import Dots, Figure, Series
from toolkit.figures.pages import in_pages

__all__ = ["cutoff_figure"]


def cutoff_figure(rows: Sequence[dict[str, Any]], inputs: AnalysisInputs) -> tuple[Figure, ...]:
    """Return a panel a score: before minus after, plain and against the baselines.

    Args:
        rows: lines of the table.
        inputs: definitions of the scores.
    """
    known = [row for row in rows if row["difference"] is not None]
    if not known:
        return ()
    panels = []
    for score in dict.fromkeys(row["score"] for row in known):
        held = [row for row in known if row["score"] == score]
        labels = list(dict.fromkeys(_label(row) for row in held))
        series = []
        for plain in (True, False):
            lines = {_label(row): row for row in held if (row["against"] == "") == plain}
            if lines:
                found: list[dict[str, Any]] = [lines.get(label, {}) for label in labels]
                series.append(
                    Series(
                        name="score" if plain else "score minus baselines",
                        values=tuple(row.get("difference") for row in found),
                        lows=tuple(row.get("difference_low") for row in found),
                        highs=tuple(row.get("difference_high") for row in found),
                    )
                )
        title = inputs.definition(score).title
        panels.append(
            Dots(
                labels=tuple(labels),
                series=tuple(series),
                x=f"before minus after, {title}",
                title=title,
                line=0.0,
            )
        )
    first = max(row["n_before"] for row in known)
    second = max(row["n_after"] for row in known)
    tested = [row for row in known if row["p_adjusted"] is not None]
    sure = sum(row["p_adjusted"] < 0.05 for row in tested)
    return in_pages(
        Figure(
            name="before_after_cutoff",
            title=f"Scores before minus after the knowledge cutoff, n up to {first} items before "
            f"and {second} after",
            alt=f"Differences of mean scores with 95 % intervals. {sure} of {len(tested)} have an "
            "adjusted p below 0.05.",
            panels=tuple(panels),
            columns=min(2, len(panels)),
        )
    )


def _label(row: dict[str, Any]) -> str:
    model = f"{row['model']} {row['prompt']}" if row["prompt"] else row["model"]
    return f"{model} ({row['cutoff']})"
