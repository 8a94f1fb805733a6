"""What an audit found of one score, and what may be said of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from toolkit.analyses.audit_effects import AuditEffects, Effect, Retest
from toolkit.statistics.clustered_shares import Share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ENOUGH", "Finding", "KindFinding", "Role", "finding"]

ENOUGH: Final = 10
"""References with an edit, and with a rewrite, that a verdict needs where scores vary; edits that
it needs where not one of them moved the score."""

Role = Literal["target", "other", "rewrite"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindFinding:
    """One kind of edit under one score.

    Attributes:
        kind: of edit or rewrite.
        role: ``target`` when the score should react to it, ``rewrite`` when it must not, and
            ``other`` for an edit that is not what the score claims to measure.
        n_not_asked: references that the kind does not apply to.
        n_missing: texts that were asked about and have no score, or whose copies have none.
        reacts: share of texts that the score falls at.
        fall: mean fall in per cent of the range.
    """

    kind: str
    role: Role
    n_not_asked: int
    n_missing: int
    reacts: Share
    fall: Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One score of one judge.

    Attributes:
        judge: name of the judge.
        score: the judge's own name of the score.
        column: the score's column of the leaderboard.
        reacts: share of its target edits that it falls at.
        others: the same of the edits that are not what it claims to measure.
        false_alarms: the same of the rewrites.
        strength: mean fall at its target edits, in per cent of the range.
        retest: spread of judgements of the same text.
        threshold: fall that counts as a reaction, in units of the score.
        verbosity: change through sentences that claim nothing, in per cent of the range.
        position: change when the two texts change places, in per cent of the range.
        discrimination: chance that a target edit falls further than a rewrite.
        kinds: kind by kind.
        n_missing: judgements that were asked for and have no score.
        constant: every text got the same value.
        unmoved: every target edit got exactly the score of its copies.
        blind: nothing shows that the score tells edits from texts of the same meaning.
        verdict: in words.
    """

    judge: str
    score: str
    column: str
    reacts: Share
    others: Share
    false_alarms: Share
    strength: Effect
    retest: Retest
    threshold: float
    verbosity: Effect
    position: Effect
    discrimination: Share
    kinds: tuple[KindFinding, ...]
    n_missing: int
    constant: bool
    unmoved: bool
    blind: bool = False
    verdict: str = ""

    @property
    def seen(self) -> int:
        """How many edited and rewritten texts have a score to compare with that of their copy."""
        return self.reacts.n + self.others.n + self.false_alarms.n

    def judged(self, *, judge_is_constant: bool) -> Finding:
        """Return the finding with its verdict.

        Args:
            judge_is_constant: whether no score of the judge ever varied.
        """
        if not self.seen:
            return replace(self, verdict="not measured: no edit and no rewrite has a score")
        blind, verdict = _verdict(self, judge_is_constant)
        return replace(self, blind=blind, verdict=verdict)

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as JSON: a mark beside the score on a leaderboard."""
        return {
            "judge": self.judge,
            "score": self.score,
            "column": self.column,
            "n_edits": self.reacts.n,
            **_share("reacts", self.reacts),
            "n_others": self.others.n,
            **_share("others", self.others),
            "n_rewrites": self.false_alarms.n,
            **_share("false_alarms", self.false_alarms),
            **_effect("strength", self.strength),
            "retest_sd": self.retest.sd,
            "retest_sd_low": self.retest.low,
            "retest_sd_high": self.retest.high,
            "n_retest": self.retest.n,
            "threshold": self.threshold,
            "n_verbosity": self.verbosity.n,
            **_effect("verbosity", self.verbosity),
            "n_position": self.position.n,
            **_effect("position", self.position),
            **_share("discrimination", self.discrimination),
            "n_missing": self.n_missing,
            "blind": self.blind,
            "verdict": self.verdict,
        }


def finding(
    effects: AuditEffects, judge: str, score: str, column: str, targets: tuple[str, ...]
) -> Finding:
    """Return what was found of a score, its verdict still to be given.

    Args:
        effects: the effects of the score.
        judge: name of the judge.
        score: the judge's own name of the score.
        column: the score's column of the leaderboard.
        targets: edits that the score should react to.
    """
    import numpy as np

    rows = effects.rows
    edits = {str(kind) for kind in np.unique(rows.kinds[rows.probes == "edit"])}
    rewrites = {str(kind) for kind in np.unique(rows.kinds[rows.probes == "rewrite"])}
    aimed = effects.chosen("edit", targets)
    aside = effects.chosen("edit", edits - set(targets))
    kept = effects.chosen("rewrite", rewrites)
    return Finding(
        judge=judge,
        score=score,
        column=column,
        reacts=effects.reactions(aimed),
        others=effects.reactions(aside),
        false_alarms=effects.reactions(kept),
        strength=effects.strength(aimed, "strength"),
        retest=effects.retest,
        threshold=effects.threshold,
        verbosity=effects.verbosity(),
        position=effects.position(),
        discrimination=effects.discrimination(aimed, kept),
        kinds=tuple(
            _kind(effects, kind, "rewrite" if kind in rewrites else _role(kind, targets))
            for kind in sorted(edits | rewrites)
        ),
        n_missing=int((rows.asked & ~np.isfinite(rows.values)).sum()),
        constant=effects.constant(),
        unmoved=effects.unmoved(aimed),
    )


def _role(kind: str, targets: tuple[str, ...]) -> Role:
    return "target" if kind in targets else "other"


def _kind(effects: AuditEffects, kind: str, role: Role) -> KindFinding:
    probe = "rewrite" if role == "rewrite" else "edit"
    rows = effects.rows
    asked = effects.chosen(probe, [kind])
    reacts = effects.reactions(asked)
    return KindFinding(
        kind=kind,
        role=role,
        n_not_asked=int(_count((rows.probes == probe) & (rows.kinds == kind) & ~rows.asked)),
        n_missing=int(_count(asked)) - reacts.n,
        reacts=reacts,
        fall=effects.strength(asked, f"fall {kind}"),
    )


def _count(rows: NDArray[np.bool_]) -> int:
    return int(rows.sum())


def _verdict(found: Finding, judge_is_constant: bool) -> tuple[bool, str]:
    """Return whether a score is blind, and what may be said of it."""
    tested = found.reacts.n > 0
    if found.constant and (tested or judge_is_constant):
        return True, "blind: every text got the same value"
    if not tested:
        moved = "it never moved" if found.constant else _aside(found)
        return False, f"not tested: no edit here is what it measures; {moved}"
    if found.unmoved and found.reacts.n >= ENOUGH:
        return True, "blind: every edit got the score of its copy"
    area = found.discrimination
    if found.false_alarms.n == 0:
        return False, "no verdict: no rewrite to compare with"
    if area.clusters < ENOUGH:
        return False, "no verdict: too few edits or rewrites"
    if area.low is None or area.high is None:
        # All fall by the same, and that is not 0.
        return True, "blind: edits and rewrites fall alike"
    if area.high < 0.5:
        return False, "falls further at rewrites than at edits"
    if area.low <= 0.5:
        return True, "blind: not shown to tell edits from rewrites"
    return False, "tells edits from rewrites"


def _aside(found: Finding) -> str:
    if found.others.low is not None and found.others.low > 0.05:
        return f"it falls at {100 * (found.others.value or 0):.0f} % of the edits it should ignore"
    return "it seldom moves with the others"


def _share(name: str, share: Share) -> dict[str, float | None]:
    return {name: share.value, f"{name}_low": share.low, f"{name}_high": share.high}


def _effect(name: str, effect: Effect) -> dict[str, float | None]:
    return {name: effect.mean, f"{name}_low": effect.low, f"{name}_high": effect.high}
