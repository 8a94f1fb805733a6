"""Records of a finished run, one for each model and prompt mode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from toolkit.diff.finished_run import FinishedRun, open_run
from toolkit.errors import StoreError, UserError
from toolkit.metrics.base import ScoreDefinition
from toolkit.results.items import ItemScores, items_text
from toolkit.results.record import TIERS, ModelUse, Result, ScoreResult, Tier
from toolkit.results.record_json import result_json
from toolkit.results.run_items import RunItems
from toolkit.results.run_judges import RunJudges
from toolkit.results.run_sampling import revision, sampling
from toolkit.store.canonical import digest, text_digest
from toolkit.store.workspace import Workspace

__all__ = ["FEWEST", "results_of_run"]

FEWEST: Final = 10
"""Independent items of credentialed data that a published mean is over at least.

Variants of one item and items of one cluster are one: their mean tells of a single original.
"""

_WITHHELD: Final = "the data are credentialed: ids and scores of single items never leave"
_WITHOUT_SPLITS: Final = "test"
"""What a release calls the items of a recipe that has no splits."""

_FILES: Final = ("file", "system", "user")


def results_of_run(
    run: Path, *, date: str, tier: str, submitter: str
) -> list[tuple[Result, ItemScores | None]]:
    """Return the records of a run, in the order of its leaderboard's lines.

    Args:
        run: folder of the run (``run.json``, ``recipe.yaml``) inside its workspace.
        date: ISO day on which they are accepted.
        tier: a member of :data:`toolkit.results.record.TIERS`.
        submitter: who hands them in.

    Returns:
        Records with the scores of their items; None for a run over credentialed data, whose
        items never leave and whose means are over :data:`FEWEST` independent items or more.

    Raises:
        StoreError: the run is not finished or was damaged.
        UserError: the run asked only some of the items or pooled its prompts, the recipe has no
            version, or date, tier or submitter is none.
    """
    if tier not in TIERS:
        raise UserError(f"'{tier}' is no tier", hint=f"write one of {', '.join(TIERS)}")
    found = open_run(Workspace(run.absolute().parent.parent), str(run.absolute()))
    _check(found)
    maker = _Maker(found, date, tier, submitter)
    results = []
    for line in maker.lines():
        result, items = maker.result(line)
        # Written once here, so that what no record may hold is refused before anything is kept.
        result_json(result)
        results.append((result, items))
    return results


def _check(run: FinishedRun) -> None:
    """Refuse a run that says nothing of the whole benchmark.

    Raises:
        StoreError: it has no finished leaderboard.
        UserError: it was limited, pools prompts, or its recipe has no version.
    """
    if "leaderboard" not in run.steps:
        raise StoreError(f"the run {run.name} has no leaderboard", hint="add metrics or judges")
    faults = []
    if any(step["params"].get("limit") for step in _generations(run).values()):
        faults.append("it asked only some of the items (--limit)")
    if "prompt" not in run.steps["leaderboard"]["params"]["means"]["by"]:
        faults.append("its leaderboard pools the prompts (means.by)")
    if not str(run.recipe.get("version") or ""):
        faults.append("its recipe has no version:")
    if faults:
        raise UserError(
            f"the run {run.name} gives no records: {'; '.join(faults)}",
            hint="a record is about every item of one version under one prompt mode",
        )


def _generations(run: FinishedRun) -> dict[tuple[str, str], Mapping[str, Any]]:
    return {
        (step["params"]["model"], step["params"]["prompt"]): {**step, "name": name}
        for name, step in run.steps.items()
        if step["stage"] == "generate"
    }


@dataclass(frozen=True, slots=True)
class _Line:
    model: str
    prompt: str
    kind: str
    numbers: Mapping[str, Mapping[str, Any]]


class _Maker:
    """Knows what all records of a run have in common."""

    def __init__(self, run: FinishedRun, date: str, tier: Tier, submitter: str) -> None:
        self._run = run
        self._date, self._tier, self._submitter = date, tier, submitter
        self._board = run.artifact("leaderboard")
        self._generations = _generations(run)
        self._judges = RunJudges(run)
        self._items = None if self._credentialed() else RunItems(run)
        self._definitions = [
            ScoreDefinition(**data) for data in self._board.manifest.facts["definitions"]
        ]

    def lines(self) -> Iterator[_Line]:
        rows: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
        for row in self._board.rows("leaderboard"):
            rows.setdefault((row["model"], row["prompt"]), {})[row["score"]] = row
        for (model, prompt), numbers in sorted(rows.items()):
            kind = next(iter(numbers.values()))["kind"]
            yield _Line(model, prompt, kind, numbers)

    def result(self, line: _Line) -> tuple[Result, ItemScores | None]:
        recipe = self._run.recipe
        publish = recipe.get("publish") or {}
        step = self._generations[line.model, line.prompt]
        made = self._run.artifact(step["name"])
        scores = tuple(self._scores(line))
        used = {name for score in scores for name in score.judges}
        items = None
        if self._items is not None:
            items = self._items.of(step["name"], line.model, line.prompt)
        result = Result(
            benchmark=recipe["name"],
            title=recipe.get("title") or recipe["name"],
            version=str(recipe["version"]),
            dataset=publish.get("dataset"),
            config=publish.get("config") or "default",
            split=_split(step["params"]["table"]),
            model=self._model(line, step),
            prompt=line.prompt,
            prompts=_files(step["params"].get("prompt_text") or {}),
            generation=sampling(step["params"].get("model_identity") or {}),
            repeats=step["params"]["repeats"],
            statuses={name: n for name, n in sorted(made.manifest.facts["status"].items()) if n},
            scores=scores,
            judges={name: self._judges.use(name) for name in sorted(used)},
            recipe=self._fingerprint(line, step),
            toolkit=self._run.data["versions"]["leaderboard-toolkit"],
            organization=publish.get("organization")
            or (publish.get("dataset") or "").partition("/")[0],
            items=_items(made.manifest.facts["slices"]),
            withheld="" if items is not None else _WITHHELD,
            date=self._date,
            tier=self._tier,
            submitter=self._submitter,
        )
        if items is None:
            return result, None
        digest_ = text_digest(items_text(items))
        return replace(result, items=len(items.items), items_sha256=digest_), items

    def _credentialed(self) -> bool:
        access: str = self._run.recipe["corpus"]["access"]
        return access == "credentialed"

    def _model(self, line: _Line, step: Mapping[str, Any]) -> ModelUse:
        section = (self._run.recipe.get("models") or {}).get(line.model) or {}
        return ModelUse(
            name=line.model,
            title=section.get("title") or line.model,
            kind=cast(Any, line.kind),
            hub_id=section.get("hub_id"),
            revision=revision(step["params"].get("model_identity") or {}),
            provider=step["params"]["provider"],
            access=section.get("access") or "",
            group=section.get("group") or "",
            scale=section.get("scale") or "",
            note=section.get("note") or "",
        )

    def _scores(self, line: _Line) -> Iterator[ScoreResult]:
        facts = self._board.manifest.facts
        means = self._run.steps["leaderboard"]["params"]["means"]
        for definition in self._definitions:
            row = line.numbers.get(definition.name)
            if row is None:
                continue
            metric, judges = self._judges.behind(definition.name)
            known = row["ci_low"] is not None
            number = ScoreResult(
                score=definition.name,
                title=definition.title,
                metric=metric,
                direction=definition.direction,
                target=definition.target,
                least=definition.low,
                most=definition.high,
                digits=definition.digits,
                value=row["mean"],
                low=row["ci_low"],
                high=row["ci_high"],
                level=means["confidence"] if known else None,
                interval=facts["interval"].partition(";")[0] if known else "",
                n=row["n"],
                missing=row["n_missing"],
                reason=row["reason"],
                signature=row["signature"],
                judges=judges,
            )
            few = self._items is None and row["n_clusters"] < FEWEST
            yield _held_back(number) if few else number

    def _fingerprint(self, line: _Line, step: Mapping[str, Any]) -> str:
        """Return what the numbers of a line rest on: its answers, their scores, the means."""
        behind = {
            name: other["fingerprint"]
            for name, other in self._run.steps.items()
            if other["stage"] in ("judge", "score")
            and (step["name"] in other["inputs"] or _about(other, line))
        }
        means = self._run.steps["leaderboard"]["params"]
        return digest([step["fingerprint"], behind, means["means"], means["means_version"]])


def _about(step: Mapping[str, Any], line: _Line) -> bool:
    # A panel reads the scores of its members, not the answers themselves.
    params = step["params"]
    return (params.get("model"), params.get("prompt")) == (line.model, line.prompt)


def _held_back(number: ScoreResult) -> ScoreResult:
    if number.value is None:
        return number
    reason = f"fewer than {FEWEST} independent items of credentialed data"
    return replace(number, value=None, low=None, high=None, level=None, interval="", reason=reason)


def _split(table: str) -> str:
    return _WITHOUT_SPLITS if table == "items" else table.removeprefix("items_")


def _files(prompt: Mapping[str, Any]) -> dict[str, str]:
    return {role: prompt[role] for role in _FILES if prompt.get(role)}


def _items(slices: list[list[int]]) -> int:
    return sum(last - first for first, last in slices)
