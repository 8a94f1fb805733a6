"""The scores of one generation step as numbers by item, repeat and score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolkit.plan.step import Step
from toolkit.stages.context import Context
from toolkit.store.artifact import Artifact

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["ScoreGrid", "read_scores", "score_artifacts"]

_COLUMNS = ("item_id", "model", "prompt", "repeat", "score", "value", "reason")


@dataclass(frozen=True, slots=True)
class ScoreGrid:
    """Scores of a generation step, eight bytes each with the reason of a missing one.

    Attributes:
        values: items x repeats x scores; NaN where there is none.
        reasons: number of the reason of each missing value, in ``words``.
        words: the reasons; the first is none.
    """

    values: NDArray[np.float32]
    reasons: NDArray[np.int32]
    words: list[str]

    def of(self, place: int, repeat: int) -> tuple[list[float | None], dict[int, str]]:
        """Return the values of an answer and why some are missing, by number of the score."""
        if repeat >= self.values.shape[1]:
            return [None] * self.values.shape[2], {}
        values = self.values[place, repeat].tolist()
        reasons = self.reasons[place, repeat].tolist()
        missing = {at: self.words[code] for at, code in enumerate(reasons) if code}
        return [None if value != value else value for value in values], missing

    def means(self) -> NDArray[np.float32]:
        """Return items x scores: the mean over the repeats that have a value, else NaN."""
        import numpy as np

        known = ~np.isnan(self.values)
        count = known.sum(axis=1)
        total = np.where(known, self.values, 0).sum(axis=1, dtype=np.float64)
        with np.errstate(invalid="ignore"):
            mean = np.where(count > 0, total / np.maximum(count, 1), np.nan)
        return mean.astype(np.float32)


def read_scores(context: Context, step: Step, ids: pa.Array, scores: Sequence[str]) -> ScoreGrid:
    """Read all scores of a generation step's answers, batch by batch.

    Args:
        context: of the report.
        step: the generation step.
        ids: ids of the items, in the order of their places.
        scores: names of the scores wanted.
    """
    import numpy as np

    repeats = step.params["repeats"]
    shape = (len(ids), repeats, len(scores))
    grid = ScoreGrid(np.full(shape, np.nan, np.float32), np.zeros(shape, np.int32), [""])
    for batch in _batches(context, step):
        _fill(grid, batch, ids, scores)
    return grid


def score_artifacts(context: Context, generation: str | None = None) -> Iterator[Artifact]:
    """Yield the artifacts with scores, of one generation step or of all, each once."""
    seen: set[str] = set()
    for step in context.plan.steps:
        if step.stage not in ("judge", "score"):
            continue
        if generation is not None and generation not in _generations(step):
            continue
        artifact = context.inputs[step.name]
        # Where rows were taken out, one artifact holds the scores of all steps.
        if artifact.fingerprint not in seen:
            seen.add(artifact.fingerprint)
            yield artifact


def _generations(step: Step) -> list[str]:
    """Return the generation steps whose answers a step scores."""
    one = step.options.get("generation")
    return [one] if one is not None else list(step.options.get("generations", []))


def _batches(context: Context, step: Step) -> Iterator[Any]:
    import pyarrow.compute as pc

    for artifact in score_artifacts(context, step.name):
        for batch in artifact.batches("scores", _COLUMNS):
            mine = pc.and_(
                pc.equal(batch["model"], step.params["model"]),
                pc.equal(batch["prompt"], step.params["prompt"]),
            )
            yield batch.filter(mine)


def _fill(grid: ScoreGrid, batch: Any, ids: pa.Array, scores: Sequence[str]) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    places = _numbers(pc.index_in(batch["item_id"], value_set=ids))
    columns = _numbers(pc.index_in(batch["score"], value_set=pa.array(scores, pa.string())))
    repeats = _numbers(batch["repeat"])
    known = (places >= 0) & (columns >= 0) & (repeats < grid.values.shape[1])
    values = batch["value"].cast(pa.float32(), safe=False).fill_null(np.nan)
    at = (places[known], repeats[known], columns[known])
    grid.values[at] = values.to_numpy(zero_copy_only=False)[known]
    lost = np.flatnonzero(known & _flags(pc.is_null(batch["value"])))
    codes = {word: code for code, word in enumerate(grid.words)}
    for row, reason in zip(lost, batch["reason"].take(pa.array(lost)).to_pylist(), strict=True):
        word = reason or "no value"
        if word not in codes:
            codes[word] = len(grid.words)
            grid.words.append(word)
        grid.reasons[places[row], repeats[row], columns[row]] = codes[word]


def _numbers(column: Any) -> NDArray[np.int64]:
    import pyarrow as pa

    filled = column.cast(pa.int64()).fill_null(-1)
    numbers: NDArray[np.int64] = filled.to_numpy(zero_copy_only=False)
    return numbers


def _flags(column: Any) -> NDArray[np.bool_]:
    flags: NDArray[np.bool_] = column.to_numpy(zero_copy_only=False)
    return flags
