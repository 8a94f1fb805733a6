"""Make one step: reuse its artifact, or lock it, run its stage, and write the manifest last."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolkit.errors import Stopped, StoreError
from toolkit.execute.cluster import Cluster
from toolkit.plan.step import Plan, Stage, Step
from toolkit.stages.context import Context
from toolkit.stages.progress import Progress
from toolkit.store.artifact import Artifact, open_artifact
from toolkit.store.atomic import sweep
from toolkit.store.lock import locked
from toolkit.store.manifest import Manifest, write_manifest

if TYPE_CHECKING:
    from toolkit.execute.services import Services

__all__ = ["STAGES", "make_step"]

STAGES: Final[Mapping[Stage, str]] = {
    "corpus": "toolkit.stages.corpus",
    "splits": "toolkit.stages.splits",
    "perturb": "toolkit.stages.perturb",
    "generate": "toolkit.stages.generate",
    "entail": "toolkit.stages.entail",
    "judge": "toolkit.stages.judge",
    "canary": "toolkit.stages.canary",
    "audit": "toolkit.stages.audit",
    "measure": "toolkit.stages.measure",
    "score": "toolkit.stages.score",
    "analyse": "toolkit.stages.analyse",
    "leaderboard": "toolkit.stages.leaderboard",
    "validate": "toolkit.stages.validate",
    "report": "toolkit.stages.report",
    "release": "toolkit.stages.release",
}

LOOK_SECONDS: Final = 0.5
"""How often to look whether another run has made the artifact, or this one is to stop."""

_log = logging.getLogger("toolkit.run")


def make_step(
    plan: Plan,
    step: Step,
    done: Mapping[str, Artifact],
    services: Services,
    cluster: Cluster,
    progress: Progress,
) -> tuple[Artifact, bool]:
    """Return a step's artifact and whether it had to be made.

    Args:
        plan: the plan.
        step: the step.
        done: artifacts finished so far; among them all that the step reads.
        services: the ledger, the validation process, secrets.
        cluster: where worker functions run.
        progress: hears of the step.
    """
    assert step.fingerprint is not None
    folder = plan.workspace.artifact(step.stage, step.fingerprint)
    found = _made(folder, step)
    if found is not None:
        return found, False
    lock = plan.workspace.lock(f"{step.stage}-{step.fingerprint[:32]}")
    with ExitStack() as stack:
        _hold(stack, lock, step.name, services, progress)
        found = _made(folder, step)
        if found is not None:
            return found, False
        folder.mkdir(parents=True, exist_ok=True)
        sweep(folder)
        progress.started(step.name, step.why)
        _log.info("step %s: %s", step.name, step.why)
        context = Context(
            plan=plan,
            step=step,
            folder=folder,
            inputs=_inputs(step, done),
            artifacts=done,
            map=cluster.run,
            ledger=services.ledger,
            validator=services.validator,
            secrets=services.secrets,
            progress=functools.partial(progress.advanced, step.name),
            stop=services.stop,
            calls=services.count,
        )
        manifest = _stage(step.stage)(context)
        # A worker that outlived a killed run may have died over a file meanwhile.
        sweep(folder)
        write_manifest(folder, manifest)
    return Artifact(folder, manifest), True


def _made(folder: Path, step: Step) -> Artifact | None:
    found = open_artifact(folder)
    if found is not None and found.fingerprint != step.fingerprint:
        raise StoreError(
            f"{folder / 'manifest.json'}: it belongs to another artifact, "
            f"{found.manifest.step} {found.fingerprint[:16]}",
            hint=f"delete the folder {folder}; the next run builds it again",
        )
    return found


def _hold(stack: ExitStack, lock: Path, name: str, services: Services, progress: Progress) -> None:
    """Take the lock of an artifact; wait for another run that is making it, and say so once."""
    told = False
    while True:
        try:
            stack.enter_context(
                locked(lock, f"the artifact of '{name}'", wait_seconds=LOOK_SECONDS)
            )
            return
        except StoreError as error:
            if services.stop.is_set():
                raise Stopped("the run was asked to stop") from error
            if not told:
                progress.said(f"waiting: {error.message}")
                told = True


def _inputs(step: Step, done: Mapping[str, Artifact]) -> dict[str, Artifact]:
    """Return what the step reads; rows that a validation took out are gone from it."""
    inputs = {name: done[name] for name in step.inputs}
    for name in step.inputs:
        replaces = done[name].manifest.facts.get("replaces", [])
        for replaced in replaces:
            if replaced in inputs:
                inputs[replaced] = done[name]
    return inputs


def _stage(stage: Stage) -> Callable[[Context], Manifest]:
    run: Callable[[Context], Manifest] = import_module(STAGES[stage]).run
    return run
