"""Run a plan: every step once, independent branches side by side, resumable at any moment."""

from __future__ import annotations

import logging
import os
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolkit.ask.secrets import take_secrets
from toolkit.errors import (
    MissingError,
    RunError,
    Stopped,
    ToolkitError,
    UserError,
    suggest,
)
from toolkit.execute.cluster import Cluster
from toolkit.execute.deliver import deliver
from toolkit.execute.disk import disk_errors
from toolkit.execute.guard import check_main
from toolkit.execute.journal import Journal
from toolkit.execute.logfile import run_log
from toolkit.execute.pin import pin_sources
from toolkit.execute.services import Services
from toolkit.execute.steps import make_step
from toolkit.gate.recipe import refuse_unpublishable
from toolkit.plan.graph import build_steps
from toolkit.plan.make import make_plan
from toolkit.plan.step import Plan, Stage, Step
from toolkit.plan.unbuilt import refuse_unbuilt
from toolkit.recipe.recipe import Recipe
from toolkit.stages.progress import Progress, Silent
from toolkit.store.artifact import Artifact
from toolkit.store.atomic import sweep
from toolkit.store.lock import locked
from toolkit.store.workspace import Workspace, find_workspace
from toolkit.validate.suite import load_suite

__all__ = ["ORDER", "RunResult", "StepFailure", "run_recipe"]

ORDER: Final[tuple[Stage, ...]] = (
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
)
"""Stages in the order of a run; ``until`` names one of them."""

STEPS_AT_ONCE: Final = 8

_log = logging.getLogger("toolkit.run")


@dataclass(frozen=True, slots=True)
class StepFailure:
    """A step that could not be made.

    Attributes:
        step: its name.
        error: what was raised; None when it was skipped because an input failed.
        because: the failed step it needed, when it was skipped.
    """

    step: str
    error: BaseException | None = None
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What a run made.

    Attributes:
        folder: the run's folder.
        plan: the plan with every fingerprint known.
        artifacts: the finished artifacts by step.
        made: steps made by this call; all others were reused.
        calls: what asking servers came to in this call, by the names of
            :class:`toolkit.ask.counts.AskCounts`; empty when nothing was asked.
    """

    folder: Path
    plan: Plan
    artifacts: dict[str, Artifact]
    made: tuple[str, ...]
    calls: dict[str, int]


def run_recipe(
    recipe: Recipe,
    *,
    workspace: Workspace | str | os.PathLike[str] | None = None,
    until: Stage | None = None,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
) -> RunResult:
    """Run a recipe, or what of it is not made yet.

    Args:
        recipe: a checked recipe.
        workspace: where artifacts lie; see :func:`toolkit.store.workspace.find_workspace`.
        until: last stage to run; None for all.
        progress: hears of the run as it goes.
        stop: set it from another thread or a signal handler to end the run early.

    Returns:
        What was made.

    Raises:
        UserError: the recipe cannot be run as it is; nothing was started.
        RunError: steps failed or the run was stopped; what is finished stays and running again
            goes on from there.
    """
    refuse_unbuilt(recipe)
    _refuse_bad_suites(recipe)
    refuse_unpublishable(recipe)
    if recipe.execution.scheduler == "local":
        # Here, not where workers start: that happens in a thread that does not see the script.
        check_main()
    place = workspace if isinstance(workspace, Workspace) else find_workspace(workspace)
    with disk_errors(place.root):
        return _run(recipe, place, until, progress or Silent(), stop or threading.Event())


def _run(
    recipe: Recipe,
    place: Workspace,
    until: Stage | None,
    progress: Progress,
    stop: threading.Event,
) -> RunResult:
    with ExitStack() as stack:
        # What is taken out of the environment comes back once the workers are gone, whatever
        # happens: a notebook may run again.
        held = {name: os.environ[name] for name in recipe.secret_names if name in os.environ}
        stack.callback(os.environ.update, held)
        secrets = take_secrets(recipe.secret_names, folder=recipe.folder)
        pin_sources(recipe, place, secrets)
        plan = make_plan(recipe, workspace=place)
        steps = _wanted(plan, until)
        _refuse_blocked(steps)
        run_name = plan.run_name
        assert run_name is not None
        runner = _Runner(plan, steps, progress, stop)
        stack.enter_context(locked(place.lock(f"run-{run_name}"), f"the run {run_name}"))
        folder = place.runs / run_name
        folder.mkdir(parents=True, exist_ok=True)
        sweep(folder)
        sweep(place.root, recursive=False)
        stack.enter_context(run_log(folder / "log.txt"))
        journal = Journal(folder, plan, until)
        services = stack.enter_context(Services(plan, secrets, runner.stop))
        return runner.run(journal, services)


def _refuse_bad_suites(recipe: Recipe) -> None:
    # Now, because hours later its step could only say that it cannot check anything.
    suites = [step.options["suite"] for step in build_steps(recipe) if step.stage == "validate"]
    for suite in dict.fromkeys(suites):
        load_suite(Path(suite))


def _wanted(plan: Plan, until: Stage | None) -> list[Step]:
    if until is None:
        return list(plan.steps)
    if until not in ORDER:
        raise UserError(f"no stage called '{until}' to run until", hint=suggest(until, ORDER))
    last = ORDER.index(until)
    wanted: set[str] = set()
    for step in plan.steps:
        if step.stage in ORDER[: last + 1] or (
            step.stage == "validate" and set(step.inputs) <= wanted
        ):
            wanted.add(step.name)
    return [step for step in plan.steps if step.name in wanted]


def _refuse_blocked(steps: list[Step]) -> None:
    reasons = list(dict.fromkeys(step.unknown for step in steps if step.fingerprint is None))
    if reasons:
        raise MissingError("\n".join(reasons), hint="nothing was started")


class _Runner:
    """Keeps track of one run: what is done, what failed, what may start."""

    def __init__(
        self, plan: Plan, steps: list[Step], progress: Progress, stop: threading.Event
    ) -> None:
        self._plan = plan
        self._waiting = {step.name: step for step in steps}
        self._progress = progress
        self.stop = stop
        self._done: dict[str, Artifact] = {}
        self._made: list[str] = []
        self._failures: list[StepFailure] = []
        self._interrupted: list[str] = []

    def stopping(self) -> bool:
        """Return whether the run was asked to stop."""
        return self.stop.is_set()

    def run(self, journal: Journal, services: Services) -> RunResult:
        running: dict[Future[tuple[Artifact, bool]], Step] = {}
        pool = ThreadPoolExecutor(STEPS_AT_ONCE, thread_name_prefix="step")
        cluster = Cluster(
            self._plan.recipe.execution.scheduler,
            self._plan.recipe.execution.workers,
            self.stopping,
        )

        if self._plan.recipe.execution.scheduler != "local":
            # A cluster that is not there is found before anything else is done.
            cluster.connect()

        def start(step: Step) -> Future[tuple[Artifact, bool]]:
            return pool.submit(
                make_step, self._plan, step, dict(self._done), services, cluster, self._progress
            )

        try:
            while self._waiting or running:
                for step in self._ready() if not self.stopping() else []:
                    running[start(self._waiting.pop(step.name))] = step
                if not running:
                    break
                finished, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in finished:
                    self._settle(running.pop(future), future, journal)
        except BaseException:
            self.stop.set()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            cluster.close()
        return self._end(journal, services)

    def _ready(self) -> list[Step]:
        failed = {failure.step for failure in self._failures}
        ready: list[Step] = []
        for step in list(self._waiting.values()):
            needed = (*step.inputs, *step.gates)
            broken = [name for name in needed if name in failed]
            if broken:
                self._skip(step, broken[0])
                failed.add(step.name)
            elif all(name in self._done for name in needed):
                ready.append(step)
        return ready

    def _skip(self, step: Step, because: str) -> None:
        del self._waiting[step.name]
        self._failures.append(StepFailure(step.name, because=because))
        self._progress.finished(step.name, "skipped")

    def _settle(self, step: Step, future: Future[tuple[Artifact, bool]], journal: Journal) -> None:
        try:
            artifact, made = future.result()
        except Stopped:
            self._interrupted.append(step.name)
            return
        except Exception as error:  # noqa: BLE001 - a branch that fails must not stop the others
            self._failures.append(StepFailure(step.name, error))
            self._progress.finished(step.name, "failed")
            journal.note(step.name, outcome="failed", error=str(error))
            if isinstance(error, ToolkitError):
                _log.error("step %s failed: %s", step.name, error)
            else:
                _log.error("step %s failed", step.name, exc_info=error)
            return
        self._done[step.name] = artifact
        if made:
            self._made.append(step.name)
        outcome = "made" if made else "reused"
        journal.note(step.name, outcome=outcome)
        self._progress.finished(step.name, outcome)

    def _end(self, journal: Journal, services: Services) -> RunResult:
        calls = services.calls()
        deliver(self._plan, self._done, journal.folder)
        for failure in self._failures:
            if failure.error is not None and not isinstance(failure.error, ToolkitError | OSError):
                journal.close("failed", calls=calls, failures=_listed(self._failures))
                raise failure.error
        if self._interrupted or (self._waiting and self.stopping()):
            journal.close("stopped", calls=calls, failures=_listed(self._failures))
            left = len(self._waiting) + len(self._interrupted)
            raise Stopped(
                f"the run was stopped with {left} step{'s' if left != 1 else ''} to go",
                hint="run the same command to go on from there",
            )
        if self._failures:
            journal.close("failed", calls=calls, failures=_listed(self._failures))
            raise self._error(journal.folder)
        journal.close("complete", calls=calls)
        return RunResult(
            folder=journal.folder,
            plan=self._plan,
            artifacts=self._done,
            made=tuple(self._made),
            calls=calls,
        )

    def _error(self, folder: Path) -> RunError:
        failed = [failure for failure in self._failures if failure.error is not None]
        lines = [f"{len(failed)} of {len(self._plan.steps)} steps failed:"]
        lines += [f"  {failure.step}: {failure.error}" for failure in failed]
        skipped = [failure.step for failure in self._failures if failure.error is None]
        if skipped:
            lines.append(f"  not started because of that: {', '.join(skipped)}")
        kinds = {type(failure.error) for failure in failed}
        if all(issubclass(kind, UserError) for kind in kinds):
            error: RunError = _UserRunError("\n".join(lines), hint=f"log: {folder / 'log.txt'}")
            return error
        return RunError(
            "\n".join(lines),
            hint=f"run the same command to go on from there; log: {folder / 'log.txt'}",
        )


class _UserRunError(RunError):
    """Every failed step failed by something the user can put right."""

    exit_code = 2


def _listed(failures: list[StepFailure]) -> list[dict[str, str]]:
    return [
        {
            "step": failure.step,
            "error": str(failure.error) if failure.error is not None else "",
            "because": failure.because,
        }
        for failure in failures
    ]
