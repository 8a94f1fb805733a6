"""Cosines between terms: their nearest concept, and the middle band of what is like them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toolkit.metrics.embedder import Embedding

__all__ = ["BAND", "Encoder", "Space"]

BAND: Final = (50.0, 75.0)
"""Percentiles of a term's own cosines between which its alternatives lie."""


class Encoder(Protocol):
    """What gives a term its direction, such as :class:`toolkit.metrics.embeddings.Embeddings`."""

    def measure(self, texts: Sequence[str], /) -> Sequence[Embedding]:
        """Return the embedding of each text, in the order given."""
        ...


class Space:
    """Terms as directions.

    Attributes:
        terms: sorted.
    """

    def __init__(self, terms: Iterable[str], encoder: Encoder) -> None:
        """Embed terms.

        Args:
            terms: the terms; order and repetition make no difference.
            encoder: the model.

        Raises:
            MissingError: the model or its library is not on this machine.
        """
        import numpy as np

        self.terms = tuple(sorted(set(terms)))
        found = encoder.measure(self.terms) if self.terms else []
        vectors = np.stack([one.vector for one in found]) if found else np.zeros((0, 1))
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        self._unit: NDArray[np.float64] = vectors / np.where(lengths == 0.0, 1.0, lengths)
        self._place = {term: at for at, term in enumerate(self.terms)}

    def among(self, terms: Iterable[str]) -> Space:
        """Return the space of some of its terms."""
        part = copy(self)
        part.terms = tuple(sorted(set(terms)))
        part._unit = self._unit[[self._place[term] for term in part.terms]]
        part._place = {term: at for at, term in enumerate(part.terms)}
        return part

    def nearest(self, term: str, among: Sequence[str]) -> tuple[str, float]:
        """Return the most similar of some terms, and its cosine; the first of several equal ones.

        Args:
            term: a term of the space.
            among: terms of the space, at least one.
        """
        import numpy as np

        places = [self._place[other] for other in among]
        cosines = self._unit[places] @ self._unit[self._place[term]]
        best = int(np.argmax(cosines))
        return among[best], float(cosines[best])

    def band(self, term: str) -> Iterator[tuple[str, float]]:
        """Yield the terms of the middle band with their cosines, the most similar first.

        They are those whose cosine to the term is from the 50th to the 75th percentile of its
        cosines to all other terms of the space, both ends included.
        """
        import numpy as np

        if len(self.terms) < 2:
            return
        own = self._place[term]
        cosines = self._unit @ self._unit[own]
        low, high = np.percentile(np.delete(cosines, own), BAND)
        inside = np.flatnonzero((cosines >= low) & (cosines <= high))
        # Terms are sorted, so a stable order breaks ties by the alphabet.
        for at in inside[np.argsort(-cosines[inside], kind="stable")]:
            if at != own:
                yield self.terms[at], float(cosines[at])
