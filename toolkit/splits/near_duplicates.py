"""Find near-duplicate texts: MinHash signatures propose pairs, exact Jaccard decides.

The work is divided so that a worker can do its shard alone: :func:`digests` and
:func:`signatures` look at one text at a time; :func:`find_pairs` needs the digests and
signatures of all items, but the texts of the proposed pairs only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

from toolkit.recipe.splits_section import NearDuplicates

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Pair",
    "bands",
    "candidate_pairs",
    "digests",
    "document",
    "find_pairs",
    "near_duplicates",
    "shingles",
    "signatures",
]

_WORD: Final = re.compile(r"\w+")
_SEED: Final = 1
_RECALL: Final = 0.999
_CACHED: Final = 4096


class Pair(NamedTuple):
    """Two near-duplicates, ``first < second``, and the Jaccard similarity of their shingles."""

    first: str
    second: str
    jaccard: float


def document(values: Iterable[str | None]) -> str:
    """Return the text that is compared: an item's columns, joined; missing ones left out."""
    return "\n\n".join(value for value in values if value)


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def shingles(text: str, size: int) -> frozenset[str]:
    """Return the runs of ``size`` successive words, case and punctuation ignored.

    A text of fewer words is one shingle, so it is a near-duplicate only of the same words. A
    text without words has no shingle and is a near-duplicate of nothing.
    """
    words = _words(text)
    if not words:
        return frozenset()
    last = max(1, len(words) - size + 1)
    return frozenset(" ".join(words[at : at + size]) for at in range(last))


def digests(texts: Iterable[str]) -> list[bytes]:
    """Return 16 bytes for each text, equal exactly when its words are; empty without words."""
    return [_digest(_words(text)) for text in texts]


def _digest(words: list[str]) -> bytes:
    return blake2b(" ".join(words).encode(), digest_size=16).digest() if words else b""


def signatures(texts: Iterable[str], params: NearDuplicates) -> NDArray[np.uint32]:
    """Return the MinHash signature of each text.

    Args:
        texts: n texts; shards may be worked separately and stacked.
        params: shingle size and number of permutations.

    Returns:
        Shape (n, permutations); a text without words has the largest value throughout.
    """
    import numpy as np
    from datasketch import MinHash

    sets = ([part.encode() for part in shingles(text, params.shingle)] for text in texts)
    rows = [
        sketch.hashvalues
        for sketch in MinHash.generator(
            sets, num_perm=params.permutations, seed=_SEED, scheme="affine32"
        )
    ]
    return np.array(rows, dtype=np.uint32).reshape(len(rows), params.permutations)


def bands(threshold: float, permutations: int) -> tuple[int, int]:
    """Choose the bands of the locality-sensitive hash.

    Two texts of similarity s agree in one of b bands of r values with probability
    1 - (1 - s^r)^b (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.4). The
    largest r is chosen for which that is at least 0.999 at the threshold: wrong proposals only
    cost time, a missed pair would be a leak.

    Returns:
        (b, r) with b * r <= permutations; (permutations, 1) when no r reaches 0.999.
    """
    for r in range(permutations, 0, -1):
        b = permutations // r
        if 1 - (1 - threshold**r) ** b >= _RECALL:
            return b, r
    return permutations, 1


def candidate_pairs(signatures: NDArray[np.uint32], params: NearDuplicates) -> NDArray[np.int64]:
    """Propose pairs of rows that agree in at least one band.

    Args:
        signatures: shape (n, permutations), as :func:`signatures` makes them.
        params: threshold and number of permutations.

    Returns:
        Shape (m, 2), each row ``i < j``, sorted, without repeats. Rows of texts without words
        take part in none.
    """
    import numpy as np

    rows = np.flatnonzero((signatures != np.iinfo(np.uint32).max).any(axis=1))
    n = len(signatures)
    found = np.empty(0, dtype=np.int64)
    b, r = bands(params.threshold, params.permutations)
    for band in range(b):
        keys = _band_keys(signatures[rows, band * r : (band + 1) * r])
        order = np.argsort(keys, kind="stable")
        one, two = _equal_runs(keys[order])
        low = np.minimum(rows[order[one]], rows[order[two]])
        high = np.maximum(rows[order[one]], rows[order[two]])
        found = np.union1d(found, low * n + high)
    return np.stack(np.divmod(found, max(n, 1)), axis=1)


def _band_keys(values: NDArray[np.uint32]) -> NDArray[np.uint64]:
    import numpy as np

    # FNV-1a over whole values; a collision proposes a pair that the exact test turns down.
    keys = np.full(len(values), 0xCBF29CE484222325, dtype=np.uint64)
    for column in range(values.shape[1]):
        keys = (keys ^ values[:, column]) * np.uint64(0x100000001B3)
    return keys


def _equal_runs(
    keys: NDArray[np.uint64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions of all pairs of equal keys in a sorted array."""
    import numpy as np

    at = np.arange(len(keys), dtype=np.int64)
    ones: list[NDArray[np.int64]] = []
    twos: list[NDArray[np.int64]] = []
    step = 1
    while len(at):
        at = at[at + step < len(keys)]
        at = at[keys[at] == keys[at + step]]
        ones.append(at)
        twos.append(at + step)
        step += 1
    empty = np.empty(0, dtype=np.int64)
    return np.concatenate([empty, *ones]), np.concatenate([empty, *twos])


def find_pairs(
    item_ids: Sequence[str],
    digests: Sequence[bytes],
    signatures: NDArray[np.uint32],
    text_of: Callable[[int], str],
    params: NearDuplicates,
) -> list[Pair]:
    """Return the near-duplicate pairs of a corpus, whatever its order.

    Items of equal words form a class and are reported as pairs of similarity 1 with its
    smallest id; between classes one pair is reported, that of their smallest ids. A thousand
    copies of one text so make 999 pairs, not half a million.

    Args:
        item_ids: n ids, no two alike.
        digests: n digests of :func:`digests`.
        signatures: shape (n, permutations), from :func:`signatures`.
        text_of: gives the text of a position; called for proposed pairs only.
        params: threshold, shingle size and permutations.

    Returns:
        Pairs sorted by ids.
    """
    import numpy as np

    order = sorted(range(len(item_ids)), key=item_ids.__getitem__)
    first: dict[bytes, int] = {}
    pairs: list[Pair] = []
    for at in order:
        if not digests[at]:
            continue
        leader = first.setdefault(digests[at], at)
        if leader != at:
            pairs.append(Pair(item_ids[leader], item_ids[at], 1.0))
    leaders = np.array(list(first.values()), dtype=np.int64)

    @lru_cache(maxsize=_CACHED)
    def parts(row: int) -> frozenset[str]:
        return shingles(text_of(int(leaders[row])), params.shingle)

    # Leaders stand in the order of their ids, so rows i < j are ids first < second.
    for i, j in candidate_pairs(signatures[leaders], params).tolist():
        similarity = _jaccard(parts(i), parts(j))
        if similarity >= params.threshold:
            pairs.append(Pair(item_ids[leaders[i]], item_ids[leaders[j]], similarity))
    return sorted(pairs)


def _jaccard(one: frozenset[str], two: frozenset[str]) -> float:
    common = len(one & two)
    return common / (len(one) + len(two) - common)


def near_duplicates(
    item_ids: Sequence[str], texts: Sequence[str], params: NearDuplicates
) -> list[Pair]:
    """Return the near-duplicate pairs of texts held in memory; see :func:`find_pairs`."""
    return find_pairs(
        item_ids, digests(texts), signatures(texts, params), texts.__getitem__, params
    )
