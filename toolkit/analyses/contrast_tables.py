"""Columns, extremes, summary and figures of differences between prompts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs
from toolkit.analyses.units import size_range
from toolkit.figures.base import Dots, Figure, Series
from toolkit.figures.pages import in_pages

__all__ = [
    "EXTREMES",
    "GROUPS",
    "OVERALL",
    "SUMMARY",
    "contrast_figure",
    "extremes_figure",
    "extremes_of",
    "summary_of",
]

_KEY: Final = ("score", "first", "second")


def extremes_of(rows: Sequence[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Return the groups with the largest and the smallest gap of each score and pair.

    Both lists begin with the most extreme; a group stands in one of them only, the largest first
    where there are fewer than ``2 * count`` groups.

    Args:
        rows: lines of all groups.
        count: how many of each.
    """
    found: list[dict[str, Any]] = []
    for members in _by_key(rows).values():
        ordered = sorted(members, key=lambda row: (-row["difference"], row["group"]))
        largest = ordered[:count]
        smallest = ordered[count:][::-1][:count]
        found += [row | {"extreme": "largest", "place": at} for at, row in _counted(largest)]
        found += [row | {"extreme": "smallest", "place": at} for at, row in _counted(smallest)]
    return found


def summary_of(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return minimum, mean, maximum and the count of positive gaps over all eligible groups."""
    small: dict[tuple[str, ...], int] = {}
    for row in rows:
        if not row["shown"]:
            key = tuple(row[name] for name in _KEY)
            small[key] = small.get(key, 0) + 1
    found = []
    for key, members in _by_key(rows).items():
        gaps = [row["difference"] for row in members]
        found.append(
            {
                **dict(zip(_KEY, key, strict=True)),
                "model": members[0]["model"],
                "groups": len(gaps),
                "too_small": small.get(key, 0),
                "smallest": min(gaps),
                "mean": sum(gaps) / len(gaps),
                "largest": max(gaps),
                "positive": sum(gap > 0 for gap in gaps),
                "negative": sum(gap < 0 for gap in gaps),
                "positive_sure": sum(_sure(row) and row["difference"] > 0 for row in members),
                "negative_sure": sum(_sure(row) and row["difference"] < 0 for row in members),
            }
        )
    return found


def contrast_figure(rows: Sequence[dict[str, Any]], inputs: AnalysisInputs) -> tuple[Figure, ...]:
    """Return a panel a score: the gap of each model, one series a pair of prompts."""
    if not rows:
        return ()
    panels = []
    for score in dict.fromkeys(row["score"] for row in rows):
        held = [row for row in rows if row["score"] == score]
        labels = list(dict.fromkeys(row["model"] for row in held))
        series = []
        for pair in dict.fromkeys((row["first"], row["second"]) for row in held):
            by_model = {row["model"]: row for row in held if (row["first"], row["second"]) == pair}
            lines = [by_model.get(label, {}) for label in labels]
            series.append(_series(f"{pair[0]} - {pair[1]}", lines))
        title = inputs.definition(score).title
        panels.append(
            Dots(
                labels=tuple(labels),
                series=tuple(series),
                x=f"difference of {title}",
                title=title,
                line=0.0,
            )
        )
    n = max(row["n"] for row in rows)
    tested = [row for row in rows if row.get("p_adjusted") is not None]
    sure = sum(row["p_adjusted"] < 0.05 for row in tested)
    return in_pages(
        Figure(
            name="mode_contrast",
            title=f"Differences between prompts, n up to {n} items",
            alt=f"Mean differences between prompts with 95 % intervals. {sure} of {len(tested)} "
            "have an adjusted p below 0.05.",
            panels=tuple(panels),
            columns=min(2, len(panels)),
        )
    )


def extremes_figure(
    rows: Sequence[dict[str, Any]], by: str, inputs: AnalysisInputs
) -> tuple[Figure, ...]:
    """Return a panel a score and pair: the groups with the largest and smallest gaps."""
    if not rows:
        return ()
    panels = []
    for key, members in _by_key(rows).items():
        ordered = sorted(members, key=lambda row: (-row["difference"], row["group"]))
        title = inputs.definition(key[0]).title
        panels.append(
            Dots(
                labels=tuple(f"{row['group']} ({row['n']})" for row in ordered),
                series=(_series("", ordered),),
                x=f"{key[1]} - {key[2]}, {title}",
                title=title,
                line=0.0,
            )
        )
    sizes = [row["n"] for row in rows]
    most = max(rows, key=lambda row: abs(row["difference"]))
    return in_pages(
        Figure(
            name="mode_contrast_extremes",
            title=f"Largest and smallest gaps by {by}, n = {size_range(sizes)} items each",
            alt=f"Gaps between prompts by {by} with 95 % intervals, n in brackets. The gap "
            f"farthest from zero is {most['difference']:+.3g} for {most['group']} "
            f"({inputs.definition(most['score']).title}, n {most['n']}).",
            panels=tuple(panels),
            columns=min(2, len(panels)),
        )
    )


def _series(name: str, rows: Sequence[dict[str, Any]]) -> Series:
    return Series(
        name=name,
        values=tuple(row.get("difference") for row in rows),
        lows=tuple(row.get("difference_low") for row in rows),
        highs=tuple(row.get("difference_high") for row in rows),
    )


def _by_key(rows: Sequence[dict[str, Any]]) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        if row["shown"]:
            found.setdefault(tuple(row[name] for name in _KEY), []).append(row)
    return found


def _counted(rows: Sequence[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    return list(enumerate(rows, start=1))


def _sure(row: dict[str, Any]) -> bool:
    adjusted = row.get("p_adjusted")
    return adjusted is not None and adjusted < 0.05


def _columns(*columns: tuple[str, Any, str, int]) -> tuple[AnalysisColumn, ...]:
    return tuple(AnalysisColumn(*column) for column in columns)


_HEAD: Final = (
    ("score", "string", "score", 0),
    ("first", "string", "first prompt", 0),
    ("second", "string", "second prompt", 0),
    ("model", "string", "model", 0),
)

_GAP: Final = (
    ("n", "int64", "items with both scores", 0),
    ("n_unpaired", "int64", "items with one of them", 0),
    ("n_clusters", "int64", "clusters", 0),
    ("first_mean", "double", "mean under the first prompt", 3),
    ("second_mean", "double", "mean under the second prompt", 3),
    ("difference", "double", "first minus second", 3),
    ("difference_low", "double", "low end of the 95 % interval", 3),
    ("difference_high", "double", "high end of the 95 % interval", 3),
    ("effect", "double", "Cohen's d of paired values", 3),
    ("effect_low", "double", "low end of the 95 % interval", 3),
    ("effect_high", "double", "high end of the 95 % interval", 3),
    ("p", "double", "p of no difference", 4),
    ("p_adjusted", "double", "p adjusted for the number of tests", 4),
    ("reason", "string", "why a number is missing, or what to know of it", 0),
)

OVERALL: Final = _columns(*_HEAD, *_GAP)

GROUPS: Final = _columns(*_HEAD, ("group", "string", "group", 0), *_GAP)

EXTREMES: Final = _columns(
    *_HEAD,
    ("extreme", "string", "largest or smallest", 0),
    ("place", "int64", "place", 0),
    ("group", "string", "group", 0),
    *_GAP,
)

SUMMARY: Final = _columns(
    *_HEAD,
    ("groups", "int64", "eligible groups", 0),
    ("too_small", "int64", "groups with too few items", 0),
    ("smallest", "double", "smallest gap", 3),
    ("mean", "double", "mean gap of the groups", 3),
    ("largest", "double", "largest gap", 3),
    ("positive", "int64", "groups with a gap above 0", 0),
    ("negative", "int64", "groups with a gap below 0", 0),
    ("positive_sure", "int64", "above 0 with an adjusted p below 0.05", 0),
    ("negative_sure", "int64", "below 0 with an adjusted p below 0.05", 0),
)
