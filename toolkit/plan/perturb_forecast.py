"""What editing items will take."""

from __future__ import annotations

import os
from typing import Final

from toolkit.plan.cost import Cost
from toolkit.plan.step import Plan, Step
from toolkit.plan.variants import BOTH, VARIANTS
from toolkit.store.artifact import Artifact

__all__ = ["perturbing"]

_TEXTS_A_SECOND: Final = 1000.0
"""Of one core, for texts of some hundred words and a dictionary of some hundred terms."""

_ROW_BYTES: Final = 1500
_WORKER_BYTES: Final = 200_000_000


def perturbing(plan: Plan, step: Step, items: int | None, artifact: Artifact | None) -> Cost:
    """Return the cost of the step that edits items.

    Args:
        plan: the plan.
        step: the step.
        items: items that are edited; None where not known.
        artifact: what the step left, None when it has not run.
    """
    perturb = plan.recipe.perturb
    assert perturb is not None
    with_items = bool(step.params["with_items"])
    if artifact is not None:
        rows: int | None = artifact.manifest.rows(BOTH if with_items else VARIANTS)
        disk = sum(shard.bytes for shard in artifact.manifest.shards)
        return Cost(rows=rows, disk_bytes=disk, hours=0.0)
    rows = None if items is None else items * (len(perturb.levels) + with_items)
    workers = plan.recipe.execution.workers or os.cpu_count() or 1
    return Cost(
        rows=rows,
        disk_bytes=None if rows is None else rows * _ROW_BYTES * (2 if with_items else 1),
        memory_bytes=_WORKER_BYTES,
        hours=None if rows is None else rows / _TEXTS_A_SECOND / workers / 3600,
    )
