"""Distinct texts by their ids, in arrays: 28 bytes a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from toolkit.stages.measured_texts import ID_BYTES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DistinctTexts"]

_PENDING: Final = 1 << 18
"""Texts that may wait before repetitions are taken out."""


class DistinctTexts:
    """Collects texts; of several places of one text the lowest stays.

    What comes out does not depend on the order of what goes in.
    """

    def __init__(self) -> None:

        self._parts: list[tuple[NDArray[np.bytes_], NDArray[np.uint64], NDArray[np.uint32]]] = []
        self._pending = 0
        self._kept = 0

    def add(self, ids: Sequence[bytes], places: Sequence[int], lengths: Sequence[int]) -> None:
        """Add n texts.

        Args:
            ids: 16 bytes each.
            places: where the text can be read again, 0 or more.
            lengths: in characters.
        """
        import numpy as np

        if not ids:
            return
        self._parts.append(
            (
                np.frombuffer(b"".join(ids), dtype=f"S{ID_BYTES}"),
                np.array(places, dtype=np.uint64),
                np.array(lengths, dtype=np.uint32),
            )
        )
        self._pending += len(ids)
        # As many as are kept already: then each text is sorted a few times, not once a call.
        if self._pending > max(_PENDING, self._kept):
            self._merge()

    @property
    def ids(self) -> NDArray[np.bytes_]:
        """The ids of the distinct texts, ascending."""
        return self._merge()[0]

    @property
    def places(self) -> NDArray[np.uint64]:
        """The lowest place of each, in the order of the ids."""
        return self._merge()[1]

    def by_place(self) -> NDArray[np.int64]:
        """Return the positions of all texts in the order of their places."""
        import numpy as np

        return np.argsort(self._merge()[1], kind="stable")

    def by_length(self) -> NDArray[np.int64]:
        """Return the positions of all texts in the order of their lengths, then of their ids."""
        import numpy as np

        return np.argsort(self._merge()[2], kind="stable")

    def _merge(self) -> tuple[NDArray[np.bytes_], NDArray[np.uint64], NDArray[np.uint32]]:
        import numpy as np

        if not self._parts:
            self._parts = [
                (
                    np.empty(0, dtype=f"S{ID_BYTES}"),
                    np.empty(0, dtype=np.uint64),
                    np.empty(0, dtype=np.uint32),
                )
            ]
        if self._pending:
            ids, places, lengths = (np.concatenate(part) for part in zip(*self._parts, strict=True))
            order = np.argsort(places, kind="stable")
            # The first of equal ids is then the one with the lowest place.
            kept, first = np.unique(ids[order], return_index=True)
            self._parts = [(kept, places[order][first], lengths[order][first])]
            self._kept, self._pending = len(kept), 0
        return self._parts[0]
