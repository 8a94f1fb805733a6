"""The steps that measure texts, each distinct text once, for all scores that need the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from toolkit.plan.step import Step
from toolkit.recipe.recipe import Recipe
from toolkit.registry import member
from toolkit.store.canonical import canonical_json

__all__ = ["measurer_of", "with_measures"]


def measurer_of(recipe: Recipe, index: int) -> Any:
    """Return what measures the texts of a metric; None where it looks at rows as a whole.

    Args:
        recipe: the recipe.
        index: of the metric in it.
    """
    metric = recipe.metrics[index]
    if metric.name == "local":
        return None
    make = getattr(member("metrics", metric.name)(metric.params), "measurer", None)
    return None if make is None else make()


def with_measures(recipe: Recipe, scores: Sequence[Step]) -> list[Step]:
    """Return the steps that measure texts, and behind them the score steps that read them.

    Metrics that measure the same with the same weights and settings share a step.
    """
    groups: dict[str, list[Step]] = {}
    measurers: dict[str, Any] = {}
    for score in scores:
        measurer = measurer_of(recipe, score.options["index"])
        if measurer is not None:
            key = canonical_json([measurer.what, measurer.settings()])
            measurers[key] = measurer
            groups.setdefault(key, []).append(score)
    made: list[Step] = []
    read_by: dict[str, str] = {}
    for key, group in groups.items():
        what = measurers[key].what
        number = sum(step.params["what"] == what for step in made)
        name = f"measure/{what}" + (f"-{number + 1}" if number else "")
        made.append(_measure(recipe, name, measurers[key], group))
        read_by |= {score.name: name for score in group}
    return [*made, *(_reading(score, read_by.get(score.name)) for score in scores)]


def _measure(recipe: Recipe, name: str, measurer: Any, scores: Sequence[Step]) -> Step:
    asks: dict[str, list[int]] = {}
    columns: dict[str, list[str]] = {}
    reads: dict[str, list[str]] = {}
    together: dict[str, set[tuple[str, ...]]] = {}
    for score in scores:
        index, generation = score.options["index"], score.options["generation"]
        asks.setdefault(generation, []).append(index)
        metric = recipe.metrics[index]
        made = member("metrics", metric.name)(metric.params)
        reads[generation] = sorted({*reads.get(generation, []), *made.reads})
        together.setdefault(generation, set()).add(tuple(sorted(made.reads)))
        _, known = columns.get(generation, ["", ""])
        columns[generation] = [score.params["reference"] or "", score.params.get("input") or known]
    return Step(
        name=name,
        stage="measure",
        inputs=_united(score.inputs for score in scores),
        gates=_united(score.gates for score in scores),
        params={
            # Its fingerprint comes later: unlike its settings it holds no path of a folder.
            "what": measurer.what,
            "columns": columns,
            "reads": reads,
            # Where one text of a row is missing, a metric that reads it asks for none of them.
            "together": {
                name: [list(read) for read in sorted(texts)] for name, texts in together.items()
            },
            "tables": {score.options["generation"]: score.params["table"] for score in scores},
        },
        options={"asks": [[generation, indexes] for generation, indexes in asks.items()]},
    )


def _reading(score: Step, measure: str | None) -> Step:
    if measure is None:
        return score
    return dataclasses.replace(
        score,
        inputs=(*score.inputs, measure),
        options={**score.options, "measured": measure},
    )


def _united(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in lists for name in names))
