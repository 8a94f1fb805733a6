"""How far the judges of a run agree: on answers, on models, and on their own kin."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

from toolkit.analyses.base import (
    AnalysisColumn,
    AnalysisInputs,
    AnalysisTable,
    JudgeFacts,
    asked_scores,
    check_judges,
)
from toolkit.analyses.coefficients import alpha_columns
from toolkit.analyses.identity import identity
from toolkit.analyses.item_clusters import item_clusters
from toolkit.analyses.model_ranks import flip_rows, rank_row
from toolkit.analyses.paired_values import PairedValues
from toolkit.analyses.self_preference import self_preference_rows
from toolkit.analyses.together import TOGETHER, TOGETHER_NOTE, alpha_row, alpha_together
from toolkit.statistics.bootstrap import (
    Interval,
    bound_without_variation,
    generator,
    mean_interval,
)
from toolkit.statistics.resampling import item_sums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["JudgeAgreement", "JudgeAgreementParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreementParams:
    """Shift of each score, rank correlation of models, and flips of pairs between judges."""

    judges: tuple[str, ...] = field(metadata={"about": "names of judges"})
    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    resamples: int = field(
        default=2000, metadata={"about": "resamples of intervals", "minimum": 100}
    )
    cluster: str | None = field(
        default=None, metadata={"about": "item column whose equal values are resampled together"}
    )


class JudgeAgreement:
    """Agreement by answer and of all together, ranks of models, flips of pairs, self-preference."""

    name: ClassVar[str] = "judge_agreement"
    version: ClassVar[int] = 3
    Params: ClassVar[type] = JudgeAgreementParams

    def __init__(self, params: JudgeAgreementParams) -> None:
        """Take the parameters.

        Raises:
            UserError: fewer than two judges, or one of them twice.
        """
        check_judges(self.name, params.judges)
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the column that clusters are made of, if any."""
        return () if self.params.cluster is None else (self.params.cluster,)

    @property
    def _unit(self) -> str:
        return "items" if self.params.cluster is None else f"values of {self.params.cluster}"

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "scores")

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        return (
            f"95 % intervals over {self.params.resamples:,} resamples of the {self._unit}: "
            "expanded percentiles for shifts, percentiles for everything else"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables; a judge pair that shares no score has no rows.

        Held in memory: 16 bytes for each value of these judges, and about 250 for each answer of
        the pair that is looked at.
        """
        judges = [inputs.judges[name] for name in self.params.judges]
        wanted = asked_scores(judges, self.params.scores)
        clusters = item_clusters(inputs.items, self.params.cluster, self.name)
        values = PairedValues(
            {column for judge in judges for own, column in judge.scores.items() if own in wanted},
            clusters,
        )
        for table in inputs.scores:
            values.add(table)
        by_answer: list[dict[str, Any]] = []
        ranks: list[dict[str, Any]] = []
        flips: list[dict[str, Any]] = []
        for first, second, score in _pairs(judges, wanted):
            head = {"judge_a": first.name, "judge_b": second.name, "score": score}
            pair = (first.scores[score], second.scores[score])
            seeds = (first.name, second.name, score)
            by_answer.append(head | self._answers(values, pair, inputs, seeds))
            ranks.append(head | rank_row(values, pair, inputs, seeds, self.params.resamples))
            flips += [head | row for row in flip_rows(values, pair, inputs)]
        together = list(self._together(values, judges, wanted, inputs.seed))
        own = list(
            self_preference_rows(
                values,
                judges,
                inputs,
                scores=wanted,
                resamples=self.params.resamples,
            )
        )
        tables = _tables(f"Intervals: {self.describe()}.", own)
        rows = {
            "judge_agreement": by_answer,
            "judge_agreement_together": together,
            "judge_model_ranks": ranks,
            "judge_flips": flips,
            "judge_self_preference": own,
        }
        signature = f"{self.name}|version:{self.version}|resamples:{self.params.resamples}"
        signature += f"|by:{self.params.cluster or 'item'}|seed:{inputs.seed}"
        return [
            AnalysisTable(
                name=name,
                title=title,
                columns=columns_,
                rows=rows[name],
                notes=notes,
                signature=signature,
            )
            for name, title, columns_, notes in tables
            if rows[name] or name != "judge_agreement_together"
        ]

    def _answers(
        self,
        values: PairedValues,
        pair: tuple[str, str],
        inputs: AnalysisInputs,
        names: tuple[str, ...],
    ) -> dict[str, Any]:
        import numpy as np

        answers, a, b, missing = values.pair(*pair)
        row: dict[str, Any] = {"n": len(a), "n_missing": missing}
        if len(a) == 0:
            return row | {"reason": "no answer has a score of both"}
        items = values.cluster_of(answers)
        shift = self._shift(items, b - a, inputs.span(pair[0]), inputs.seed, names)
        rng = generator(inputs.seed, self.name, "alpha", *names)
        alpha = alpha_row(item_sums(items, alpha_columns(a, b)), rng, self.params.resamples)
        return row | {
            "n_items": len(np.unique(items)),
            "mean_a": float(a.mean()),
            "mean_b": float(b.mean()),
            "shift": float((b - a).mean()),
            "shift_low": shift.low,
            "shift_high": shift.high,
            "difference": float(np.abs(b - a).mean()),
            "pearson": _correlation("pearsonr", a, b),
            "spearman": _correlation("spearmanr", a, b),
            "kendall": _correlation("kendalltau", a, b),
            "alpha": alpha.get("alpha"),
            "alpha_low": alpha.get("alpha_low"),
            "alpha_high": alpha.get("alpha_high"),
            "reason": _reasons(shift=shift.reason, alpha=alpha["reason"], correlation=_flat(a, b)),
        }

    def _shift(
        self,
        items: NDArray[np.int64],
        differences: NDArray[np.float64],
        span: float | None,
        seed: int,
        names: tuple[str, ...],
    ) -> Interval:
        """Return the interval of the mean difference, over resamples of the items."""
        import numpy as np

        sums = item_sums(items, np.column_stack([differences, np.ones(len(differences))]))
        if len(sums) > 1 and float(np.ptp(differences)) < 1e-12:
            low, high = (None, None) if span is None else (-span, span)
            value = float(differences[0])
            return bound_without_variation(value, len(sums), low=low, high=high, confidence=0.95)
        return mean_interval(
            sums[:, 0],
            sums[:, 1].astype(np.int64),
            generator(seed, self.name, "shift", *names),
            resamples=self.params.resamples,
            confidence=0.95,
            method="expanded",
        )

    def _together(
        self,
        values: PairedValues,
        judges: Sequence[JudgeFacts],
        wanted: Collection[str],
        seed: int,
    ) -> Iterator[dict[str, Any]]:
        """Yield alpha of each score that more than two judges give."""
        for score in sorted(wanted):
            giving = [judge for judge in judges if score in judge.scores]
            if len(giving) < 3:
                continue
            answers, ratings, missing = values.pooled([judge.scores[score] for judge in giving])
            among = ", ".join(judge.name for judge in giving)
            head = {"among": among, "score": score, "n_raters": len(giving), "n_missing": missing}
            rng = generator(seed, self.name, "together", among, score)
            items = values.cluster_of(answers)
            yield head | alpha_together(answers, items, ratings, rng, self.params.resamples)


def _pairs(
    judges: Sequence[JudgeFacts], wanted: Collection[str]
) -> Iterator[tuple[JudgeFacts, JudgeFacts, str]]:
    for first, second in combinations(judges, 2):
        for score in first.scores:
            if score in second.scores and score in wanted:
                yield first, second, score


def _flat(a: NDArray[np.float64], b: NDArray[np.float64]) -> str:
    if len(a) < 3:
        return "fewer than three answers"
    return "no variation" if a.min() == a.max() or b.min() == b.max() else ""


def _reasons(**reasons: str) -> str:
    return "; ".join(f"{what}: {reason}" for what, reason in reasons.items() if reason)


def _tables(
    interval: str, own: Sequence[dict[str, Any]]
) -> tuple[tuple[str, str, tuple[AnalysisColumn, ...], tuple[str, ...]], ...]:
    """Return name, title, columns and notes of each table."""
    candidate = (interval,) if own else ("No judge of this run is a candidate as well.",)
    return (
        (
            "judge_agreement",
            "Agreement of judges on the same answers",
            _BY_ANSWER,
            (
                interval,
                "shift is judge b minus judge a; alpha is Krippendorff's for interval data. "
                "Answers that one of the two gave no score are counted, not averaged.",
            ),
        ),
        (
            "judge_agreement_together",
            "Agreement of more than two judges",
            TOGETHER,
            (interval, TOGETHER_NOTE),
        ),
        (
            "judge_model_ranks",
            "Do judges rank the models alike?",
            _RANKS,
            (interval, "Over models and prompts, baselines included, the reference not."),
        ),
        (
            "judge_flips",
            "Pairs of models whose order depends on the judge",
            _FLIPS,
            (
                "Over answers that both judges scored; differences are first minus second. "
                "The most serious stand first.",
            ),
        ),
        (
            "judge_self_preference",
            "Does a judge favour its own answers?",
            _OWN,
            (
                *candidate,
                "preference: how much more than the other judges it gives its own answers, minus "
                "the same for answers of other models. A candidate is a judge's own when both are "
                "one model of the recipe, or servers answered both under one name.",
            ),
        ),
    )


def _correlation(name: str, a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    """Return a coefficient of scipy; None where one side does not vary."""
    if _flat(a, b):
        return None
    from scipy import stats

    return float(getattr(stats, name)(a, b).statistic)


def _columns(*columns: tuple[str, Any, str, int]) -> tuple[AnalysisColumn, ...]:
    return tuple(AnalysisColumn(*column) for column in columns)


_HEAD = (
    ("judge_a", "string", "judge a", 0),
    ("judge_b", "string", "judge b", 0),
    ("score", "string", "score", 0),
)

_BY_ANSWER = _columns(
    *_HEAD,
    ("n", "int64", "answers scored by both", 0),
    ("n_missing", "int64", "answers without a score of one", 0),
    ("n_items", "int64", "items", 0),
    ("mean_a", "double", "mean of a", 3),
    ("mean_b", "double", "mean of b", 3),
    ("shift", "double", "shift b - a", 3),
    ("shift_low", "double", "low end of the 95 % interval", 3),
    ("shift_high", "double", "high end of the 95 % interval", 3),
    ("difference", "double", "mean absolute difference", 3),
    ("pearson", "double", "Pearson's r", 3),
    ("spearman", "double", "Spearman's rho", 3),
    ("kendall", "double", "Kendall's tau b", 3),
    ("alpha", "double", "Krippendorff's alpha", 3),
    ("alpha_low", "double", "low end of the 95 % interval", 3),
    ("alpha_high", "double", "high end of the 95 % interval", 3),
    ("reason", "string", "why a number is missing", 0),
)

_RANKS = _columns(
    *_HEAD,
    ("n_models", "int64", "models and prompts", 0),
    ("spearman", "double", "Spearman's rho of their means", 3),
    ("spearman_low", "double", "low end of the 95 % interval", 3),
    ("spearman_high", "double", "high end of the 95 % interval", 3),
    ("kendall", "double", "Kendall's tau b of their means", 3),
    ("kendall_low", "double", "low end of the 95 % interval", 3),
    ("kendall_high", "double", "high end of the 95 % interval", 3),
    ("n_flips", "int64", "pairs in another order", 0),
    ("n_pairs", "int64", "pairs of models", 0),
    ("reason", "string", "why a number is missing", 0),
)

_FLIPS = _columns(
    *_HEAD,
    ("first", "string", "first model", 0),
    ("second", "string", "second model", 0),
    ("difference_a", "double", "difference by judge a", 3),
    ("difference_b", "double", "difference by judge b", 3),
)

_OWN = _columns(
    ("judge", "string", "judge", 0),
    ("model", "string", "its model, a candidate as well", 0),
    ("score", "string", "score", 0),
    ("n_own", "int64", "own answers", 0),
    ("n_others", "int64", "answers of other models", 0),
    ("own", "double", "own answers: judge minus other judges", 3),
    ("others", "double", "other answers: judge minus other judges", 3),
    ("preference", "double", "preference", 3),
    ("preference_low", "double", "low end of the 95 % interval", 3),
    ("preference_high", "double", "high end of the 95 % interval", 3),
    ("reason", "string", "why a number is missing", 0),
)
