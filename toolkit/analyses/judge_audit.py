"""The audit of judges: do their scores react to what they claim to measure, and to nothing else?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal

from toolkit.analyses.audit_effects import AuditEffects
from toolkit.analyses.audit_findings import Finding, finding
from toolkit.analyses.audit_tables import audit_tables
from toolkit.analyses.audit_values import audit_values
from toolkit.analyses.base import AnalysisInputs, AnalysisTable

__all__ = ["EDIT_KINDS", "REWRITE_KINDS", "TARGETS", "JudgeAudit", "JudgeAuditParams"]

EditKind = Literal["number", "unit", "direction", "negation", "hedge", "entity", "removal"]
RewriteKind = Literal["case", "clause_order", "unit_spelling"]

EDIT_KINDS: Final[tuple[EditKind, ...]] = (
    "number", "unit", "direction", "negation", "hedge", "entity", "removal",
)  # fmt: skip
REWRITE_KINDS: Final[tuple[RewriteKind, ...]] = ("case", "clause_order", "unit_spelling")

TARGETS: Final[Mapping[str, tuple[EditKind, ...]]] = {
    "semantic_similarity": ("direction", "negation", "hedge", "entity", "removal"),
    "non_contradiction": ("direction", "negation"),
    "numeric_consistency": ("number", "unit"),
    "writing_style_similarity": (),
    "formality_similarity": (),
}
"""The edits that each score of the MedConclusion rubric should react to.

Style and formality should react to none. A score that is not listed, and that a recipe says
nothing of, is taken to be about meaning as a whole: it should react to all.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAuditParams:
    """How judges react to planted edits of the reference and to rewrites that keep its meaning."""

    judges: tuple[str, ...] = field(metadata={"about": "names of judges of type llm"})
    split: str = field(metadata={"about": "split or view whose references are edited"})
    edits: tuple[EditKind, ...] = field(
        default=EDIT_KINDS, metadata={"about": "edits that change the meaning", "scalar": True}
    )
    rewrites: tuple[RewriteKind, ...] = field(
        default=REWRITE_KINDS, metadata={"about": "rewrites that keep it", "scalar": True}
    )
    sample: int = field(default=200, metadata={"about": "references edited", "minimum": 1})
    repeats: int = field(
        default=2, metadata={"about": "judgements for the retest spread", "minimum": 1}
    )
    threshold: float = field(
        default=0.02,
        metadata={
            "about": "least fall that counts as a reaction, as a share of the score's range; a "
            "judge that wavers more needs a larger fall",
            "minimum": 0,
            "maximum": 1,
        },
    )
    expects: Mapping[str, tuple[EditKind, ...]] = field(
        default_factory=dict,
        metadata={
            "about": "edits that a score should react to, by the judge's own name of the score; "
            "in place of the declared ones"
        },
    )
    resamples: int = field(
        default=2000, metadata={"about": "resamples of intervals of means", "minimum": 100}
    )


class JudgeAudit:
    """Reactions, false alarms, retest spread, and effects of length and position of each score."""

    name: ClassVar[str] = "judge_audit"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = JudgeAuditParams

    def __init__(self, params: JudgeAuditParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return none."""
        return ()

    def fingerprint(self) -> dict[str, Any]:
        """Return what of its parameters can change a table of one judge."""
        params = self.params
        return {
            "version": self.version,
            "edits": list(params.edits),
            "rewrites": list(params.rewrites),
            "sample": params.sample,
            "repeats": params.repeats,
            "threshold": params.threshold,
            "expects": {name: list(kinds) for name, kinds in sorted(params.expects.items())},
            "resamples": params.resamples,
        }

    def describe(self) -> str:
        """Return how its numbers were found."""
        params = self.params
        return (
            "Each judge was shown references beside edited copies of themselves: "
            f"{', '.join(params.edits) or 'no edits'} change the meaning, "
            f"{', '.join(params.rewrites) or 'no rewrites'} keep it. A score reacts when it falls, "
            "against the mean of the unedited copies, by more than "
            f"{100 * params.threshold:g} % of its range and by more than 1.96 retest standard "
            "deviations times sqrt(1 + 1/copies). Discrimination is the chance that an edit that "
            "the score should react to falls further than a rewrite, ties counting half. All "
            "intervals are at 95 % and take the edits of one reference for one cluster: Wilson's "
            "at the effective number of rows for shares and discrimination, the bootstrap's "
            f"({params.resamples} resamples, quantiles expanded for few clusters) for means."
        )

    def targets(self, score: str) -> tuple[EditKind, ...]:
        """Return the edits of this audit that a score should react to."""
        declared = self.params.expects.get(score, TARGETS.get(score, EDIT_KINDS))
        return tuple(kind for kind in self.params.edits if kind in declared)

    def findings(self, inputs: AnalysisInputs) -> list[Finding]:
        """Return what was found of each score, judge by judge.

        Args:
            inputs: ``audits``, ``judges``, the ``definitions`` of their scores, ``seed``.
        """
        tables = list(inputs.audits)
        found: list[Finding] = []
        for judge in inputs.judges.values():
            mine: list[Finding] = []
            for score, column in judge.scores.items():
                definition = inputs.definition(column)
                span = inputs.span(column)
                assert span is not None, "the scores of a judge have a range"
                effects = AuditEffects(
                    audit_values(tables, judge.name, score),
                    span=span,
                    lower_is_better=definition.direction == "lower",
                    least=self.params.threshold,
                    resamples=self.params.resamples,
                    seed=inputs.seed,
                    names=(judge.name, score),
                )
                mine.append(finding(effects, judge.name, score, column, self.targets(score)))
            dead = all(one.constant for one in mine)
            found += [one.judged(judge_is_constant=dead) for one in mine]
        return found

    def tables(self, findings: list[Finding], inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables and the figure of each judge."""
        return [
            table
            for judge in inputs.judges
            for table in audit_tables(
                [one for one in findings if one.judge == judge],
                kinds=(*self.params.edits, *self.params.rewrites),
                signature=self._signature(inputs),
            )
        ]

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables of every judge that ``inputs`` has."""
        return self.tables(self.findings(inputs), inputs)

    def _signature(self, inputs: AnalysisInputs) -> str:
        params = self.params
        return (
            f"judge_audit:{self.version}|references:{params.sample}|repeats:{params.repeats}|"
            f"least:{params.threshold:g}|ci:wilson-clustered,bootstrap-expanded|level:0.95|"
            f"resamples:{params.resamples}|seed:{inputs.seed}"
        )
