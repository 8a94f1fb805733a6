"""What a report is made of: plain values, gathered by whoever asks for the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toolkit.analyses.base import AnalysisTable
from toolkit.metrics.base import ScoreDefinition

__all__ = [
    "STATUSES",
    "AnswerCounts",
    "Evidence",
    "EvidenceRow",
    "Expectation",
    "FunnelStep",
    "ReportInputs",
    "SuiteResult",
]

STATUSES: Final = ("ok", "repaired", "truncated", "invalid", "refused", "error")
"""Statuses of an answer, from usable to lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCounts:
    """How the requests of one model and prompt ended.

    Attributes:
        model: name of the model in the recipe.
        prompt: name of the prompt; empty for a baseline.
        counts: answers by status, a key of :data:`STATUSES`; an absent one counts 0.
    """

    model: str
    prompt: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunnelStep:
    """One rule of the corpus and what it left.

    Attributes:
        rule: name of the rule; the first step is the input and removes 0.
        removed: rows that the rule removed.
        remaining: rows left after it.
        by_file: rows removed (for the first step: read) by source file; may be empty.
    """

    rule: str
    removed: int
    remaining: int
    by_file: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """The result of one expectation of a suite.

    Attributes:
        name: its id in the suite.
        about: why it is expected, one sentence.
        status: ``passed``, ``failed`` or ``error``.
        severity: ``critical`` or ``warning``.
        checked: values looked at, None when it does not count values.
        unexpected: values that broke it, None when it does not count values.
        observed: what was found instead, as text; may be empty.
        failing_ids: ids of the first failing rows.
    """

    name: str
    status: str
    about: str = ""
    severity: str = "critical"
    checked: int | None = None
    unexpected: int | None = None
    observed: str = ""
    failing_ids: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteResult:
    """The results of one expectation suite on one artifact."""

    suite: str
    expectations: Sequence[Expectation]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRow:
    """One answer behind the numbers.

    Attributes:
        item_id: id of the item.
        title: title of the item; may be empty.
        input: what the model saw.
        reference: what the answer was compared with.
        answer: the answer, None when there is none.
        status: a member of :data:`STATUSES`.
        reason: why the status is not ok; empty otherwise.
        repeat: 0-based repeat.
        scores: value of each score, None where there is none.
        missing: why a score has no value, by score.
    """

    item_id: str
    reference: str
    answer: str | None
    status: str
    scores: Mapping[str, float | None]
    title: str = ""
    input: str = ""
    reason: str = ""
    repeat: int = 0
    missing: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The rows behind one line of the leaderboard.

    Attributes:
        model: name of the model in the recipe.
        prompt: name of the prompt; empty for a baseline.
        total: how many rows there are in all.
        rows: some of them, in a fixed order; at most 200 are shown.
    """

    model: str
    prompt: str
    total: int
    rows: Sequence[EvidenceRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportInputs:
    """Everything a report says; nothing in it depends on time, host, folder or worker count.

    Attributes:
        name: name of the recipe.
        title: heading of the report.
        leaderboard: rows with the ``leaderboard`` columns of :mod:`toolkit.records`.
        scores: what the scores mean, in the order of the columns.
        items: how many items every competitor was asked about.
        split: name of the split they come from.
        interval: how the intervals were found, e.g. from ``Means.describe``.
        answers: how the requests ended, one for each model and prompt.
        funnel: from the input to the corpus, rule by rule.
        splits: items in each split.
        validation: results of the expectation suites.
        evidence: rows behind the numbers.
        notes: sentences on how to read the numbers.
        limits: sentences on what the numbers do not show.
        titles: what tables call a model, by its name in the recipe; the name itself by default.
        methods: facts that a methods section needs (seeds, signatures, versions, fingerprints).
        tables: what judges, analyses and planted instructions came to.
    """

    name: str
    title: str
    leaderboard: Sequence[Mapping[str, Any]]
    scores: Sequence[ScoreDefinition]
    items: int
    split: str = "test"
    interval: str = ""
    answers: Sequence[AnswerCounts] = ()
    funnel: Sequence[FunnelStep] = ()
    splits: Mapping[str, int] = field(default_factory=dict)
    validation: Sequence[SuiteResult] = ()
    evidence: Sequence[Evidence] = ()
    notes: Sequence[str] = ()
    limits: Sequence[str] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)
    tables: Sequence[AnalysisTable] = ()
