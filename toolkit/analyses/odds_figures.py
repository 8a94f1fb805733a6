"""Figures of odds ratios: grey where a contrast is not to be interpreted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolkit.analyses.names import file_name
from toolkit.figures.base import Dots, Figure, Series

__all__ = ["pooled_figure", "within_figures"]


def pooled_figure(name: str, title: str, rows: Sequence[dict[str, Any]]) -> tuple[Figure, ...]:
    """Return a panel a factor: the odds ratios over all cells of one outcome.

    Args:
        name: of the analysis.
        title: of the outcome.
        rows: lines of contrasts of the outcome.
    """
    held = [row for row in rows if not row["within"] and row.get("odds_ratio_low") is not None]
    if not held:
        return ()
    panels = []
    for factor in dict.fromkeys(row["factor"] for row in held):
        members = [row for row in held if row["factor"] == factor]
        labels = tuple(f"{row['first']} / {row['second']}" for row in members)
        panels.append(_panel(factor, labels, members))
    read = sum(bool(row["interpreted"]) for row in held)
    return (
        Figure(
            name=file_name(name, held[0]["outcome"]),
            title=f"{title}: odds ratios over all cells with 95 % intervals "
            f"({held[0]['clusters']:,} clusters)",
            alt=f"Odds ratios of {title} between levels of {len(panels)} factors. {read} of "
            f"{len(held)} belong to a term whose Type III test is significant; the others are "
            "grey.",
            panels=tuple(panels),
            columns=min(2, len(panels)),
        ),
    )


def within_figures(name: str, title: str, rows: Sequence[dict[str, Any]]) -> tuple[Figure, ...]:
    """Return a figure for each factor with one comparison: its odds ratio within each level.

    A factor with several comparisons has too many; the table has them.

    Args:
        name: of the analysis.
        title: of the outcome.
        rows: lines of contrasts of the outcome.
    """
    held = [row for row in rows if row["within"] and row.get("odds_ratio_low") is not None]
    figures = []
    for factor in dict.fromkeys(row["factor"] for row in held):
        members = [row for row in held if row["factor"] == factor]
        sides = {(row["first"], row["second"]) for row in members}
        if len(sides) > 1:
            continue
        first, second = sides.pop()
        panels = []
        for within in dict.fromkeys(row["within"] for row in members):
            lines = [row for row in members if row["within"] == within]
            panels.append(_panel(f"within {within}", tuple(row["at"] for row in lines), lines))
        read = sum(bool(row["interpreted"]) for row in members)
        figures.append(
            Figure(
                name=file_name(name, "within", members[0]["outcome"], factor),
                title=f"{title}: {first} / {second} within levels of other factors "
                f"({members[0]['clusters']:,} clusters)",
                alt=f"Odds ratios of {title}, {first} over {second}, within {len(members)} levels "
                f"with 95 % intervals. {read} belong to a significant interaction; the others "
                "are grey.",
                panels=tuple(panels),
                columns=min(2, len(panels)),
            )
        )
    return tuple(figures)


def _panel(title: str, labels: tuple[str, ...], rows: Sequence[dict[str, Any]]) -> Dots:
    kinds = [bool(row["interpreted"]) for row in rows]
    series = []
    for kind, name in ((True, "interpreted"), (False, "not interpreted")):
        if kind in kinds:
            chosen = [row if bool(row["interpreted"]) is kind else {} for row in rows]
            series.append(
                Series(
                    name=name,
                    values=tuple(row.get("odds_ratio") for row in chosen),
                    lows=tuple(row.get("odds_ratio_low") for row in chosen),
                    highs=tuple(row.get("odds_ratio_high") for row in chosen),
                    muted=not kind,
                )
            )
    return Dots(
        labels=labels, series=tuple(series), x="odds ratio", title=title, line=1.0, scale="log"
    )
