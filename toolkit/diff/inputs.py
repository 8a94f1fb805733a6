"""Which inputs of two runs differ: recipe, steps and what made each of them another, versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolkit.diff.finished_run import FinishedRun

__all__ = ["Change", "StepChange", "input_changes", "recipe_changes", "step_changes"]

_ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class Change:
    """A value that differs.

    Attributes:
        path: where it stands, e.g. ``models.gpt.temperature``.
        before: in the first run, None when it is not there.
        after: in the second.
    """

    path: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class StepChange:
    """A step that is another one in the second run.

    Attributes:
        step: its name.
        kind: ``own`` when its own parameters or the version of its stage differ, ``inputs`` when
            only what it reads does, ``removed`` or ``added`` when one run has no such step.
        changes: its own parameters that differ.
        because: the steps it reads that differ.
    """

    step: str
    kind: str
    changes: tuple[Change, ...] = ()
    because: tuple[str, ...] = ()


def recipe_changes(first: FinishedRun, second: FinishedRun) -> list[Change]:
    """Return the keys of the recipes whose values differ, in the order of the first recipe."""
    return list(_changes("", first.recipe, second.recipe))


def input_changes(first: FinishedRun, second: FinishedRun) -> list[Change]:
    """Return what differs outside the recipe: versions of packages, the machine."""
    keys = ("versions", "machine")
    return [
        change
        for key in keys
        for change in _changes(key, first.data.get(key, {}), second.data.get(key, {}))
    ]


def step_changes(first: FinishedRun, second: FinishedRun) -> list[StepChange]:
    """Return the steps that differ, those that explain others first."""
    found: list[StepChange] = []
    for name, step in first.steps.items():
        other = second.steps.get(name)
        if other is None:
            found.append(StepChange(name, "removed"))
        elif step.get("fingerprint") != other.get("fingerprint"):
            found.append(_step_change(name, step, other))
    found += [StepChange(name, "added") for name in second.steps if name not in first.steps]
    order = ("own", "removed", "added", "inputs")
    return sorted(found, key=lambda change: order.index(change.kind))


def _step_change(name: str, first: Mapping[str, Any], second: Mapping[str, Any]) -> StepChange:
    changes = tuple(_changes("", first["params"], second["params"]))
    before, after = first["inputs"], second["inputs"]
    because = tuple(
        sorted(step for step in {*before, *after} if before.get(step) != after.get(step))
    )
    # Nothing else can differ then but the version of the stage's code.
    own = bool(changes) or not because
    return StepChange(name, "own" if own else "inputs", changes, because)


def _changes(path: str, before: Any, after: Any) -> Iterator[Change]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys([*before, *after]):
            where = f"{path}.{key}" if path else str(key)
            yield from _changes(where, before.get(key, _ABSENT), after.get(key, _ABSENT))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, pair in enumerate(zip(before, after, strict=True)):
            yield from _changes(f"{path}[{index}]", *pair)
    elif before is _ABSENT or after is _ABSENT or before != after:
        yield Change(
            path,
            None if before is _ABSENT else before,
            None if after is _ABSENT else after,
        )
