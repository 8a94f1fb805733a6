"""Whether a judge favours the answers of the model that it is itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolkit.analyses.base import AnalysisInputs, JudgeFacts
from toolkit.analyses.bootstrap import generator
from toolkit.analyses.paired_values import PairedValues
from toolkit.analyses.resampling import item_sums, resampled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["self_preference_rows"]


def self_preference_rows(
    values: PairedValues, judges: Sequence[JudgeFacts], inputs: AnalysisInputs, params: Any
) -> list[dict[str, Any]]:
    """Return a row for each judge that is a candidate and each score another judge gives too.

    A difference in differences: (judge minus the mean of the other judges) on its own answers,
    minus the same on answers of other models. Baselines and the reference are left out.
    """
    rows: list[dict[str, Any]] = []
    for judge in judges:
        if judge.model is None or inputs.kinds.get(judge.model) != "model":
            continue
        for score, column in judge.scores.items():
            others = [
                other.scores[score]
                for other in judges
                if other.name != judge.name and score in other.scores
            ]
            if others and (not params.scores or score in params.scores):
                head = {"judge": judge.name, "model": judge.model, "score": score}
                found = _row(values, judge, column, others, inputs, params.resamples)
                rows.append(head | found)
    return rows


def _row(
    values: PairedValues,
    judge: JudgeFacts,
    column: str,
    others: Sequence[str],
    inputs: AnalysisInputs,
    resamples: int,
) -> dict[str, Any]:
    import numpy as np

    answers, difference = _differences(values, column, others)
    system = values.system_of(answers)
    models = np.array([model for model, _ in values.systems], dtype=object)[system]
    candidates = np.array([inputs.kinds.get(model, "model") == "model" for model in models], bool)
    own = (models == judge.model) & candidates
    other = (models != judge.model) & candidates
    columns = np.column_stack([difference * own, own, difference * other, other]).astype(float)
    total = columns.sum(axis=0, keepdims=True)
    row: dict[str, Any] = {"n_own": int(own.sum()), "n_others": int(other.sum())}
    if not own.any() or not other.any():
        return row
    spread = resampled(
        item_sums(values.item_of(answers), columns),
        _preference,
        generator(inputs.seed, "self_preference", judge.name, column),
        resamples=resamples,
    )
    return row | {
        "own": float(total[0, 0] / total[0, 1]),
        "others": float(total[0, 2] / total[0, 3]),
        "preference": float(_preference(total)[0]),
        "preference_low": spread.low,
        "preference_high": spread.high,
    }


def _differences(
    values: PairedValues, column: str, others: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the judge minus the mean of the others, on answers that all of them scored."""
    import numpy as np

    answers, own = values.column(column)
    total = np.zeros(len(own))
    for other in others:
        found, theirs = values.column(other)
        place = np.searchsorted(found, answers)
        place[place == len(found)] = 0
        same = found[place] == answers if len(found) else np.zeros(len(answers), bool)
        total += np.where(same, theirs[place] if len(found) else np.nan, np.nan)
    difference = own - total / len(others)
    known = np.isfinite(difference)
    return answers[known], difference[known]


def _preference(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        result: NDArray[np.float64] = sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]
    return result
