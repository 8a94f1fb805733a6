"""Which texts of a stream are copies or near-duplicates of some texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from toolkit.analyses.training_texts import TrainingText
from toolkit.recipe.splits_section import NearDuplicates
from toolkit.splits.near_duplicates import band_keys, digests, shingles, signatures

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Match", "NearIndex"]

_AT_ONCE: Final = 256
"""Texts of the stream that are looked at together."""

_CHARACTERS: Final = 1 << 24
"""Characters of them from which on fewer are."""


class Match(NamedTuple):
    """The likest text of the stream that a text was compared with.

    Attributes:
        jaccard: similarity of their word shingles, 0 to 1; 1 for equal words.
        exact: whether their words are equal, case and punctuation ignored.
        file: name of the file.
        position: 0-based line, row or paragraph in it.
    """

    jaccard: float
    exact: bool
    file: str
    position: int


class NearIndex:
    """Signatures of texts; other texts stream past them.

    MinHash proposes pairs and the exact Jaccard similarity decides (see
    :mod:`toolkit.splits.near_duplicates`). Held in memory: 8 bytes for each text and band, and
    the texts themselves.
    """

    def __init__(self, texts: Sequence[str | None], params: NearDuplicates | None) -> None:
        """Take the texts.

        Args:
            texts: k texts; None is like nothing.
            params: when two texts are near-duplicates; None looks for copies alone.
        """
        import numpy as np

        self._texts = [text or "" for text in texts]
        self._params = params
        self._by_words: dict[bytes, list[int]] = {}
        for at, digest in enumerate(digests(self._texts)):
            if digest:
                self._by_words.setdefault(digest, []).append(at)
        self._worded = np.array(
            sorted(at for members in self._by_words.values() for at in members), np.int64
        )
        self._bands: list[tuple[NDArray[np.uint64], NDArray[np.int64]]] = []
        if params is not None and len(self._worded):
            held = (self._texts[at] for at in self._worded.tolist())
            for keys in band_keys(signatures(held, params), params).T:
                order = np.argsort(keys, kind="stable")
                self._bands.append((keys[order], self._worded[order]))
        self._best: dict[int, Match] = {}
        self._pending: list[TrainingText] = []
        self._waiting = 0

    def pass_by(self, text: TrainingText) -> None:
        """Compare a text with all that are held."""
        self._pending.append(text)
        self._waiting += len(text.text)
        if len(self._pending) == _AT_ONCE or self._waiting > _CHARACTERS:
            self._compare()

    def matches(self) -> list[Match | None]:
        """Return the best match of each text, of equal ones the first; None without any."""
        self._compare()
        return [self._best.get(at) for at in range(len(self._texts))]

    def _compare(self) -> None:
        worded = [
            (text, digest)
            for text, digest in zip(
                self._pending, digests(text.text for text in self._pending), strict=True
            )
            if digest
        ]
        self._pending, self._waiting = [], 0
        copies: set[tuple[int, int]] = set()
        for at, (text, digest) in enumerate(worded):
            for member in self._by_words.get(digest, ()):
                copies.add((at, member))
                self._take(member, Match(1.0, True, text.file, text.position))
        if self._params is None or not worded or not self._bands:
            return
        size = self._params.shingle
        parts: dict[int, frozenset[str]] = {}
        for at, member in sorted(self._proposed([text.text for text, _ in worded]) - copies):
            text = worded[at][0]
            one = parts.get(at)
            if one is None:
                one = parts[at] = shingles(text.text, size)
            other = shingles(self._texts[member], size)
            common = len(one & other)
            jaccard = common / (len(one) + len(other) - common)
            if jaccard >= self._params.threshold:
                self._take(member, Match(jaccard, False, text.file, text.position))

    def _proposed(self, texts: Sequence[str]) -> set[tuple[int, int]]:
        import numpy as np

        assert self._params is not None
        found: set[tuple[int, int]] = set()
        keys = band_keys(signatures(texts, self._params), self._params)
        for (known, members), asked in zip(self._bands, keys.T, strict=True):
            lows = np.searchsorted(known, asked, side="left")
            highs = np.searchsorted(known, asked, side="right")
            for at in np.flatnonzero(highs > lows).tolist():
                found.update((at, member) for member in members[lows[at] : highs[at]].tolist())
        return found

    def _take(self, member: int, match: Match) -> None:
        best = self._best.get(member)
        if best is None or (match.jaccard, match.exact) > (best.jaccard, best.exact):
            self._best[member] = match
