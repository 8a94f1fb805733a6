"""One evaluation of one model under one prompt mode, as it is kept for good."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, get_args

from toolkit.metrics.base import Direction, ScoreDefinition
from toolkit.store.canonical import digest

__all__ = [
    "TIERS",
    "JudgeUse",
    "ModelUse",
    "Result",
    "ScoreResult",
    "Tier",
    "Withdrawal",
    "items_path",
    "model_folder",
    "record_path",
    "withdrawal_path",
]

Tier = Literal["self-reported", "re-scored", "re-generated"]
"""Who did what: the submitter all of it; the maintainer the scores; the maintainer the answers."""

TIERS: Final[tuple[Tier, ...]] = get_args(Tier)
"""The tiers, the least checked first."""

_PLAIN: Final = re.compile(r"[a-z0-9][a-z0-9._-]*")
_ID_DIGITS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """Who answered.

    Attributes:
        name: what the results of the model are kept under.
        title: what tables call it.
        kind: ``model``, ``baseline``, or ``reference`` for the reference itself.
        hub_id: ``org/name`` of its repository on the Hub; None where it has none.
        revision: of its weights: a commit, ``sha256:`` of a file, or what the server calls it;
            empty where nothing is known.
        provider: kind of model in the recipe.
        access: how one gets at it, e.g. ``API``; empty where nobody said.
        group: its group in tables; empty for none.
        scale: its size as published; empty where nobody said.
        note: what to know of its numbers; mostly empty.
    """

    name: str
    title: str
    kind: Literal["model", "baseline", "reference"] = "model"
    hub_id: str | None = None
    revision: str = ""
    provider: str = ""
    access: str = ""
    group: str = ""
    scale: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreResult:
    """One number of an evaluation, or why there is none.

    Attributes:
        score: its name.
        title: how people call it.
        metric: the metric or judge that gives it.
        direction: which way is better.
        target: the best value where direction is ``target``, else None.
        least: smallest possible value; None when unbounded.
        most: largest possible value; None when unbounded.
        digits: decimals worth printing.
        value: the mean; None when there is none.
        low: lower end of its interval; None when there is none.
        high: upper end.
        level: coverage of the interval, between 0 and 1; None without one.
        interval: how the interval was made, e.g. ``95 % bootstrap interval ...``.
        n: answers with a value.
        missing: answers without one.
        reason: why there is no mean or no interval; empty otherwise.
        signature: all that can change the number.
        judges: names of the judges behind it, keys of :attr:`Result.judges`; none for a metric.
    """

    score: str
    title: str
    metric: str
    direction: Direction
    target: float | None = None
    least: float | None = None
    most: float | None = None
    digits: int = 3
    value: float | None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    interval: str = ""
    n: int
    missing: int = 0
    reason: str = ""
    signature: str
    judges: tuple[str, ...] = ()

    def definition(self) -> ScoreDefinition:
        """Return what the number means, without the number."""
        return ScoreDefinition(
            name=self.score,
            title=self.title,
            low=self.least,
            high=self.most,
            direction=self.direction,
            target=self.target,
            digits=self.digits,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeUse:
    """A judge as it was configured.

    Attributes:
        name: of the judge in the recipe.
        type: kind of judge.
        model: the model that judged, as its server or its file calls it; empty for none.
        hub_id: the model's repository on the Hub; None for none.
        prompts: sha256 of each file of its prompt, by the file's role (system, user).
        sampling: temperature, top_p, max_tokens and whatever else shapes a reply.
        identity: sha256 of all that makes two judgings interchangeable.
        audit: what an audit of the run found of each of its scores, by the score's column on
            the board: the fields of :class:`toolkit.report.audit.JudgeAudit`; empty without one.
    """

    name: str
    type: str
    model: str = ""
    hub_id: str | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)
    sampling: Mapping[str, Any] = field(default_factory=dict)
    identity: str = ""
    audit: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One evaluation: a model, a prompt mode, a version of a benchmark.

    Attributes:
        benchmark: name of the benchmark (its recipe).
        title: its title.
        version: version of the benchmark.
        dataset: ``org/name`` on the Hub; None where it is not published.
        config: configuration of the dataset.
        split: released split whose items were answered.
        model: who answered.
        prompt: the prompt mode; empty for a baseline.
        prompts: sha256 of each file of the prompt, by the file's role.
        generation: sampling parameters and limits of the answers.
        repeats: answers to each item.
        statuses: answers by status: ok, repaired, truncated, invalid, refused, error.
        scores: the numbers, in the order of the recipe.
        judges: how each judge behind them was configured, by name.
        recipe: fingerprint (64 hex digits) of what the recipe says of this evaluation: the steps
            that answered and scored, whatever else the recipe holds.
        toolkit: version of the program that wrote the record; no part of its id.
        tier: who did what.
        submitter: who handed it in.
        organization: who runs the benchmark.
        items: how many items have scores.
        items_sha256: of the file of item scores; empty where none may be kept.
        withheld: why there are no item scores; empty where there are.
        date: ISO day on which it was accepted; no part of its id.
        supersedes: id of the record that it took the place of; no part of its id.
    """

    benchmark: str
    title: str
    version: str
    dataset: str | None = None
    config: str = "default"
    split: str
    model: ModelUse
    prompt: str
    prompts: Mapping[str, str] = field(default_factory=dict)
    generation: Mapping[str, Any] = field(default_factory=dict)
    repeats: int = 1
    statuses: Mapping[str, int] = field(default_factory=dict)
    scores: tuple[ScoreResult, ...]
    judges: Mapping[str, JudgeUse] = field(default_factory=dict)
    recipe: str
    toolkit: str
    tier: Tier
    submitter: str
    organization: str = ""
    items: int = 0
    items_sha256: str = ""
    withheld: str = ""
    date: str
    supersedes: str = ""

    @property
    def record_id(self) -> str:
        """What the record is called: digits of the sha256 of all it says of the evaluation.

        The same evaluation handed in twice is one record, whichever day it comes and whichever
        version of this program writes it down; what can change a number is in ``recipe``.
        """
        content = asdict(self)
        del content["date"], content["supersedes"], content["toolkit"]
        return digest(content)[:_ID_DIGITS]

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What of several records only one counts for: version, split, model and prompt mode."""
        return self.version, self.split, self.model.name, self.prompt

    def score(self, name: str) -> ScoreResult | None:
        """Return one of its numbers; None where it has none of that name."""
        return next((found for found in self.scores if found.score == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """A record was taken back; it stays, with the reason, and is never ranked.

    Attributes:
        record: id of the record.
        reason: why.
        by: who took it back.
        date: ISO day.
    """

    record: str
    reason: str
    by: str
    date: str


def record_path(result: Result) -> str:
    """Return where a record lies: ``results/<version>/<model>/<record id>.json``."""
    return _path(result, ".json")


def items_path(result: Result) -> str:
    """Return where the scores of its items lie."""
    return _path(result, ".items.jsonl")


def withdrawal_path(result: Result) -> str:
    """Return where its withdrawal lies, once there is one."""
    return _path(result, ".withdrawn.json")


def _path(result: Result, suffix: str) -> str:
    folder = f"results/{result.version}/{model_folder(result.model.name)}"
    return f"{folder}/{result.record_id}{suffix}"


def model_folder(name: str) -> str:
    """Return the folder of a model: its name where that is plain, else with a digest.

    Two names never share one, not even where the file system ignores case.
    """
    if _PLAIN.fullmatch(name) and len(name) <= 80:
        return name
    plain = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._")[:60]
    return f"{plain or 'model'}-{digest(name)[:8]}"
