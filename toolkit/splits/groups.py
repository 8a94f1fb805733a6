"""Groups of items that stay together, and the hash that orders them.

The hash is BLAKE2b over the seed and the group's label: equal on every machine and Python,
and independent of every other item.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Final

__all__ = ["HASH_RANGE", "Duplicates", "Links", "base_labels", "hash_of", "is_missing"]

HASH_RANGE: Final = 1 << 64
"""Hashes are whole numbers from 0 to this, exclusive."""


def hash_of(seed: int, key: str) -> int:
    """Return the hash of a key under a seed, uniform in [0, 2^64)."""
    digest = blake2b(f"{seed}\x00{key}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def base_labels(
    item_ids: Sequence[str], columns: Mapping[str, Sequence[object]]
) -> list[tuple[str, ...]]:
    """Return the labels each item carries by its own values: ``column=value``.

    A missing or empty value makes no label: two items of unknown patients are not thereby of
    one patient. An item without any label carries its own id.
    """
    labels: list[tuple[str, ...]] = []
    for at, item in enumerate(item_ids):
        mine = tuple(
            f"{name}={values[at]}"
            for name, values in sorted(columns.items())
            if not is_missing(values[at])
        )
        labels.append(mine or (item,))
    return labels


def is_missing(value: object) -> bool:
    """Return whether a value says nothing: null, empty, or NaN as pandas writes a gap."""
    return value is None or value in ("", b"") or value != value


class Links:
    """Disjoint sets over ``range(n)``: items linked directly or through others are one set."""

    __slots__ = ("_parent",)

    def __init__(self, n: int) -> None:
        self._parent = list(range(n))

    def find(self, at: int) -> int:
        """Return the smallest member of the set that ``at`` is in."""
        parent = self._parent
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    def join(self, one: int, two: int) -> None:
        """Make the sets of ``one`` and ``two`` one set."""
        low, high = sorted((self.find(one), self.find(two)))
        self._parent[high] = low

    def join_equal(self, labels: Sequence[tuple[str, ...]], among: Iterable[int]) -> None:
        """Link those of ``among`` that share a label."""
        first: dict[str, int] = {}
        for at in among:
            for label in labels[at]:
                self.join(at, first.setdefault(label, at))

    def sets(self, among: Iterable[int]) -> list[list[int]]:
        """Return the sets as lists of members of ``among``, both in the order of ``among``."""
        found: dict[int, list[int]] = {}
        for at in among:
            found.setdefault(self.find(at), []).append(at)
        return list(found.values())


class Duplicates:
    """Near-duplicate pairs over ``range(n)``.

    Pairs of similarity 1 are an equivalence: what one member of such a class is like, all are
    like. A search may therefore report a class by few of its pairs, and every direct
    neighbour of a class is a direct neighbour of each of its members.

    Args:
        n: number of items.
        pairs: (one, two, Jaccard similarity).
    """

    __slots__ = ("classes", "edges")

    def __init__(self, n: int, pairs: Sequence[tuple[int, int, float]]) -> None:
        self.classes = Links(n)
        for one, two, jaccard in pairs:
            if jaccard == 1:
                self.classes.join(one, two)
        self.edges = sorted(
            {
                tuple(sorted((self.classes.find(one), self.classes.find(two))))
                for one, two, jaccard in pairs
                if jaccard < 1
            }
        )

    def link(self, links: Links, among: Iterable[int]) -> None:
        """Link those of ``among`` that are near-duplicates of one another."""
        first: dict[int, int] = {}
        for at in among:
            links.join(at, first.setdefault(self.classes.find(at), at))
        for one, two in self.edges:
            if one in first and two in first:
                links.join(first[one], first[two])

    def neighbours(self, of: Iterable[int]) -> dict[int, list[int]]:
        """Return for each class the members of ``of`` that are in it or next to it.

        Returns:
            Keys are the classes' smallest members; only classes with neighbours are listed.
        """
        inside: dict[int, list[int]] = {}
        for at in of:
            inside.setdefault(self.classes.find(at), []).append(at)
        near = {root: list(members) for root, members in inside.items()}
        for one, two in self.edges:
            for here, there in ((one, two), (two, one)):
                if there in inside:
                    near.setdefault(here, []).extend(inside[there])
        return near
