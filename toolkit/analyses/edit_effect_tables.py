"""Columns and figures of what edits change in the scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs
from toolkit.figures.base import Dots, Figure, Series

__all__ = ["EACH", "POOLED", "effect_figures"]

_CELLS: Final = (
    AnalysisColumn("n", "int64", "pairs of an edited and an unedited answer", 0),
    AnalysisColumn("clusters", "int64", "original items", 0),
    AnalysisColumn("edited_mean", "double", "mean of the edited"),
    AnalysisColumn("unedited_mean", "double", "mean of the unedited"),
    AnalysisColumn("difference", "double", "difference, edited minus unedited"),
    AnalysisColumn("difference_low", "double", "low end of its 95 % t interval"),
    AnalysisColumn("difference_high", "double", "high end of its 95 % t interval"),
    AnalysisColumn("p", "double", "p of no difference, two-sided", 4),
    AnalysisColumn("p_adjusted", "double", "p adjusted within its family", 4),
    AnalysisColumn("method", "string", "exact or monte carlo", 0),
    AnalysisColumn("arrangements", "int64", "of how many p is a share", 0),
    AnalysisColumn("reason", "string", "why something is missing; else empty", 0),
)

EACH: Final = (
    AnalysisColumn("score", "string", "score", 0),
    AnalysisColumn("model", "string", "model", 0),
    AnalysisColumn("prompt", "string", "prompt; empty for a baseline", 0),
    AnalysisColumn("level", "string", "level", 0),
    *_CELLS,
)

POOLED: Final = (
    AnalysisColumn("score", "string", "score", 0),
    AnalysisColumn("level", "string", "level", 0),
    AnalysisColumn("systems", "int64", "models and prompts together", 0),
    *_CELLS,
)


def effect_figures(
    name: str, rows: Sequence[dict[str, Any]], inputs: AnalysisInputs
) -> tuple[Figure, ...]:
    """Return a panel a score: levels as series of each competitor, or as labels of all.

    Args:
        name: of the table.
        rows: its lines.
        inputs: what the scores are called.
    """
    if not rows:
        return ()
    panels = []
    for score in dict.fromkeys(row["score"] for row in rows):
        held = [row for row in rows if row["score"] == score]
        title = inputs.definition(score).title
        panels.append(
            Dots(
                labels=tuple(dict.fromkeys(map(_label, held))),
                series=tuple(_series(held)),
                x="edited minus unedited",
                title=title,
                line=0.0,
            )
        )
    tested = [row["p_adjusted"] for row in rows if row["p_adjusted"] is not None]
    sure = sum(p < 0.05 for p in tested)
    return (
        Figure(
            name=name,
            title="Scores of edited minus unedited items, with 95 % intervals "
            f"(n up to {max(row['n'] for row in rows):,} pairs)",
            alt=f"Mean differences of {len(panels)} scores between edited and unedited items. "
            f"{sure} of {len(tested)} have an adjusted p below 0.05.",
            panels=tuple(panels),
            columns=min(2, len(panels)),
        ),
    )


def _label(row: dict[str, Any]) -> str:
    return f"{row['model']} {row['prompt']}".strip() if "model" in row else str(row["level"])


def _series(rows: Sequence[dict[str, Any]]) -> list[Series]:
    labels = list(dict.fromkeys(map(_label, rows)))
    each = "model" in rows[0]
    found = []
    for level in sorted({row["level"] for row in rows}) if each else [""]:
        by_label = {_label(row): row for row in rows if not each or row["level"] == level}
        lines = [by_label.get(label, {}) for label in labels]
        found.append(
            Series(
                name=level,
                values=tuple(line.get("difference") for line in lines),
                lows=tuple(line.get("difference_low") for line in lines),
                highs=tuple(line.get("difference_high") for line in lines),
            )
        )
    return found
