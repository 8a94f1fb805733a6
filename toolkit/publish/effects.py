"""What taking items down does to scores: each with them, and without."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolkit.report.text import printable

if TYPE_CHECKING:
    from toolkit.results.store import ResultStore

__all__ = ["Effect", "effect_lines", "effects"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A score of a model, with and without the items.

    Attributes:
        version: of the benchmark.
        model: title of the model.
        prompt: prompt mode; empty for a baseline.
        score: title of the score.
        digits: decimals worth printing.
        before: mean over all its items.
        n_before: items with a value.
        after: mean without them; None when no item is left.
        n_after: items with a value that are left.
    """

    version: str
    model: str
    prompt: str
    score: str
    digits: int
    before: float
    n_before: int
    after: float | None
    n_after: int


def effects(store: ResultStore, items: Collection[str]) -> list[Effect]:
    """Return every score that has a value for one of the items.

    Both means are over the items, each counted once: where a leaderboard takes items together
    by a cluster, the published value weighs them otherwise.

    Raises:
        UserError: item scores are not those that a record names.
    """
    return [effect for record in store.results for effect in _record(store, record, items)]


def _record(store: ResultStore, record: str, items: Collection[str]) -> Iterator[Effect]:
    scores = store.items(record)
    if scores is None or record in store.withdrawals:
        return
    touched = [index for index, item in enumerate(scores.items) if item in items]
    if not touched:
        return
    result = store.results[record]
    numbers = {number.score: number for number in result.scores}
    for column, name in enumerate(scores.scores):
        values = scores.values[:, column].tolist()
        if name not in numbers or all(math.isnan(values[index]) for index in touched):
            continue
        kept = [v for v in values if not math.isnan(v)]
        left = [
            v
            for item, v in zip(scores.items, values, strict=True)
            if item not in items and not math.isnan(v)
        ]
        yield Effect(
            version=result.version,
            model=result.model.title,
            prompt=result.prompt,
            score=numbers[name].title,
            digits=numbers[name].digits,
            before=math.fsum(kept) / len(kept),
            n_before=len(kept),
            after=math.fsum(left) / len(left) if left else None,
            n_after=len(left),
        )


def effect_lines(found: Collection[Effect]) -> Iterator[str]:
    """Yield a line a score."""
    for effect in found:
        mode = f", {printable(effect.prompt)}" if effect.prompt else ""
        after = "no value" if effect.after is None else f"{effect.after:.{effect.digits}f}"
        yield (
            f"  {printable(effect.version)}  {printable(effect.model)}{mode}  "
            f"{printable(effect.score)}: {effect.before:.{effect.digits}f} "
            f"(n {effect.n_before}) -> {after} (n {effect.n_after})"
        )
