"""Choose worked examples: the same few for all items, never the item or its near-duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolkit.errors import UserError
from toolkit.store.canonical import text_digest

__all__ = ["Candidate", "choose", "pool"]

Candidate = tuple[Mapping[str, Any], str]
"""An example: the item's columns, among them ``group``, and its reference text."""

SPARE = 20


def pool(
    rows: Iterable[Mapping[str, Any]], reference: str, n: int, seed: int
) -> tuple[Candidate, ...]:
    """Pick examples in a seeded order that no other item changes.

    Args:
        rows: items with ``item_id``, ``group`` and the reference column.
        reference: name of the reference column.
        n: examples wanted for each item.
        seed: seed of the draw.

    Returns:
        n examples and some spare ones, for items that may not see one of the first.
    """
    ranked: list[tuple[str, Candidate]] = []
    for row in rows:
        if not row.get(reference):
            continue
        rank = text_digest([str(seed), str(row["item_id"])])
        ranked.append((rank, (row, str(row[reference]))))
        if len(ranked) > 4 * (n + SPARE):
            ranked = sorted(ranked, key=lambda pair: pair[0])[: n + SPARE]
    return tuple(
        candidate for _, candidate in sorted(ranked, key=lambda pair: pair[0])[: n + SPARE]
    )


def choose(
    item: Mapping[str, Any], candidates: Sequence[Candidate], reference: str, n: int
) -> tuple[Candidate, ...]:
    """Take the first n examples an item may see.

    Args:
        item: the item that is asked about, with ``group`` where items are grouped.
        candidates: from :func:`pool`.
        reference: name of the reference column.
        n: examples wanted.

    Raises:
        UserError: fewer than n examples are left.
    """
    own = str(item.get(reference) or "")
    chosen: list[Candidate] = []
    for row, answer in candidates:
        related = row["item_id"] == item["item_id"] or (
            item.get("group") is not None and row.get("group") == item.get("group")
        )
        if not related and answer != own:
            chosen.append((row, answer))
        if len(chosen) == n:
            return tuple(chosen)
    raise UserError(
        f"only {len(chosen)} worked examples for item {item['item_id']}, {n} wanted",
        hint="lower shots.n, or draw them from a larger split (shots.from)",
    )
