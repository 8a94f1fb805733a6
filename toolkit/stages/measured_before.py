"""Take over what earlier runs of a workspace measured of the same texts with the same model.

Only at a batch size of 1: a result then depends on its own text alone, so that it is the same
bits wherever it was computed with the same weights, settings and libraries. A model that is
added to a recipe then costs its own texts and no more.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.errors import StoreError
from toolkit.metrics.measured import Measurer
from toolkit.stages.context import Context
from toolkit.stages.measured_texts import open_measured

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["earlier", "measure_rest"]

_log = logging.getLogger("toolkit.run")


def earlier(context: Context, measurer: Measurer, ids: NDArray[np.bytes_]) -> tuple[Path, ...]:
    """Return the finished artifacts of this workspace that hold some of the texts.

    Args:
        context: of the step in hand.
        measurer: what measures.
        ids: of the distinct texts, ascending.
    """
    import numpy as np

    if measurer.batch_size > 1:
        return ()
    useful: list[Path] = []
    left = np.ones(len(ids), dtype=bool)
    for folder in sorted(context.folder.parent.iterdir()):
        known = _known(folder, context, ids) if folder != context.folder else None
        if known is not None and (known & left).any():
            useful.append(folder)
            left &= ~known
    taken = len(ids) - int(left.sum())
    if taken:
        _log.info(
            "step %s: %d of %d texts were measured before", context.step.name, taken, len(ids)
        )
    return tuple(useful)


def measure_rest(measurer: Measurer, texts: Sequence[str], folders: Sequence[Path]) -> list[Any]:
    """Return what is found of each text; what lies in one of the folders is not measured again."""
    found: dict[str, Any] = {}
    for folder in folders:
        left = [text for text in texts if text not in found]
        try:
            found |= open_measured(folder).find(left, measurer)
        except StoreError:
            # Removed or damaged meanwhile: its texts are measured like any other.
            continue
    rest = [text for text in texts if text not in found]
    if rest:
        found |= zip(rest, measurer.measure(rest), strict=True)
    return [found[text] for text in texts]


def _known(folder: Path, context: Context, ids: NDArray[np.bytes_]) -> NDArray[np.bool_] | None:
    """Return which texts an artifact holds; None where it is not whole or of another measurer."""
    try:
        measured = open_measured(folder)
        if measured.measurer != context.step.params["measurer"]:
            return None
        return measured.holds(ids)
    except (StoreError, OSError):
        return None
