"""Steps and plans: what will be made, from what, and how it is known again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from toolkit.recipe.recipe import Recipe
from toolkit.store.canonical import digest
from toolkit.store.workspace import Workspace

__all__ = ["VERSIONS", "Plan", "Stage", "State", "Step"]

Stage = Literal[
    "corpus",
    "splits",
    "perturb",
    "generate",
    "entail",
    "judge",
    "canary",
    "audit",
    "measure",
    "score",
    "analyse",
    "leaderboard",
    "report",
    "release",
    "validate",
]

VERSIONS: Final[Mapping[Stage, int]] = {
    "corpus": 1,
    "splits": 1,
    "perturb": 2,
    "generate": 2,
    "entail": 1,
    "judge": 1,
    "canary": 3,
    "audit": 1,
    "measure": 1,
    "score": 2,
    "analyse": 1,
    "leaderboard": 1,
    "report": 3,
    "release": 2,
    "validate": 1,
}
"""Raised by hand when a stage's output changes for the same inputs and parameters."""

State = Literal["reused", "runs", "resumes", "blocked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One artifact to be made.

    Attributes:
        name: unique in the plan, e.g. ``generate/smollm2/A``.
        stage: which code makes it.
        inputs: steps whose artifacts it reads; they count in its fingerprint.
        gates: validation steps that must have passed first; they do not count.
        params: the part of the recipe that can change the output, as JSON.
        options: what else the stage needs to know; never changes the output.
        fingerprint: 64 hex digits, None while ``unknown`` says what is missing.
        unknown: why there is no fingerprint yet; empty when there is one.
        state: whether the artifact is there.
        why: one sentence on why the step runs or is reused.
    """

    name: str
    stage: Stage
    inputs: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    fingerprint: str | None = None
    unknown: str = ""
    state: State = "runs"
    why: str = ""

    @property
    def items_from(self) -> str:
        """The step that holds the items of a step ``generate``: what it reads first."""
        return self.inputs[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All steps of a recipe in an order in which they can run."""

    recipe: Recipe
    workspace: Workspace
    steps: tuple[Step, ...]

    def step(self, name: str) -> Step:
        """Return a step by name.

        Raises:
            KeyError: no such step.
        """
        for step in self.steps:
            if step.name == name:
                return step
        raise KeyError(name)

    @property
    def fingerprint(self) -> str | None:
        """Digest of all steps, or None while a step's own is unknown."""
        prints = [step.fingerprint for step in self.steps]
        if any(value is None for value in prints):
            return None
        return digest([self.recipe.name, *prints])

    @property
    def run_name(self) -> str | None:
        """Name of the run's folder, or None while a fingerprint is unknown."""
        fingerprint = self.fingerprint
        return None if fingerprint is None else f"{self.recipe.name}-{fingerprint[:8]}"
