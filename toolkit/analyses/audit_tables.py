"""The tables and the figure of an audit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolkit.analyses.audit_findings import Finding, KindFinding
from toolkit.analyses.base import AnalysisColumn, AnalysisTable
from toolkit.figures.base import Dots, Figure, Series
from toolkit.statistics.clustered_shares import Share

__all__ = ["audit_tables"]

_LOW: Final = "low end of the 95 % interval"
_HIGH: Final = "high end of the 95 % interval"
_NONE: Final = Share(None)
_NOTHING: Final = "No edited text has a score, so that there is nothing to draw and no verdict."
_ROLES: Final = {
    "target": "edits it should react to",
    "other": "other edits",
    "rewrite": "rewrites of the same meaning",
}


def audit_tables(
    findings: Sequence[Finding], *, kinds: Sequence[str], signature: str
) -> list[AnalysisTable]:
    """Return the tables of one judge: its scores, their stability, and kind by kind.

    Args:
        findings: one for each score of the judge.
        kinds: kinds of edits and rewrites in the order of the recipe.
        signature: what the numbers depend on.
    """
    if not findings:
        return []
    judge = findings[0].judge
    measured = any(one.seen for one in findings)
    return [
        AnalysisTable(
            name=f"audit_{judge}",
            title=f"Audit of {judge}: what its scores react to",
            columns=_SCORES,
            rows=[_row(one, _SCORES) for one in findings],
            notes=(
                "n edits: edits that the score should react to; others: edits that are not what it "
                "claims to measure. Each share is of texts whose score falls by more than the "
                "threshold of the table below.",
                "Discrimination: chance that such an edit falls further than a rewrite; 0.5 is "
                "chance. Blind: nothing here shows that the score tells them apart.",
                *([] if measured else [_NOTHING]),
            ),
            signature=signature,
            figures=(_figure(judge, findings, kinds),) if measured else (),
        ),
        AnalysisTable(
            name=f"audit_{judge}_stability",
            title=f"Audit of {judge}: retest spread, length and position",
            columns=_STABILITY,
            rows=[_row(one, _STABILITY) for one in findings],
            notes=(
                "Retest: standard deviation of single judgements of the same text, copies of the "
                "reference and one edited text of each. Verbosity: change when sentences that "
                "claim nothing follow. Position: change when the two texts change places.",
            ),
            signature=signature,
        ),
        AnalysisTable(
            name=f"audit_{judge}_kinds",
            title=f"Audit of {judge}: kind by kind",
            columns=_KINDS,
            rows=[
                _kind_row(one, kind)
                for one in findings
                for kind in sorted(one.kinds, key=lambda kind: kinds.index(kind.kind))
            ],
            notes=(
                "n: texts with a score; not asked: references that the kind does not apply to, "
                "listed with their reason in the table audit_edits of the step.",
            ),
            signature=signature,
        ),
    ]


def _row(found: Finding, columns: Sequence[AnalysisColumn]) -> dict[str, Any]:
    values = found.to_dict()
    return {column.name: values[column.name] for column in columns}


def _kind_row(found: Finding, kind: KindFinding) -> dict[str, Any]:
    return {
        "judge": found.judge,
        "score": found.score,
        "kind": kind.kind,
        "role": kind.role,
        "n": kind.reacts.n,
        "n_missing": kind.n_missing,
        "n_not_asked": kind.n_not_asked,
        "reacts": kind.reacts.value,
        "reacts_low": kind.reacts.low,
        "reacts_high": kind.reacts.high,
        "fall": kind.fall.mean,
        "fall_low": kind.fall.low,
        "fall_high": kind.fall.high,
    }


def _figure(judge: str, findings: Sequence[Finding], kinds: Sequence[str]) -> Figure:
    most = max((kind.reacts.n for one in findings for kind in one.kinds), default=0)
    said = [
        f"{one.score}: {_per_cent(one.reacts.value)} of {one.reacts.n} edits it should react to, "
        f"{_per_cent(one.false_alarms.value)} of {one.false_alarms.n} rewrites"
        for one in findings
    ]
    return Figure(
        name=f"audit_{judge}",
        title=f"What the scores of {judge} react to (at most {most} texts of a kind)",
        alt=f"Share of texts at which each score of {judge} falls. {'; '.join(said)}.",
        panels=tuple(_panel(one, kinds) for one in findings),
        columns=2,
    )


def _panel(found: Finding, kinds: Sequence[str]) -> Dots:
    by_kind = {kind.kind: kind for kind in found.kinds}
    shown = [kind for kind in kinds if kind in by_kind and by_kind[kind].reacts.n]
    series = []
    for role, words in _ROLES.items():
        mine = [by_kind[kind].reacts if by_kind[kind].role == role else _NONE for kind in shown]
        # A role without a kind stays in, so that every panel gives a role the same shape.
        series.append(
            Series(
                name=words,
                values=tuple(share.value for share in mine),
                lows=tuple(share.low for share in mine),
                highs=tuple(share.high for share in mine),
            )
        )
    return Dots(
        labels=tuple(f"{kind.replace('_', ' ')} ({by_kind[kind].reacts.n})" for kind in shown),
        series=tuple(series),
        x="share of texts at which the score falls",
        title=found.score.replace("_", " "),
        line=1.0,
    )


def _per_cent(value: float | None) -> str:
    return "none" if value is None else f"{100 * value:.0f} %"


def _double(name: str, about: str, digits: int) -> tuple[AnalysisColumn, ...]:
    return (
        AnalysisColumn(name, "double", about, digits),
        AnalysisColumn(f"{name}_low", "double", _LOW, digits),
        AnalysisColumn(f"{name}_high", "double", _HIGH, digits),
    )


_JUDGE: Final = AnalysisColumn("judge", "string", "judge", 0)
_SCORE: Final = AnalysisColumn("score", "string", "score", 0)

_SCORES: Final = (
    _JUDGE,
    _SCORE,
    AnalysisColumn("n_edits", "int64", "n edits", 0),
    *_double("reacts", "share it reacts to", 2),
    AnalysisColumn("n_others", "int64", "n others", 0),
    *_double("others", "share of others it reacts to", 2),
    AnalysisColumn("n_rewrites", "int64", "n rewrites", 0),
    *_double("false_alarms", "false alarms", 2),
    *_double("strength", "mean fall at edits, % of range", 1),
    *_double("discrimination", "discrimination", 2),
    AnalysisColumn("n_missing", "int64", "without a score", 0),
    AnalysisColumn("blind", "bool", "blind", 0),
    AnalysisColumn("verdict", "string", "verdict", 0),
)

_STABILITY: Final = (
    _JUDGE,
    _SCORE,
    AnalysisColumn("n_retest", "int64", "n texts judged again", 0),
    *_double("retest_sd", "retest standard deviation, in the score's units", 2),
    AnalysisColumn("threshold", "double", "fall that counts as a reaction", 2),
    AnalysisColumn("n_verbosity", "int64", "n longer texts", 0),
    *_double("verbosity", "change through length, % of range", 1),
    AnalysisColumn("n_position", "int64", "n swapped", 0),
    *_double("position", "change through position, % of range", 1),
)

_KINDS: Final = (
    _JUDGE,
    _SCORE,
    AnalysisColumn("kind", "string", "kind", 0),
    AnalysisColumn("role", "string", "role: target, other or rewrite", 0),
    AnalysisColumn("n", "int64", "n", 0),
    AnalysisColumn("n_missing", "int64", "without a score", 0),
    AnalysisColumn("n_not_asked", "int64", "not asked", 0),
    *_double("reacts", "share it falls at", 2),
    *_double("fall", "mean fall, % of range", 1),
)
