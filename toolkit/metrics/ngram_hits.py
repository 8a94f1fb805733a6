"""Common n-grams of many pairs of texts at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

__all__ = ["clipped_hits"]


def clipped_hits(
    pairs: Sequence[tuple[Sequence[str], Sequence[str]]], orders: int
) -> list[tuple[int, ...]]:
    """Count n-grams of the first text of each pair that the second has at least as often.

    An n-gram that stands more often in the first text than in the second counts as often as in
    the second (the clipped counts of Papineni et al. 2002).

    Args:
        pairs: tokens of two texts.
        orders: longest n-gram.

    Returns:
        For each pair the hits of orders 1, 2, ..., ``orders``.
    """
    import numpy as np

    numbers = _Numbers()
    texts = [text for pair in pairs for text in pair]
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    total = int(sizes.sum())
    tokens = np.fromiter(map(numbers.__getitem__, chain.from_iterable(texts)), np.int64, total)
    text = np.repeat(np.arange(len(texts)), sizes)
    # Tokens from each one to the end of its text.
    left = np.repeat(np.cumsum(sizes), sizes) - np.arange(total)
    hits = np.zeros((len(pairs), orders), np.int64)
    # Where n-grams start, and the number of the n-gram there that is one shorter: at first the
    # number of the pair, so that equal n-grams of different pairs differ.
    start, shorter = np.arange(total), text // 2
    for order in range(1, orders + 1):
        fits = left[start] >= order
        start, shorter = start[fits], shorter[fits]
        if not len(start):
            break
        keys = shorter * len(numbers) + tokens[start + order - 1]
        unique, ngram = np.unique(keys, return_inverse=True)
        first = text[start] % 2 == 0
        counts = [np.bincount(ngram[side], minlength=len(unique)) for side in (first, ~first)]
        common = np.minimum(*counts)
        pair = np.empty(len(unique), np.int64)
        pair[ngram] = text[start] // 2
        hits[:, order - 1] = np.bincount(pair, weights=common, minlength=len(pairs))
        # A longer n-gram can only be common where this one is.
        alive = common[ngram] > 0
        start, shorter = start[alive], ngram[alive]
    return [tuple(row) for row in hits.tolist()]


class _Numbers(dict[str, int]):
    """Token -> its number, given on first sight."""

    def __missing__(self, token: str) -> int:
        number = self[token] = len(self)
        return number
