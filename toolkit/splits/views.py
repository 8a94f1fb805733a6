"""Named splits that may share items: all of them, or a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolkit.errors import UserError
from toolkit.recipe.splits_section import View
from toolkit.records import to_arrow
from toolkit.splits.groups import hash_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["make_views"]


def make_views(item_ids: Sequence[str], views: Mapping[str, View], *, seed: int) -> pa.Table:
    """Make named splits that may share items.

    A sample takes the items of lowest hash, so a larger sample holds a smaller one, and adding
    items to the corpus replaces few.

    Args:
        item_ids: ids of the corpus, no two alike.
        views: what each split holds.
        seed: the recipe's seed.

    Returns:
        Table ``splits``, sorted by split and item id; an item has a row for each of its splits.

    Raises:
        UserError: there is no item, or a sample asks for more than there are.
    """
    ranked = sorted(item_ids, key=lambda item: (hash_of(seed, item), item))
    rows: list[dict[str, Any]] = []
    for name, view in sorted(views.items()):
        size = len(ranked) if view.sample is None else view.sample
        if not 1 <= size <= len(ranked):
            raise UserError(
                f"splits: {name} asks for {size} of {len(ranked)} items",
                hint=f"set {name}.sample from 1 to the number of items, or enlarge the corpus",
            )
        rows += [{"item_id": item, "split": name, "group": item} for item in sorted(ranked[:size])]
    return to_arrow("splits", rows)
