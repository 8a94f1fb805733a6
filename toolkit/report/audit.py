"""How far a judge's number can be trusted, in the words that stand beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from toolkit.report.text import count, number

__all__ = ["JudgeAudit", "audit_line", "audit_words"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAudit:
    """What planted edits and harmless rewrites showed of one score of one judge.

    Shares lie from 0 to 1; what was not tried is None.

    Attributes:
        judge: name in the recipe.
        score: the judge's own name of the score.
        column: its column on the leaderboard.
        n_edits: planted edits that the judge saw.
        reacts: share of them after which the score got worse.
        n_rewrites: rewrites without a change of meaning that it saw.
        false_alarms: share of them after which the score got worse.
        strength: how far it falls after an edit, in percent of the score's range.
        retest_sd: standard deviation between two judgements of the same text, in units of the
            score.
        n_retest: texts judged again.
        verbosity: change through sentences that claim nothing, in percent of the range.
        position: change when the two texts change places, in percent of the range.
        discrimination: how well it tells edits from rewrites, 0.5 being a coin.
        blind: whether its reactions cannot be told from chance.
        verdict: the finding as a sentence.
    """

    judge: str
    score: str
    column: str
    n_edits: int = 0
    reacts: float | None = None
    reacts_low: float | None = None
    reacts_high: float | None = None
    n_rewrites: int = 0
    false_alarms: float | None = None
    false_alarms_low: float | None = None
    false_alarms_high: float | None = None
    strength: float | None = None
    strength_low: float | None = None
    strength_high: float | None = None
    retest_sd: float | None = None
    n_retest: int = 0
    verbosity: float | None = None
    verbosity_low: float | None = None
    verbosity_high: float | None = None
    position: float | None = None
    position_low: float | None = None
    position_high: float | None = None
    discrimination: float | None = None
    discrimination_low: float | None = None
    discrimination_high: float | None = None
    blind: bool = False
    verdict: str = ""

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> JudgeAudit:
        """Return the audit that a manifest holds; keys of later versions are left out."""
        known = {field.name for field in fields(cls)}
        return cls(**{key: value for key, value in facts.items() if key in known})


def audit_line(audit: JudgeAudit | None) -> str:
    """Return what stands under the heading of a judged column.

    ``reacts to 62 % [55, 69] of edits, false alarms 8 %, retest sd 3.1``; ``blind`` where the
    judge cannot tell an edit from chance; ``not audited`` where nothing was planted, and
    ``audited without a score`` where no reply to what was planted had one.
    """
    if audit is None:
        return "not audited"
    parts = ["blind"] if audit.blind else []
    if audit.reacts is not None:
        interval = _interval(audit.reacts_low, audit.reacts_high)
        parts.append(f"reacts to {_percent(audit.reacts)} %{interval} of edits")
    if audit.false_alarms is not None:
        parts.append(f"false alarms {_percent(audit.false_alarms)} %")
    if audit.retest_sd is not None:
        parts.append(f"retest sd {number(audit.retest_sd, 1)}")
    return ", ".join(parts) or "audited without a score"


def audit_words(audit: JudgeAudit) -> list[tuple[str, str]]:
    """Return the audit as (heading, text) pairs, in the order of the judge section's table."""
    return [
        ("Judge", audit.judge),
        ("Score", audit.score),
        ("Finding", _finding(audit)),
        ("Reacts to edits", _share(audit, "reacts", audit.n_edits)),
        ("False alarms", _share(audit, "false_alarms", audit.n_rewrites)),
        ("Strength, % of range", _points(audit, "strength", 1)),
        ("Tells edits from rewrites", _points(audit, "discrimination", 2)),
        ("Retest sd", _retest(audit)),
        ("Longer text, % of range", _points(audit, "verbosity", 1)),
        ("Position, % of range", _points(audit, "position", 1)),
        ("In words", audit.verdict or "–"),
    ]


def _finding(audit: JudgeAudit) -> str:
    """Return what was shown: a score that no edit was about, or too few, sees nothing by that."""
    if audit.blind:
        return "blind"
    low = audit.discrimination_low
    return "sees edits" if low is not None and low > 0.5 else "not shown"


def _share(audit: JudgeAudit, name: str, n: int) -> str:
    value = getattr(audit, name)
    if value is None:
        return "–"
    ends = _interval(getattr(audit, f"{name}_low"), getattr(audit, f"{name}_high"))
    return f"{_percent(value)} %{ends} (n {count(n)})"


def _points(audit: JudgeAudit, name: str, digits: int) -> str:
    value, low, high = (getattr(audit, f"{name}{end}") for end in ("", "_low", "_high"))
    if value is None:
        return "–"
    if low is None or high is None:
        return number(value, digits)
    return f"{number(value, digits)} [{number(low, digits)}, {number(high, digits)}]"


def _retest(audit: JudgeAudit) -> str:
    if audit.retest_sd is None:
        return "–"
    return f"{number(audit.retest_sd, 2)} (n {count(audit.n_retest)})"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{_percent(low)}, {_percent(high)}]"


def _percent(share: float) -> str:
    return number(100 * share, 0)
