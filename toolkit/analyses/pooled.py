"""One number for each item from several competitors: which of them, and how many there were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from toolkit.analyses.score_matrix import ScoreMatrix, System
from toolkit.analyses.units import item_means, with_prompts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["chosen_systems", "pooled_note", "pooled_values"]


def chosen_systems(
    systems: Sequence[System],
    kinds: Mapping[str, str],
    models: Sequence[str] = (),
    prompts: Sequence[str] = (),
) -> list[System]:
    """Return the competitors whose scores are averaged.

    Args:
        systems: all that have the score.
        kinds: ``model``, ``baseline`` or ``reference`` by model; absent means ``model``.
        models: the models asked for; by default those that are neither baseline nor reference,
            and the baselines where there is no other.
        prompts: the prompts asked for; all by default.
    """
    kept = with_prompts(systems, prompts)
    if models:
        return [system for system in kept if system[0] in models]
    kind = {model: kinds.get(model, "model") for model, _ in kept}
    wanted = "model" if "model" in kind.values() else "baseline"
    return [system for system in kept if kind[system[0]] == wanted]


def pooled_values(matrix: ScoreMatrix, systems: Sequence[System]) -> NDArray[np.float64]:
    """Return the mean of each item over those competitors that have a value of it.

    Returns:
        (items,) NaN for an item without any.
    """
    return item_means(matrix.values[:, [matrix.systems.index(system) for system in systems]])


def pooled_note(systems: Sequence[System]) -> str:
    """Return the sentence that says whose scores were averaged."""
    names = [f"{model} {prompt}".strip() for model, prompt in systems]
    if len(names) == 1:
        return f"Scores are those of {names[0]}; repeated answers are averaged first."
    listed = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return (
        f"An item's score is its mean over the {len(names)} competitors that have a value of it "
        f"({listed}); repeated answers are averaged first."
    )
