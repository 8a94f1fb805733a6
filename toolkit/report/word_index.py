"""Which items hold a word: an index in small parts, of which a search loads the few it needs."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from toolkit.report.chunks import ChunkFolder, varints

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["WordIndex", "words_of"]

_WORD: Final = re.compile(r"\w+")
_LONGEST: Final = 40
_PART_POSTINGS: Final = 100_000
_PART_WORDS: Final = 8_000

_COMMON: Final = 0.5
"""Words of more than this share of the items tell nothing and are left out."""

_FEW: Final = 1_000
"""Below so many items nothing is left out."""

MOST_POSTINGS: Final = 20_000_000
"""Entries of four bytes that are held at once; beyond it, further texts are not indexed."""


class WordIndex:
    """Collects (word, item) pairs, four bytes a pair."""

    def __init__(self, most: int = MOST_POSTINGS) -> None:
        self._places: dict[str, array[int]] = {}
        self._most = most
        self._count = 0
        self.full = False

    def add(self, place: int, text: str) -> None:
        """Note the words of a text of the item at ``place``; nothing once the index is full."""
        if self._count >= self._most:
            self.full = True
            return
        words = words_of(text)
        self._count += len(words)
        for word in words:
            places = self._places.get(word)
            if places is None:
                self._places[word] = array("I", (place,))
            else:
                places.append(place)

    def write(self, out: ChunkFolder, items: int) -> dict[str, Any]:
        """Write the parts ``words-NNNN``.

        Returns:
            What the page must know: the ``first`` word of each part, in order; the ``common``
            words that are left out; whether the index is ``full``.
        """
        first: list[str] = []
        common: list[str] = []
        for number, part in enumerate(self._parts(items, common)):
            first.append(part[0][0])
            counts = [len(places) for _, places in part]
            out.write(
                f"words-{number:04d}",
                {
                    "words": " ".join(word for word, _ in part),
                    "counts": varints(counts),
                    "deltas": varints(_deltas([places for _, places in part])),
                },
            )
        return {"first": first, "common": common, "full": self.full}

    def _parts(
        self, items: int, common: list[str]
    ) -> Iterator[list[tuple[str, NDArray[np.uint32]]]]:
        import numpy as np

        most = items * _COMMON if items > _FEW else items
        part: list[tuple[str, NDArray[np.uint32]]] = []
        postings = 0
        # Sorted as JavaScript compares texts: by UTF-16 code units.
        for word in sorted(self._places, key=lambda word: word.encode("utf-16-be")):
            places = np.unique(np.frombuffer(self._places[word], dtype=np.uint32))
            if len(places) > most:
                common.append(word)
                continue
            part.append((word, places))
            postings += len(places)
            if postings >= _PART_POSTINGS or len(part) >= _PART_WORDS:
                yield part
                part, postings = [], 0
        if part:
            yield part


def words_of(text: str) -> set[str]:
    """Return the distinct lower-case words of a text: runs of letters, digits and underscores."""
    return {word[:_LONGEST] for word in _WORD.findall(text.lower())}


def _deltas(lists: list[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    """Return ascending numbers as steps; each list begins anew."""
    import numpy as np

    steps = [np.diff(places, prepend=np.uint32(0)) for places in lists]
    return np.concatenate(steps).astype(np.uint32)
