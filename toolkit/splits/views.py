"""Named selections that may share items: all of them, a sample, a sample of each value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toolkit.errors import UserError
from toolkit.recipe.splits_section import View
from toolkit.splits.groups import hash_of, is_missing

__all__ = ["Drawn", "Sampled", "draw_view"]

_NAMED: Final = 20
"""Values with fewer items than asked for that are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """What a sample of each value of a column found.

    Attributes:
        per: the column.
        sample: items asked for of each value.
        values: how many values the column has.
        short: how many of them have fewer items than asked for.
        named: the first of these, in order, with the number of their items.
        without: items without a value, which are in no sample.
    """

    per: str
    sample: int
    values: int
    short: int
    named: Mapping[str, int]
    without: int

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "per": self.per,
            "sample": self.sample,
            "values": self.values,
            "short": self.short,
            "named": dict(self.named),
            "without": self.without,
        }


@dataclass(frozen=True, slots=True)
class Drawn:
    """The items of a view.

    Attributes:
        ids: sorted.
        sampled: what ``per`` found; None for a view without it.
    """

    ids: list[str] = field(default_factory=list)
    sampled: Sampled | None = None


def draw_view(
    name: str,
    view: View,
    item_ids: Sequence[str],
    *,
    seed: int,
    values: Sequence[object] | None = None,
) -> Drawn:
    """Draw the items of a view.

    A sample takes the items of lowest hash, so a larger sample holds a smaller one, and adding
    items to the corpus replaces few. With ``per`` that holds within each value of the column.

    Args:
        name: the view's name.
        view: what it holds.
        item_ids: the ids it may take, no two alike, in any order.
        seed: the recipe's seed.
        values: of the column ``view.per``, in the order of the ids; needed where it is set.

    Raises:
        UserError: there is no item, a sample without ``per`` asks for more than there are, or the
            column holds lists or has no value at all.
        ValueError: the values were needed and not given.
    """
    if view.per is not None:
        if values is None:
            raise ValueError(f"the values of {view.per} are needed and were not given")
        return _per_value(name, view, view.per, dict(zip(item_ids, values, strict=True)), seed)
    size = len(item_ids) if view.sample is None else view.sample
    if not 1 <= size <= len(item_ids):
        raise UserError(
            f"splits: {name} asks for {size} of {len(item_ids)} items",
            hint=f"set {name}.sample from 1 to the number of items, or enlarge the corpus",
        )
    return Drawn(sorted(_ranked(item_ids, seed)[:size]))


def _ranked(item_ids: Sequence[str], seed: int) -> list[str]:
    return sorted(item_ids, key=lambda item: (hash_of(seed, item), item))


def _per_value(
    name: str, view: View, column: str, values: Mapping[str, object], seed: int
) -> Drawn:
    sample = len(values) if view.sample is None else view.sample
    held: dict[str, list[str]] = {}
    without = 0
    for item, value in values.items():
        if isinstance(value, list | dict):
            raise UserError(
                f"splits: {name} draws from each value of '{column}', which holds lists",
                hint="name a column of texts, numbers or dates",
            )
        if is_missing(value) or not str(value).strip():
            without += 1
        else:
            held.setdefault(str(value), []).append(item)
    if not held:
        raise UserError(
            f"splits: {name} draws from each value of '{column}', and no item has one",
            hint="name another column, or remove per:",
        )
    short = {value: len(items) for value, items in sorted(held.items()) if len(items) < sample}
    ids = [item for items in held.values() for item in _ranked(items, seed)[:sample]]
    sampled = Sampled(
        per=column,
        sample=sample,
        values=len(held),
        short=len(short),
        named=dict(list(short.items())[:_NAMED]),
        without=without,
    )
    return Drawn(sorted(ids), sampled)
