"""The ``splits:`` section of a recipe: how items are divided, and named views of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Final, Literal

__all__ = ["NearDuplicates", "Splits", "View"]

_TOGETHER: Final = ("near_duplicates", "none")


@dataclass(frozen=True, kw_only=True, slots=True)
class NearDuplicates:
    """When two items are near-duplicates: the Jaccard similarity of their word shingles."""

    threshold: float = field(
        default=0.8,
        metadata={
            "about": "least Jaccard similarity of two near-duplicates",
            "minimum": 0.1,
            "maximum": 1.0,
        },
    )
    shingle: int = field(
        default=5, metadata={"about": "words in a shingle", "minimum": 1, "maximum": 50}
    )
    permutations: int = field(
        default=128,
        metadata={"about": "MinHash values of a text", "minimum": 16, "maximum": 1024},
    )
    columns: tuple[str, ...] = field(
        default=(), metadata={"about": "text columns compared; input and conclusion, or all text"}
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """A named selection beside the splits; views may share items."""

    of: str | None = field(
        default=None, metadata={"about": "split it is taken from; all items when absent"}
    )
    sample: int | None = field(
        default=None, metadata={"about": "items drawn; all of them when absent", "minimum": 1}
    )
    per: str | None = field(
        default=None, metadata={"about": "column; sample is drawn from each of its values"}
    )
    ordered_pairs_within: str | None = field(
        default=None,
        metadata={
            "about": "column; all ordered pairs of items that share its value, each with the "
            "columns of its two items, _a and _b added to their names"
        },
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Splits:
    """How items are divided into splits that share no item.

    Exactly one of ``fractions``, ``sizes`` and ``date`` says how much each split gets; a section
    of views alone has no split.
    """

    by: Literal["hash", "date", "group"] = field(
        default="hash", metadata={"about": "hash of each item, its date, or the hash of its group"}
    )
    fractions: Mapping[str, float] | None = field(
        default=None, metadata={"about": "share of each split; sizes are approximate"}
    )
    sizes: Mapping[str, int] | None = field(
        default=None, metadata={"about": "exact items of each split", "minimum": 1}
    )
    date: Mapping[str, tuple[int | None, ...]] | None = field(
        default=None,
        metadata={"about": "first and last year of each split, null for an open end"},
    )
    date_column: str = field(default="year", metadata={"about": "whole-number column of date"})
    group_by: str | None = field(
        default=None, metadata={"about": "column whose equal values stay together (by: group)"}
    )
    keep_together: str = field(
        default="none",
        metadata={"about": "near_duplicates, none, or a column whose equal values stay together"},
    )
    near_duplicates: NearDuplicates = field(
        default_factory=NearDuplicates, metadata={"about": "what a near-duplicate is"}
    )
    frozen: str | None = field(
        default=None,
        metadata={"about": "file of released item_id and split, which never move", "path": True},
    )
    new_duplicates: Literal["join", "reject"] = field(
        default="reject",
        metadata={
            "about": "a new near-duplicate of a released item joins its split or is rejected"
        },
    )
    seed: int | None = field(default=None, metadata={"about": "the recipe's seed when absent"})
    views: Mapping[str, View] = field(
        default_factory=dict, metadata={"about": "named selections that may share items"}
    )

    @property
    def names(self) -> tuple[str, ...]:
        """The splits' names, sorted: the order in a recipe decides nothing."""
        return tuple(sorted(self.fractions or self.sizes or self.date or {}))

    @property
    def group_columns(self) -> tuple[str, ...]:
        """The columns whose equal values stay together, sorted."""
        together = set() if self.keep_together in _TOGETHER else {self.keep_together}
        return tuple(sorted(together | ({self.group_by} if self.group_by else set())))

    @property
    def needs_near_duplicates(self) -> bool:
        """Whether near-duplicate pairs decide where an item goes."""
        return self.keep_together == "near_duplicates" or self.frozen is not None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that :func:`toolkit.splits.assign.assign` reads, texts apart, sorted."""
        dated = {self.date_column} if self.date else set()
        return tuple(sorted({"item_id", *self.group_columns, *dated}))

    def faults(self) -> list[str]:
        """Return everything in the section that contradicts itself; empty when it is sound."""
        faults = _amounts(self) + _grouping(self)
        for check in (_fraction_faults, _size_faults, _date_faults):
            faults += check(self)
        return faults


def _amounts(params: Splits) -> list[str]:
    given = [key for key in ("fractions", "sizes", "date") if getattr(params, key) is not None]
    if not given and params.views:
        return []
    if len(given) != 1:
        found = "none" if not given else " and ".join(given)
        return [f"exactly one of fractions, sizes and date is needed, found {found}"]
    if (given == ["date"]) != (params.by == "date"):
        return [f"'by: {params.by}' does not go with '{given[0]}': 'by: date' goes with 'date'"]
    return [] if params.names else [f"{given[0]} names no split"]


def _grouping(params: Splits) -> list[str]:
    if (params.by == "group") != (params.group_by is not None):
        return ["'by: group' and 'group_by: COLUMN' go together: write both or neither"]
    return []


def _fraction_faults(params: Splits) -> list[str]:
    shares = params.fractions or {}
    faults = [
        f"fractions.{name} is {share}: it must be above 0 and at most 1"
        for name, share in sorted(shares.items())
        if not 0 < share <= 1
    ]
    # Decimal text, not the float: 0.7 + 0.2 + 0.1 is then exactly 1.
    if not faults and sum(Fraction(str(share)) for share in shares.values()) > 1:
        faults.append("the fractions add up to more than 1")
    return faults


def _size_faults(params: Splits) -> list[str]:
    return [
        f"sizes.{name} is {size}: a split needs at least 1 item"
        for name, size in sorted((params.sizes or {}).items())
        if size < 1
    ]


def _date_faults(params: Splits) -> list[str]:
    ranges: list[tuple[float, float, str]] = []
    faults: list[str] = []
    for name, bounds in sorted((params.date or {}).items()):
        if len(bounds) != 2:
            faults.append(f"date.{name} needs two values, first and last; null is an open end")
            continue
        first = float("-inf") if bounds[0] is None else bounds[0]
        last = float("inf") if bounds[1] is None else bounds[1]
        if first > last:
            faults.append(f"date.{name} ends before it begins")
        ranges.append((first, last, name))
    ranges.sort()
    faults += [
        f"date.{one[2]} and date.{two[2]} overlap"
        for one, two in pairwise(ranges)
        if two[0] <= one[1]
    ]
    return faults
