"""Whether a judge favours the answers of the model that it is itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolkit.analyses.base import AnalysisInputs, JudgeFacts
from toolkit.analyses.paired_values import PairedValues
from toolkit.statistics.bootstrap import generator
from toolkit.statistics.resampling import item_sums, resampled

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["own_models", "self_preference_rows"]


def own_models(
    values: PairedValues, judges: Sequence[JudgeFacts], inputs: AnalysisInputs
) -> dict[str, list[str]]:
    """Return the candidates that each judge is itself, by the judge's name; often none.

    A candidate is the judge when both are the same model of the recipe, or when servers answered
    both under the same name. Baselines and the reference are no candidates.
    """
    candidates = sorted({m for m, _ in values.systems if inputs.kinds.get(m, "model") == "model"})
    replied = _served(inputs.judgements) if any(judge.model for judge in judges) else {}
    found: dict[str, list[str]] = {}
    for judge in judges:
        if judge.model is None:
            found[judge.name] = []
            continue
        names = {*replied.get(judge.name, ()), inputs.served.get(judge.model, "")} - {""}
        found[judge.name] = [
            model
            for model in candidates
            if model == judge.model or inputs.served.get(model) in names
        ]
    return found


def self_preference_rows(
    values: PairedValues,
    judges: Sequence[JudgeFacts],
    inputs: AnalysisInputs,
    *,
    scores: Collection[str],
    resamples: int,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each judge that is a candidate and each of its scores.

    A difference in differences: (judge minus the mean of the other judges) on its own answers,
    minus the same on answers of other models. Judges that are the same model are no others.

    Args:
        values: the scores of all judges.
        judges: the judges.
        inputs: kinds of the models, served names, seed.
        scores: own names of the scores to look at.
        resamples: resamples of the items for the interval.
    """
    own = own_models(values, judges, inputs)
    for judge in judges:
        if not own[judge.name]:
            continue
        strangers = [other for other in judges if not set(own[other.name]) & set(own[judge.name])]
        for score, column in judge.scores.items():
            if score not in scores:
                continue
            others = [other.scores[score] for other in strangers if score in other.scores]
            head = {"judge": judge.name, "model": ", ".join(own[judge.name]), "score": score}
            if not others:
                yield head | {"reason": "no judge that is another model gives this score"}
                continue
            answers, difference = _differences(values, column, others)
            rng = generator(inputs.seed, "self_preference", judge.name, column)
            groups = _groups(values, answers, own[judge.name], inputs.kinds)
            yield head | _row(values.cluster_of(answers), difference, groups, rng, resamples)


def _served(judgements: Iterable[pa.Table]) -> Mapping[str, set[str]]:
    """Return the names under which servers answered for each judge."""
    found: dict[str, set[str]] = {}
    for table in judgements:
        pairs = table.select(["judge", "served_model"]).group_by(["judge", "served_model"])
        for row in pairs.aggregate([]).to_pylist():
            if row["served_model"]:
                found.setdefault(row["judge"], set()).add(row["served_model"])
    return found


def _differences(
    values: PairedValues, column: str, others: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the judge minus the mean of the others, on answers that all of them scored."""
    import numpy as np

    answers, mine = values.column(column)
    total = np.zeros(len(mine))
    for other in others:
        found, theirs = values.column(other)
        _, at, there = np.intersect1d(answers, found, assume_unique=True, return_indices=True)
        aligned = np.full(len(mine), np.nan)
        aligned[at] = theirs[there]
        total += aligned
    difference = mine - total / len(others)
    known = np.isfinite(difference)
    return answers[known], difference[known]


def _groups(
    values: PairedValues,
    answers: NDArray[np.int64],
    own: Sequence[str],
    kinds: Mapping[str, str],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which answers are the judge's own, and which are another candidate's."""
    import numpy as np

    models = [model for model, _ in values.systems]
    system = values.system_of(answers)
    mine = np.array([model in own for model in models], bool)
    candidate = np.array([kinds.get(model, "model") == "model" for model in models], bool)
    return mine[system], (candidate & ~mine)[system]


def _row(
    items: NDArray[np.int64],
    difference: NDArray[np.float64],
    groups: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    rng: np.random.Generator,
    resamples: int,
) -> dict[str, Any]:
    import numpy as np

    own, other = groups
    row: dict[str, Any] = {"n_own": int(own.sum()), "n_others": int(other.sum())}
    if not own.any() or not other.any():
        whose = "its own" if not own.any() else "another model's"
        return row | {"reason": f"no answer that is {whose} was scored by all judges"}
    columns = np.column_stack([difference * own, own, difference * other, other]).astype(float)
    sums = item_sums(items, columns)
    total = sums.sum(axis=0, keepdims=True)
    spread = resampled(sums, _preference, rng, resamples=resamples)
    row |= {
        "own": float(total[0, 0] / total[0, 1]),
        "others": float(total[0, 2] / total[0, 3]),
        "preference": float(_preference(total)[0]),
        "reason": spread.reason,
    }
    if spread.flat:
        return row | {"reason": "no interval: all resamples give the same value"}
    return row | {"preference_low": spread.low, "preference_high": spread.high}


def _preference(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        result: NDArray[np.float64] = sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]
    return result
