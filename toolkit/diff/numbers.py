"""Which numbers of two leaderboards moved, and whether the same items say so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix
from toolkit.diff.finished_run import FinishedRun
from toolkit.statistics.bootstrap import generator, mean_interval
from toolkit.statistics.holm import holm
from toolkit.statistics.permutation import paired_permutation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["NumberChange", "number_changes"]

RESAMPLES: Final = 2000

_Key = tuple[str, str, str]
"""Score, model and prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberChange:
    """A number of the leaderboard in both runs.

    Attributes:
        score: its score.
        model: its model.
        prompt: its prompt.
        before: mean in the first run; None when there is none.
        after: mean in the second.
        n_before: values behind ``before``.
        n_after: values behind ``after``.
        n: items that have a value in both runs.
        clusters: groups of the n items that are resampled and tested as one: those of the
            leaderboard's ``cluster``; n where it has none.
        moved: of these, items whose value differs.
        difference: mean of second minus first over the n items; None where n is 0.
        low: lower end of its 95 % bootstrap interval over the clusters.
        high: upper end.
        p: of the paired permutation test, two-sided.
        p_holm: the same, adjusted for all numbers tested here.
        reason: why there is no test; empty otherwise.
        scorer: the signatures, when the scorer itself is another one; empty otherwise.
    """

    score: str
    model: str
    prompt: str
    before: float | None
    after: float | None
    n_before: int
    n_after: int
    n: int = 0
    clusters: int = 0
    moved: int = 0
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    reason: str = ""
    scorer: tuple[str, str] | tuple[()] = ()


def number_changes(first: FinishedRun, second: FinishedRun, seed: int) -> list[NumberChange]:
    """Return all numbers that stand in either leaderboard, by score, model and prompt.

    The test pairs the runs item by item, repeats of an item averaged; items of a cluster of the
    second run's leaderboard (of the first's, where that has none) move together. Numbers whose
    items all have the same values in both runs are not tested and do not count in Holm's
    correction.

    Args:
        first: the run before.
        second: the run after.
        seed: of the resamples and permutations.

    Raises:
        StoreError: one of the runs has no finished leaderboard.
    """
    boards = [_board(run) for run in (first, second)]
    signatures = [_signatures(run) for run in (first, second)]
    matrices = [_matrices(run) for run in (first, second)]
    clusters = (second if second.cluster is not None else first).clusters()
    found: list[NumberChange] = []
    for score in sorted({key[0] for board in boards for key in board}):
        pair = [one.matrix(score) for one in matrices]
        keys = sorted({key for board in boards for key in board if key[0] == score})
        found += [_change(key, boards, pair, signatures, (seed, clusters)) for key in keys]
    adjusted = holm([change.p for change in found])
    return [replace(change, p_holm=p) for change, p in zip(found, adjusted, strict=True)]


def _board(run: FinishedRun) -> dict[_Key, dict[str, Any]]:
    rows = run.artifact("leaderboard").rows("leaderboard")
    return {(row["score"], row["model"], row["prompt"]): row for row in rows}


def _signatures(run: FinishedRun) -> Mapping[str, str]:
    found: Mapping[str, str] = run.artifact("leaderboard").manifest.facts["signatures"]
    return found


def _matrices(run: FinishedRun) -> ScoreMatrices:
    by = run.steps["leaderboard"]["params"]["means"]["by"]
    return ScoreMatrices(run.scores(), pool_prompts="prompt" not in by)


def _change(
    key: _Key,
    boards: list[dict[_Key, dict[str, Any]]],
    matrices: list[ScoreMatrix],
    signatures: list[Mapping[str, str]],
    how: tuple[int, Mapping[str, str]],
) -> NumberChange:
    score, model, prompt = key
    before, after = (board.get(key) for board in boards)
    scorers = [names.get(score, "") for names in signatures]
    facts: dict[str, Any] = {
        "score": score,
        "model": model,
        "prompt": prompt,
        "before": before["mean"] if before else None,
        "after": after["mean"] if after else None,
        "n_before": before["n"] if before else 0,
        "n_after": after["n"] if after else 0,
    }
    if before is None or after is None:
        return NumberChange(**facts, reason=f"only in the {'second' if after else 'first'} run")
    if scorers[0] != scorers[1]:
        facts["scorer"] = (scorers[0], scorers[1])
    seed, clusters = how
    differences, items = _differences(key, matrices)
    # A cluster and an item may have one name.
    names = [f"in {clusters[item]}" if item in clusters else f"item {item}" for item in items]
    return NumberChange(**facts, **_tested(differences, names, key, seed))


def _differences(key: _Key, matrices: list[ScoreMatrix]) -> tuple[NDArray[np.float64], list[str]]:
    """Return second minus first over the items that have a value in both, and these items."""
    import numpy as np

    columns = []
    for matrix in matrices:
        values = matrix.column(key[1:])
        columns.append(
            {
                item: value
                for item, value in zip(matrix.items, values, strict=True)
                if np.isfinite(value)
            }
        )
    common = [item for item in columns[0] if item in columns[1]]
    found = [columns[1][item] - columns[0][item] for item in common]
    return np.array(found, np.float64), common


def _tested(
    differences: NDArray[np.float64], clusters: list[str], key: _Key, seed: int
) -> dict[str, Any]:
    import numpy as np

    n = len(differences)
    moved = int(np.count_nonzero(differences))
    if not n:
        return {"reason": "no item has a value in both runs"}
    _, codes = np.unique(np.array(clusters, dtype=object), return_inverse=True)
    counts = np.bincount(codes)
    facts: dict[str, Any] = {
        "n": n,
        "clusters": len(counts),
        "moved": moved,
        "difference": float(differences.mean()),
    }
    if not moved:
        return facts | {"reason": "the same values"}
    if len(counts) < 2:
        return facts | {"reason": f"one {'item' if n == 1 else 'cluster'}: nothing to test"}
    interval = mean_interval(
        np.bincount(codes, weights=differences).astype(np.float64),
        counts.astype(np.int64),
        generator(seed, "diff", *key),
        resamples=RESAMPLES,
        confidence=0.95,
        method="expanded",
    )
    test = paired_permutation(
        differences, generator(seed, "diff test", *key), clusters=codes.astype(np.int64)
    )
    return facts | {"low": interval.low, "high": interval.high, "p": test.p}
