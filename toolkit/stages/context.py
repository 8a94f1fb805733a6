"""What a stage is given: its step, its inputs, and a way to run functions in workers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from toolkit.plan.step import Plan, Step
from toolkit.recipe.recipe import Recipe
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import Piece, all_shards

if TYPE_CHECKING:
    from toolkit.store.ledger import Ledger
    from toolkit.validate.validator import Validator

__all__ = ["Context", "Mapper", "finish"]

Task = TypeVar("Task")
Result = TypeVar("Result")


class Mapper(Protocol):
    """Runs one function on many tasks, in worker processes or right here."""

    def __call__(
        self, function: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks.

        Args:
            function: a module-level function; it may run more than once for a task.
            tasks: small picklable values.

        Raises:
            ToolkitError: a task raised it.
        """


@dataclass(frozen=True, kw_only=True)
class Context:
    """Everything a stage may use.

    Attributes:
        plan: the whole plan.
        step: the step that is being made.
        folder: where the artifact's files go.
        inputs: the artifacts the step reads, by the name of their step; where a validation
            took rows out, this is what was left.
        artifacts: every finished artifact so far, by step.
        map: runs functions in workers.
        ledger: opens the ledger of paid calls.
        validator: opens the validation process.
        secrets: values of the environment variables that the recipe names.
        progress: called with (finished, total, note).
        stop: set once the run was asked to stop.
        calls: receives what was asked of servers, by outcome.
    """

    plan: Plan
    step: Step
    folder: Path
    inputs: Mapping[str, Artifact]
    artifacts: Mapping[str, Artifact]
    map: Mapper
    ledger: Callable[[], Ledger]
    validator: Callable[[], Validator]
    secrets: Mapping[str, str]
    progress: Callable[[int, int, str], None]
    stop: threading.Event
    calls: Callable[[Mapping[str, int]], None]

    @property
    def recipe(self) -> Recipe:
        """The recipe of the plan."""
        return self.plan.recipe

    @property
    def access(self) -> str:
        """The strictest access of the data: everything derived inherits it."""
        return self.recipe.corpus.access

    def each(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], note: str = ""
    ) -> Iterator[Result]:
        """Run a function on tasks and report progress after each result."""
        self.progress(0, len(tasks), note)
        for count, result in enumerate(self.map(function, tasks), start=1):
            self.progress(count, len(tasks), note)
            yield result


def finish(
    context: Context, pieces: Sequence[Piece], facts: Mapping[str, Any] | None = None
) -> Manifest:
    """Describe a finished artifact; the executor writes it last."""
    step = context.step
    assert step.fingerprint is not None
    inputs = [context.plan.step(name).fingerprint or "" for name in step.inputs]
    return Manifest(
        step=step.name,
        stage=step.stage,
        fingerprint=step.fingerprint,
        inputs=tuple(inputs),
        access=context.access,
        shards=all_shards(pieces),
        facts=dict(facts or {}),
    )
