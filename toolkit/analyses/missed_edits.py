"""Edits that a judge's lists hold or lack, and what the lists hold beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.listed_alterations import Reply
from toolkit.perturb.named_edits import SUBSTITUTED, named_edits
from toolkit.statistics.intervals import clustered_wilson

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "ANY_SIZE",
    "Edit",
    "Edits",
    "Found",
    "Lists",
    "compare_lists",
    "edits_of",
    "share_cells",
]

ANY_SIZE: Final = "any size"
"""Stands for the term of a measurement: hardly any size occurs twice."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of an item: its kind, category, what was there and what stands there now."""

    kind: str
    category: str
    original: str
    replacement: str | None

    @property
    def term(self) -> str:
        """What it is counted under."""
        return ANY_SIZE if self.kind == "measurement" else self.original


Edits = Mapping[str, Sequence[Edit]]
"""The edits by item, none of an item that was not edited."""


def edits_of(tables: Iterable[pa.Table]) -> Edits:
    """Return the edits of each item, in the order in which they were chosen.

    Args:
        tables: with the ``edits`` columns, in any order.
    """
    columns = ["item_id", "number", "kind", "category", "original", "replacement"]
    numbered: dict[str, dict[int, Edit]] = {}
    for table in tables:
        for item, number, *rest in zip(*(table[name].to_pylist() for name in columns), strict=True):
            numbered.setdefault(item, {})[number] = Edit(*rest)
    return {item: [edit for _, edit in sorted(by.items())] for item, by in numbered.items()}


@dataclass(frozen=True, slots=True)
class Found:
    """One edit in one reply.

    Attributes:
        model: whose answer was judged.
        category: of the edit.
        term: of the edit, or :data:`ANY_SIZE`.
        cluster: the original item.
        missed: the judge's list lacks it.
    """

    model: str
    category: str
    term: str
    cluster: str
    missed: bool


@dataclass(slots=True)
class Lists:
    """The lists of one model's answers at one level.

    Attributes:
        read: replies with a list.
        unread: replies without one.
        extra: whether each alteration listed is none of the edits, with the original item.
    """

    read: int = 0
    unread: int = 0
    extra: list[tuple[bool, str]] = field(default_factory=list)


def compare_lists(
    replies: Iterable[Reply],
    edits: Edits,
    about: Mapping[str, tuple[str, str]],
    *,
    inflections: bool,
) -> tuple[list[Found], dict[tuple[str, str], Lists]]:
    """Look for each substitution in each list, and for the substitutions that a list names.

    Items that were edited in another way than by substitution take no part.

    Args:
        replies: the judge's replies.
        edits: by item.
        about: (level, original item) by item.
        inflections: other forms of words count.

    Returns:
        A row for each substitution and reply with a list, and the lists by (model, level).
    """
    found: list[Found] = []
    lists: dict[tuple[str, str], Lists] = {}
    for reply in replies:
        made = edits.get(reply.item, ())
        if any(edit.kind not in SUBSTITUTED for edit in made):
            continue
        level, cluster = about[reply.item]
        of_level = lists.setdefault((reply.model, level), Lists())
        if reply.listed is None:
            of_level.unread += 1
            continue
        of_level.read += 1
        named = named_edits(reply.listed)
        held = [
            [one.holds(edit.original, edit.replacement or "", inflections=inflections)
             for one in named]
            for edit in made
        ]  # fmt: skip
        found += [
            Found(reply.model, edit.category, edit.term, cluster, not any(row))
            for edit, row in zip(made, held, strict=True)
        ]
        of_level.extra += [(not any(row[at] for row in held), cluster) for at in range(len(named))]
    return found, lists


def share_cells(hits: Sequence[bool], clusters: Sequence[str]) -> dict[str, Any]:
    """Return how many of some rows hit, their share and its interval over whole clusters.

    Returns:
        ``n, clusters, count, share, share_low, share_high, reason``.
    """
    import numpy as np

    row: dict[str, Any] = {"n": len(hits), "clusters": len(set(clusters)), "count": sum(hits)}
    if not hits:
        return row | {"reason": "nothing to count"}
    _, codes = np.unique(np.array(clusters), return_inverse=True)
    low, high = clustered_wilson(np.array(hits, np.float64), codes)
    return row | {
        "share": sum(hits) / len(hits),
        "share_low": low,
        "share_high": high,
        "reason": "" if low is not None else "one cluster",
    }
