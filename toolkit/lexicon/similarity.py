"""Cosines between terms: their nearest concept, and the middle band of what is like them."""

from __future__ import annotations

from collections.abc import Sequence
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
    """Terms as directions."""

    def __init__(self, terms: Sequence[str], encoder: Encoder) -> None:
        """Embed terms.

        Args:
            terms: distinct terms.
            encoder: the model.

        Raises:
            MissingError: the model or its library is not on this machine.
        """
        import numpy as np

        self.terms = tuple(terms)
        self._place = {term: at for at, term in enumerate(self.terms)}
        found = encoder.measure(self.terms) if self.terms else []
        vectors = np.stack([one.vector for one in found]) if found else np.zeros((0, 1))
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        self._unit: NDArray[np.float64] = vectors / np.where(lengths == 0.0, 1.0, lengths)

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

    def band(self, term: str, pool: Sequence[str]) -> list[tuple[str, float]]:
        """Return the terms of the middle band with their cosines, the most similar first.

        Args:
            term: a term of the space.
            pool: terms of the space; the term itself does not count among them.

        Returns:
            Those whose cosine to the term is from the 50th to the 75th percentile of all its
            cosines to the pool, both ends included.
        """
        import numpy as np

        others = [other for other in pool if other != term]
        if not others:
            return []
        cosines = self._unit[[self._place[o] for o in others]] @ self._unit[self._place[term]]
        low, high = np.percentile(cosines, BAND)
        inside = [
            (other, float(cosine))
            for other, cosine in zip(others, cosines, strict=True)
            if low <= cosine <= high
        ]
        return sorted(inside, key=lambda pair: (-pair[1], pair[0]))
