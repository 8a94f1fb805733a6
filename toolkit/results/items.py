"""The scores of every item behind a record: ids and numbers, no text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ItemScores", "items_text", "read_items"]


@dataclass(frozen=True, slots=True)
class ItemScores:
    """One number for each item and score, repeats averaged.

    Attributes:
        items: ids, sorted.
        scores: names of the scores.
        values: (items, scores); NaN where an item has no value.
        clusters: of each item, digits of a digest that items of one cluster share; empty where
            each item counts for itself.
    """

    items: tuple[str, ...]
    scores: tuple[str, ...]
    values: NDArray[np.float64]
    clusters: tuple[str, ...] = ()


def items_text(scores: ItemScores) -> str:
    """Return the file: a line of canonical JSON an item, in the order of the ids."""
    raise NotImplementedError


def read_items(text: str, where: str) -> ItemScores:
    """Read a file of item scores.

    Raises:
        UserError: a line is not what :func:`items_text` writes; all faults at once.
    """
    raise NotImplementedError
