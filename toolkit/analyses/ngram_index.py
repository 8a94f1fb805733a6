"""Which runs of words of some texts stand in a stream of other texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

from toolkit.splits.near_duplicates import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Coverage", "NgramIndex"]

_FACTOR: Final = 0x9E3779B97F4A7C15
_PENDING: Final = 1 << 20
"""N-grams looked up at a time."""


class Coverage(NamedTuple):
    """How much of a text was met.

    Attributes:
        ngrams: how many n-grams it has; none when it has fewer than n words.
        found: how many of them were met.
        longest: words in its longest run of which every n-gram was met; 0 without any.
    """

    ngrams: int
    found: int
    longest: int


class NgramIndex:
    """The n-grams of texts as 64-bit hashes; other texts stream past them.

    Held in memory: some 13 bytes an n-gram of the texts (more while it is built), whatever
    streams past. Two different n-grams share a hash with probability 2^-64 each.
    """

    def __init__(self, texts: Sequence[str | None], n: int) -> None:
        """Take the n-grams of the texts.

        Args:
            texts: k texts; None has no n-gram.
            n: words in an n-gram.
        """
        import numpy as np

        self._n = n
        parts = [self._hashes(text or "") for text in texts]
        self._starts = np.cumsum([0, *(len(part) for part in parts)])
        joined = np.concatenate([np.empty(0, np.uint64), *parts])
        del parts
        self._hashes_of, codes = np.unique(joined, return_inverse=True)
        self._codes = codes.astype(np.int32 if len(joined) < 2**31 else np.int64)
        self._found = np.zeros(len(self._hashes_of), bool)
        self._pending: list[NDArray[np.uint64]] = []
        self._waiting = 0

    def pass_by(self, text: str) -> None:
        """Mark the n-grams that a text has."""
        hashes = self._hashes(text)
        self._pending.append(hashes)
        self._waiting += len(hashes)
        if self._waiting >= _PENDING:
            self._look_up()

    def coverage(self) -> list[Coverage]:
        """Return how much of each text was met, in the order of the texts."""
        self._look_up()
        return [
            self._coverage(int(first), int(last))
            for first, last in zip(self._starts[:-1], self._starts[1:], strict=True)
        ]

    def _coverage(self, first: int, last: int) -> Coverage:
        import numpy as np

        met = self._found[self._codes[first:last]]
        if not met.any():
            return Coverage(len(met), 0, 0)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], met.view(np.int8), [0]])))
        run = int((edges[1::2] - edges[::2]).max())
        return Coverage(len(met), int(met.sum()), run + self._n - 1)

    def _look_up(self) -> None:
        import numpy as np

        if self._pending and len(self._hashes_of):
            # Sorted, so that the search walks through memory in order.
            asked = np.sort(np.concatenate(self._pending))
            at = np.searchsorted(self._hashes_of, asked)
            at[at == len(self._hashes_of)] = 0
            self._found[at[self._hashes_of[at] == asked]] = True
        self._pending.clear()
        self._waiting = 0

    def _hashes(self, text: str) -> NDArray[np.uint64]:
        """Return a polynomial hash of each n-gram, in order."""
        import numpy as np

        found = words(text)
        count = len(found) - self._n + 1
        if count < 1:
            return np.empty(0, np.uint64)
        codes = np.fromiter(map(_word, found), np.uint64, len(found))
        hashes = np.zeros(count, np.uint64)
        for at in range(self._n):
            # Unsigned arithmetic wraps around, as a hash may.
            hashes = hashes * np.uint64(_FACTOR) + codes[at : at + count]
        return hashes


@lru_cache(maxsize=1 << 19)
def _word(word: str) -> int:
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
