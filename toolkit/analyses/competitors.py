"""Who competes on a score, and the pairs of them that a test compares."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from toolkit.analyses.base import AnalysisInputs
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix, System

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["competing", "item_clusters", "pairs_within_prompts", "shown"]


def competing(matrix: ScoreMatrix, inputs: AnalysisInputs) -> list[System]:
    """Return the competitors of a score: models and baselines, without the reference."""
    return [
        system for system in matrix.systems if inputs.kinds.get(system[0], "model") != "reference"
    ]


def pairs_within_prompts(systems: Sequence[System]) -> list[tuple[System, System, str]]:
    """Return all pairs of different models that answered the same prompt, and that prompt.

    A baseline has no prompt and is compared with every model under each of its prompts.
    """
    return [
        (first, second, first[1] or second[1])
        for first, second in combinations(systems, 2)
        if first[0] != second[0] and (first[1] == second[1] or "" in (first[1], second[1]))
    ]


def item_clusters(
    inputs: AnalysisInputs, matrices: ScoreMatrices, column: str | None
) -> NDArray[np.int64]:
    """Return the cluster of each item: the column's value, or the item itself."""
    columns = () if column is None else (column,)
    return ItemColumns(inputs.items, columns, matrices.items).clusters(column)


def shown(system: System, inputs: AnalysisInputs) -> str:
    """Return what figures call a competitor."""
    model, prompt = system
    return f"{inputs.title(model)} {prompt}" if prompt else inputs.title(model)
