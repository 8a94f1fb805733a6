"""What a report is made of: plain values, gathered by whoever asks for the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from toolkit.analyses.base import AnalysisTable
from toolkit.metrics.base import ScoreDefinition
from toolkit.report.audit import JudgeAudit

__all__ = [
    "COSTS_PLACE",
    "STATUSES",
    "AnswerCounts",
    "Evidence",
    "EvidenceRow",
    "Expectation",
    "FunnelStep",
    "MethodText",
    "Powered",
    "ReportFigure",
    "ReportInputs",
    "ReportTable",
    "ScoreGroup",
    "SuiteResult",
]

STATUSES: Final = ("ok", "repaired", "truncated", "invalid", "refused", "error")
"""Statuses of an answer, from usable to lost."""

COSTS_PLACE: Final = "<!-- what the answers took stands here in the folder of a run -->"
"""The empty place for money, tokens and hours in a page and in the Markdown report."""


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
        about: what it means; may be empty.
        removed: rows that the rule removed.
        remaining: rows left after it.
        by_file: rows removed (for the first step: read) by source file; may be empty.
    """

    rule: str
    removed: int
    remaining: int
    by_file: Mapping[str, int] = field(default_factory=dict)
    about: str = ""


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
        rows: some of them, in a fixed order; at most 20 are shown.
        competitor: its column in the page of items; None without one.
    """

    model: str
    prompt: str
    total: int
    rows: Sequence[EvidenceRow]
    competitor: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreGroup:
    """Columns of the leaderboard that come from one metric or one judge.

    Attributes:
        name: of the metric or judge in the recipe.
        kind: which of the two it is.
        scores: names of its scores.
    """

    name: str
    kind: Literal["metric", "judge"]
    scores: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFigure:
    """A figure of an analysis.

    Attributes:
        name: of its files.
        title: what stands below it.
        alt: words for who cannot see it.
        svg: the drawing; None where only its files are linked.
        files: addresses of its files, relative to the page.
    """

    name: str
    title: str
    alt: str
    svg: bytes | None = None
    files: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """A table with what stands around it in the report.

    Attributes:
        table: the table.
        section: where it stands: among judges or among analyses.
        files: addresses of its files, relative to the page; the first is its CSV.
        figures: drawn from it.
    """

    table: AnalysisTable
    section: Literal["judges", "analyses"] = "analyses"
    files: Sequence[str] = ()
    figures: Sequence[ReportFigure] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Powered:
    """A prediction-powered mean, beside the raw one.

    Attributes:
        value: the mean.
        low: lower end of its interval.
        high: upper end.
        n: human ratings it rests on.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodText:
    """One heading of the methods with its paragraphs."""

    title: str
    paragraphs: Sequence[str]


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
        methods: facts behind the methods text (seeds, signatures, fingerprints).
        tables: what judges, analyses and planted instructions came to.
        groups: which columns belong together; a score of no group stands alone.
        audits: how judges reacted to planted edits, one for each judge and score.
        powered: prediction-powered means by model, prompt and score.
        text: the methods as text.
        access: the strictest access of the data: open, restricted or credentialed.
        browser: address of the page of items, relative to the leaderboard; empty without one.
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
    tables: Sequence[ReportTable] = ()
    groups: Sequence[ScoreGroup] = ()
    audits: Sequence[JudgeAudit] = ()
    powered: Mapping[tuple[str, str, str], Powered] = field(default_factory=dict)
    text: Sequence[MethodText] = ()
    access: str = "open"
    browser: str = ""
