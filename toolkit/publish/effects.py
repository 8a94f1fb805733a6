"""What taking items down does to scores: each with them, and without."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolkit.report.text import printable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toolkit.results.items import ItemScores
    from toolkit.results.store import ResultStore
    from toolkit.statistics.cluster_robust import JointMeans
    from toolkit.statistics.limits import Limits

__all__ = ["Effect", "MeanOf", "effect_lines", "effects"]


@dataclass(frozen=True, slots=True)
class MeanOf:
    """A mean over items.

    Attributes:
        value: in the unit of the score; None without items.
        interval: Student's 95 % interval with whole clusters of items; None for one cluster, or
            values that do not differ.
        n: items with a value.
    """

    value: float | None
    interval: tuple[float, float] | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A score of a model, with and without the items.

    Attributes:
        version: of the benchmark.
        model: title of the model.
        prompt: prompt mode; empty for a baseline.
        score: title of the score.
        digits: decimals worth printing.
        before: over all its items.
        after: over the items that are left.
    """

    version: str
    model: str
    prompt: str
    score: str
    digits: int
    before: MeanOf
    after: MeanOf


def effects(store: ResultStore, items: Collection[str]) -> list[Effect]:
    """Return every score that has a value for one of the items.

    Both means are over the items, each counted once: where a leaderboard takes items together
    by a cluster, the published value weighs them otherwise.

    Raises:
        UserError: item scores are not those that a record names.
    """
    return [effect for record in store.results for effect in _record(store, record, items)]


def _record(store: ResultStore, record: str, items: Collection[str]) -> Iterator[Effect]:
    import numpy as np

    scores = store.items(record)
    if scores is None or record in store.withdrawals:
        return
    gone = np.array([item in items for item in scores.items], dtype=bool)
    if not gone.any():
        return
    result = store.results[record]
    numbers = {number.score: number for number in result.scores}
    for column, name in enumerate(scores.scores):
        values = scores.values[:, column]
        if name not in numbers or np.isnan(values[gone]).all():
            continue
        number = numbers[name]
        before, after = _means(scores, values, gone, (number.least, number.most))
        yield Effect(
            version=result.version,
            model=result.model.title,
            prompt=result.prompt,
            score=number.title,
            digits=number.digits,
            before=before,
            after=after,
        )


def _means(
    scores: ItemScores, values: NDArray[np.float64], gone: NDArray[np.bool_], limits: Limits
) -> tuple[MeanOf, MeanOf]:
    import numpy as np

    from toolkit.statistics.cluster_robust import joint_means

    # An item without a cluster counts for itself.
    names = [name or f"item {at}" for at, name in enumerate(scores.clusters)]
    clusters = np.unique(names, return_inverse=True)[1] if names else np.arange(len(values))
    groups = [
        (rows, np.ones(len(rows))) for rows in (np.arange(len(values)), np.flatnonzero(~gone))
    ]
    found = joint_means(values, groups, clusters, limits)
    return _mean(found, 0), _mean(found, 1)


def _mean(found: JointMeans, group: int) -> MeanOf:
    n = int(found.rows[group])
    if not n:
        return MeanOf(None, None, 0)
    return MeanOf(float(found.means[group]), found.interval(group), n)


def effect_lines(found: Collection[Effect]) -> Iterator[str]:
    """Yield a line a score: means with their 95 % intervals and n."""
    for effect in found:
        mode = f", {printable(effect.prompt)}" if effect.prompt else ""
        before, after = (_mean_text(one, effect.digits) for one in (effect.before, effect.after))
        yield (
            f"  {printable(effect.version)}  {printable(effect.model)}{mode}  "
            f"{printable(effect.score)}: {before} -> {after}"
        )


def _mean_text(mean: MeanOf, digits: int) -> str:
    if mean.value is None:
        return "no value (n 0)"
    ends = ", ".join(f"{end:.{digits}f}" for end in mean.interval or ())
    return f"{mean.value:.{digits}f}{f' [{ends}]' if ends else ''} (n {mean.n})"
