"""P values of several tests together: adjusted within families that a table names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from toolkit.statistics.holm import benjamini_hochberg, holm

__all__ = ["Correction", "adjust", "family_note"]

Correction = Literal["holm", "bh", "none"]

_NAMES: Final = {
    "holm": "Holm (1979), which bounds the chance of any false finding",
    "bh": "Benjamini and Hochberg (1995, doi:10.1111/j.2517-6161.1995.tb02031.x), which bounds the "
    "expected share of false findings",
}


def adjust(
    rows: Sequence[dict[str, Any]], family: Sequence[str], method: Correction, p: str = "p"
) -> None:
    """Fill the column ``<p>_adjusted`` of rows, in place.

    Args:
        rows: rows of a table; one whose p is None is no test and counts in no family.
        family: the columns whose equal values make a family.
        method: how p values are adjusted; ``none`` copies them.
        p: the column of p values.
    """
    families: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        row[f"{p}_adjusted"] = row.get(p)
        if row.get(p) is not None:
            families.setdefault(tuple(row[name] for name in family), []).append(row)
    if method == "none":
        return
    correct = holm if method == "holm" else benjamini_hochberg
    for members in families.values():
        values: list[float] = [row[p] for row in members]
        for row, value in zip(members, correct(values), strict=True):
            row[f"{p}_adjusted"] = value


def family_note(method: Correction, family: str) -> str:
    """Return the sentence that says how p values were adjusted.

    Args:
        method: as in :func:`adjust`.
        family: which tests belong together, in words.
    """
    if method == "none":
        return "p values are not adjusted for the number of tests."
    return f"Adjusted p: {_NAMES[method]}; a family is {family}."
