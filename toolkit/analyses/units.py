"""Whose mean one line of a table is: a competitor, or several pooled item by item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolkit.analyses.base import AnalysisInputs
from toolkit.analyses.score_matrix import ScoreMatrix, System

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "ALL_MODELS",
    "ALL_PROMPTS",
    "Unit",
    "item_means",
    "pooled_units",
    "size_range",
    "with_prompts",
]

ALL_MODELS: Final = "all models"
ALL_PROMPTS: Final = "all prompts"


@dataclass(frozen=True, slots=True)
class Unit:
    """One line of a table.

    Attributes:
        model: what the table calls it.
        prompt: its prompt; empty for a baseline, ``all prompts`` where several are averaged.
        systems: the competitors behind it.
        values: (items,) the mean of their scores on each item; NaN where none has one.
    """

    model: str
    prompt: str
    systems: tuple[System, ...]
    values: NDArray[np.float64]

    @property
    def name(self) -> str:
        """What figures call it."""
        return f"{self.model} {self.prompt}" if self.prompt else self.model


def item_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each row over what it has; NaN for a row without any.

    Args:
        values: (items, k) NaN where there is no value.
    """
    import numpy as np

    known = np.isfinite(values)
    counts = known.sum(axis=1)
    sums = np.where(known, values, 0.0).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: NDArray[np.float64] = np.where(counts > 0, sums / counts, np.nan)
    return means


def size_range(sizes: Sequence[int]) -> str:
    """Return the smallest and the largest of some numbers in words, or the one they all are."""
    return str(min(sizes)) if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"


def with_prompts(systems: Sequence[System], prompts: Sequence[str]) -> list[System]:
    """Return the competitors of some prompts, or of all for none; baselines have none and stay."""
    return [
        (model, prompt)
        for model, prompt in systems
        if not prompts or not prompt or prompt in prompts
    ]


def pooled_units(
    matrix: ScoreMatrix,
    inputs: AnalysisInputs,
    *,
    systems: Sequence[System],
    each_model: bool,
    each_prompt: bool,
) -> list[Unit]:
    """Return the lines of a table, sorted by model and prompt.

    Where models are pooled, baselines and the reference stay out, unless there is nothing else:
    then the baselines are pooled. An item's mean is over the competitors that have a value of it.

    Args:
        matrix: the scores.
        inputs: titles and kinds of the models.
        systems: the competitors that take part.
        each_model: a line for each model, rather than one for all of them.
        each_prompt: a line for each prompt.
    """
    kept = list(systems)
    if not each_model:
        kinds = {model: inputs.kinds.get(model, "model") for model, _ in systems}
        wanted = "model" if "model" in kinds.values() else "baseline"
        kept = [system for system in systems if kinds[system[0]] == wanted]
    found: dict[tuple[str, str], list[System]] = {}
    for model, prompt in kept:
        key = (model if each_model else "", prompt if each_prompt else "")
        found.setdefault(key, []).append((model, prompt))
    return [
        Unit(
            inputs.title(model) if each_model else ALL_MODELS,
            _prompt({prompt for _, prompt in members}),
            tuple(members),
            item_means(matrix.values[:, [matrix.systems.index(member) for member in members]]),
        )
        for (model, _), members in sorted(found.items())
    ]


def _prompt(prompts: set[str]) -> str:
    return prompts.pop() if len(prompts) == 1 else ALL_PROMPTS
