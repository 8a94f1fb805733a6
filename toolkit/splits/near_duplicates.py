"""Find near-duplicate texts: MinHash signatures propose pairs, exact Jaccard decides.

The work is divided so that no process needs more than a part of the corpus: :func:`digests`,
:func:`signatures` and :func:`band_keys` look at one text at a time; :func:`propose` needs the
digests of all items and their keys one band after the other; :func:`similarities` needs the
texts of the pairs that it is given. :func:`find_pairs` does all of it for texts at hand.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

from toolkit.recipe.splits_section import NearDuplicates

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Pair",
    "Proposals",
    "band_keys",
    "bands",
    "candidate_pairs",
    "digests",
    "document",
    "find_pairs",
    "near_duplicates",
    "propose",
    "shingles",
    "signatures",
    "similarities",
    "words",
]

_WORD: Final = re.compile(r"\w+")
_SEED: Final = 1
_RECALL: Final = 0.999


class Pair(NamedTuple):
    """Two near-duplicates, ``first < second``, and the Jaccard similarity of their shingles."""

    first: str
    second: str
    jaccard: float


class Proposals(NamedTuple):
    """Pairs of positions in the corpus; the id of a pair's first is smaller than its second's.

    Attributes:
        copies: shape (k, 2), items of equal words: the one of the smallest id, and another.
        pairs: shape (m, 2), items that may be near-duplicates.
    """

    copies: NDArray[np.int64]
    pairs: NDArray[np.int64]

    def accepted(
        self, jaccards: NDArray[np.float64], threshold: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the near-duplicates among them.

        Args:
            jaccards: shape (m,), the similarity of each of ``pairs``.
            threshold: the least similarity of near-duplicates.

        Returns:
            Positions of shape (n, 2) and similarities of shape (n,), copies first.
        """
        import numpy as np

        kept = jaccards >= threshold
        return (
            np.concatenate([self.copies, self.pairs[kept]]),
            np.concatenate([np.ones(len(self.copies)), jaccards[kept]]),
        )


def document(values: Iterable[str | None]) -> str:
    """Return the text that is compared: an item's columns, joined; missing ones left out."""
    return "\n\n".join(value for value in values if value)


def words(text: str) -> list[str]:
    """Return the words of a text, case folded and compatibility forms (NFKC) made one."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def shingles(text: str, size: int) -> frozenset[str]:
    """Return the runs of ``size`` successive words, case and punctuation ignored.

    A text of fewer words is one shingle, so it is a near-duplicate only of the same words. A
    text without words has no shingle and is a near-duplicate of nothing.
    """
    found = words(text)
    if not found:
        return frozenset()
    last = max(1, len(found) - size + 1)
    return frozenset(" ".join(found[at : at + size]) for at in range(last))


def digests(texts: Iterable[str]) -> list[bytes]:
    """Return 16 bytes for each text, equal exactly when its words are; empty without words."""
    return [_digest(words(text)) for text in texts]


def _digest(found: list[str]) -> bytes:
    return blake2b(" ".join(found).encode(), digest_size=16).digest() if found else b""


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


def band_keys(signatures: NDArray[np.uint32], params: NearDuplicates) -> NDArray[np.uint64]:
    """Return one number for each band of each signature, equal when the band is.

    Args:
        signatures: shape (n, permutations), as :func:`signatures` makes them.
        params: threshold and number of permutations.

    Returns:
        Shape (n, b), b as :func:`bands` chooses it. Bands that differ get the same number with
        probability 2^-64; that proposes a pair which the exact test turns down.
    """
    import numpy as np

    b, r = bands(params.threshold, params.permutations)
    parts = signatures[:, : b * r].reshape(len(signatures), b, r)
    # FNV-1a over whole values.
    keys = np.full((len(signatures), b), 0xCBF29CE484222325, dtype=np.uint64)
    for column in range(r):
        keys = (keys ^ parts[:, :, column]) * np.uint64(0x100000001B3)
    return keys


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
    return rows[_agreeing(band_keys(signatures[rows], params).T, len(rows))]


def _agreeing(bands: Iterable[NDArray[np.uint64]], n: int) -> NDArray[np.int64]:
    """Return the pairs ``i < j`` of range(n) with equal keys in a band, sorted."""
    import numpy as np

    found = np.empty(0, dtype=np.int64)
    for keys in bands:
        order = np.argsort(keys, kind="stable")
        one, two = _equal_runs(keys[order])
        low = np.minimum(order[one], order[two])
        high = np.maximum(order[one], order[two])
        found = np.union1d(found, low * n + high)
    return np.stack(np.divmod(found, max(n, 1)), axis=1)


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


def propose(
    order: NDArray[np.int64], digests: Sequence[bytes], bands: Iterable[NDArray[np.uint64]]
) -> Proposals:
    """Propose the near-duplicate pairs of a corpus, whatever its order.

    Items of equal words form a class, and pair with its smallest id; between classes only
    their smallest ids are proposed. A thousand copies of one text so make 999 pairs, not half
    a million.

    Args:
        order: shape (n,), the positions of the items in the order of their ids.
        digests: n digests of :func:`digests`.
        bands: b arrays of shape (n,), the columns of :func:`band_keys`; one is looked at after
            the other, so that not all need be in memory.

    Returns:
        The pairs, in the order of the first id and then of the second.
    """
    leaders, copies = _classes(order, digests)
    # Leaders stand in the order of their ids, so rows i < j are ids first < second.
    pairs = _agreeing((keys[leaders] for keys in bands), len(leaders))
    return Proposals(copies, leaders[pairs])


def _classes(
    order: NDArray[np.int64], digests: Sequence[bytes]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first item of each class of equal words, and (first, other) for the others."""
    import numpy as np

    held = order[np.fromiter(map(bool, digests), dtype=bool, count=len(digests))[order]]
    joined = b"".join(digests[at] for at in held.tolist())
    halves = np.frombuffer(joined, dtype=np.uint64).reshape(-1, 2)
    # The sort is stable: equal words stay in the order of their ids, the smallest first.
    by_words = np.lexsort((halves[:, 1], halves[:, 0]))
    ordered = halves[by_words]
    starts = np.ones(len(held), dtype=bool)
    starts[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    leader = np.empty(len(held), dtype=np.int64)
    leader[by_words] = by_words[starts][np.cumsum(starts) - 1]
    alone = leader == np.arange(len(held))
    copies = np.stack([held[leader[~alone]], held[~alone]], axis=1)
    return held[alone], copies


def similarities(
    pairs: NDArray[np.int64], text_of: Callable[[int], str], size: int
) -> NDArray[np.float64]:
    """Return the Jaccard similarity of the shingles of each pair.

    Each text is asked for and taken apart once, and its shingles are kept to the end: some 25
    bytes a character.

    Args:
        pairs: shape (m, 2), numbers of texts that have words.
        text_of: gives the text of a number.
        size: words in a shingle.

    Returns:
        Shape (m,), in (0, 1] where a shingle is shared, else 0.
    """
    import numpy as np

    parts = {at: shingles(text_of(at), size) for at in np.unique(pairs).tolist()}
    found = (_jaccard(parts[one], parts[two]) for one, two in pairs.tolist())
    return np.fromiter(found, dtype=np.float64, count=len(pairs))


def _jaccard(one: frozenset[str], two: frozenset[str]) -> float:
    common = len(one & two)
    return common / (len(one) + len(two) - common)


def find_pairs(
    item_ids: Sequence[str],
    digests: Sequence[bytes],
    signatures: NDArray[np.uint32],
    text_of: Callable[[int], str],
    params: NearDuplicates,
) -> list[Pair]:
    """Return the near-duplicate pairs of a corpus, whatever its order; see :func:`propose`.

    Args:
        item_ids: n ids, no two alike.
        digests: n digests of :func:`digests`.
        signatures: shape (n, permutations), from :func:`signatures`.
        text_of: gives the text of a position; called for proposed pairs only.
        params: threshold, shingle size and permutations.

    Returns:
        Pairs sorted by ids; copies have similarity 1.
    """
    import numpy as np

    order = np.array(sorted(range(len(item_ids)), key=item_ids.__getitem__), dtype=np.int64)
    proposals = propose(order, digests, band_keys(signatures, params).T)
    jaccards = similarities(proposals.pairs, text_of, params.shingle)
    rows, values = proposals.accepted(jaccards, params.threshold)
    return sorted(
        Pair(item_ids[one], item_ids[two], value)
        for (one, two), value in zip(rows.tolist(), values.tolist(), strict=True)
    )


def near_duplicates(
    item_ids: Sequence[str], texts: Sequence[str], params: NearDuplicates
) -> list[Pair]:
    """Return the near-duplicate pairs of texts held in memory; see :func:`find_pairs`."""
    return find_pairs(
        item_ids, digests(texts), signatures(texts, params), texts.__getitem__, params
    )
