"""What measuring each distinct text once will take."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from toolkit.plan.cost import Cost
from toolkit.plan.step import Plan, Step
from toolkit.store.artifact import Artifact

__all__ = ["measuring"]

_TEXTS_A_SECOND: Final = {"embeddings": 20.0, "likelihoods": 4.0}
"""Of one core, for the models that come in packages: MiniLM and SmolLM2 on 100 tokens."""

_TEXT_BYTES: Final = {"embeddings": 1600, "likelihoods": 60}
_WORKER_BYTES: Final = 1_500_000_000


def measuring(
    plan: Plan, step: Step, rows: Mapping[str, int | None], artifact: Artifact | None
) -> Cost:
    """Return the cost of a step that measures texts.

    Before it ran, texts are counted as if no two answers were alike; what they are compared with
    counts once for each table of items.

    Args:
        plan: the plan.
        step: the step.
        rows: rows of the steps before it, None where not known.
        artifact: what the step left, None when it has not run.
    """
    what = step.params["what"]
    if artifact is not None:
        texts: int | None = artifact.manifest.facts["texts"]
    else:
        answers = {name: rows.get(name) for name, _ in step.options["asks"]}
        texts = None
        if None not in answers.values():
            texts = sum(
                max((rows[name] or 0 for name in group), default=0)
                for group in _beside(step).values()
            )
            if any("output" in reads for reads in step.params["reads"].values()):
                texts += sum(count or 0 for count in answers.values())
    workers = plan.recipe.execution.workers or os.cpu_count() or 1
    rate = _TEXTS_A_SECOND.get(what, 10.0)
    return Cost(
        rows=texts,
        disk_bytes=None if texts is None else texts * _TEXT_BYTES.get(what, 1600),
        memory_bytes=_WORKER_BYTES,
        hours=None if texts is None else texts / rate / workers / 3600,
    )


def _beside(step: Step) -> dict[tuple[str, str], list[str]]:
    """Return the generation steps whose answers are looked at beside the same column."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, columns in step.params["columns"].items():
        table = step.params["tables"][name]
        for column, text in zip(columns, ("reference", "input"), strict=True):
            if text in step.params["reads"][name]:
                found.setdefault((table, column), []).append(name)
    return found
