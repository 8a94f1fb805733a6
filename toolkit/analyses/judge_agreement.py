"""How far the judges of a run agree: on answers, on models, and on their own kin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable, JudgeFacts
from toolkit.analyses.bootstrap import generator
from toolkit.analyses.coefficients import alpha_columns, alpha_interval, mean_of
from toolkit.analyses.model_ranks import flip_rows, rank_row
from toolkit.analyses.paired_values import PairedValues
from toolkit.analyses.resampling import Spread, item_sums, resampled
from toolkit.analyses.self_preference import self_preference_rows

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


class JudgeAgreement:
    """Four tables: agreement by answer, ranks of models, flips of pairs, self-preference."""

    name: ClassVar[str] = "judge_agreement"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = JudgeAgreementParams

    def __init__(self, params: JudgeAgreementParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return none: items are resampled, their columns are not needed."""
        return ()

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        p = self.params
        return {
            "name": self.name,
            "version": self.version,
            "judges": list(p.judges),
            "scores": list(p.scores),
            "resamples": p.resamples,
        }

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        return f"95 % percentile intervals over {self.params.resamples:,} resamples of the items"

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables; a judge pair that shares no score has no rows.

        Held in memory: 16 bytes for each value of these judges.
        """
        judges = [inputs.judges[name] for name in self.params.judges]
        columns = {column for judge in judges for column in judge.scores.values()}
        values = PairedValues(columns)
        for table in inputs.scores:
            values.add(table)
        pairs = list(self._pairs(judges))
        by_answer: list[dict[str, Any]] = []
        ranks: list[dict[str, Any]] = []
        flips: list[dict[str, Any]] = []
        for first, second, score in pairs:
            head = {"judge_a": first.name, "judge_b": second.name, "score": score}
            pair = (first.scores[score], second.scores[score])
            seeds = (first.name, second.name, score)
            by_answer.append(head | self._answers(values, pair, inputs.seed, seeds))
            ranks.append(head | rank_row(values, pair, inputs, seeds, self.params.resamples))
            flips += [head | row for row in flip_rows(values, pair, inputs)]
        own = self_preference_rows(values, judges, inputs, self.params)
        return list(self._tables(inputs, by_answer, ranks, flips, own))

    def _pairs(self, judges: Sequence[JudgeFacts]) -> Iterator[tuple[JudgeFacts, JudgeFacts, str]]:
        for first, second in combinations(judges, 2):
            for score in first.scores:
                wanted = not self.params.scores or score in self.params.scores
                if score in second.scores and wanted:
                    yield first, second, score

    def _answers(
        self, values: PairedValues, pair: tuple[str, str], seed: int, names: tuple[str, ...]
    ) -> dict[str, Any]:
        import numpy as np

        answers, a, b, missing = values.pair(*pair)
        row: dict[str, Any] = {"n": len(a), "n_missing": missing}
        if len(a) == 0:
            return row
        items = values.item_of(answers)
        ones = np.ones(len(a))
        shift = self._spread(items, np.column_stack([b - a, ones]), mean_of, seed, "shift", names)
        alpha = self._spread(items, alpha_columns(a, b), alpha_interval, seed, "alpha", names)
        value = float(alpha_interval(alpha_columns(a, b).sum(axis=0, keepdims=True))[0])
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
            "alpha": value if np.isfinite(value) else None,
            "alpha_low": alpha.low,
            "alpha_high": alpha.high,
            "reason": "" if np.isfinite(value) else "no variation: alpha has no value",
        }

    def _spread(
        self,
        items: NDArray[np.int64],
        columns: NDArray[np.float64],
        statistic: Any,
        seed: int,
        what: str,
        names: tuple[str, ...],
    ) -> Spread:
        sums = item_sums(items, columns)
        rng = generator(seed, self.name, what, *names)
        return resampled(sums, statistic, rng, resamples=self.params.resamples)

    def _tables(
        self,
        inputs: AnalysisInputs,
        by_answer: list[dict[str, Any]],
        ranks: list[dict[str, Any]],
        flips: list[dict[str, Any]],
        own: list[dict[str, Any]],
    ) -> Iterator[AnalysisTable]:
        signature = f"judge_agreement|ci:percentile|resamples:{self.params.resamples}|by:item"
        signature += f"|seed:{inputs.seed}"
        interval = f"Intervals: {self.describe()}."
        yield AnalysisTable(
            name="judge_agreement",
            title="Agreement of judges on the same answers",
            columns=_BY_ANSWER,
            rows=by_answer,
            notes=(
                interval,
                "shift is judge b minus judge a; alpha is Krippendorff's for interval data. "
                "Answers that one of the two gave no score are counted, not averaged.",
            ),
            signature=signature,
        )
        yield AnalysisTable(
            name="judge_model_ranks",
            title="Do judges rank the models alike?",
            columns=_RANKS,
            rows=ranks,
            notes=(interval, "Over models and prompts, baselines included, the reference not."),
            signature=signature,
        )
        yield AnalysisTable(
            name="judge_flips",
            title="Pairs of models whose order depends on the judge",
            columns=_FLIPS,
            rows=flips,
            notes=("Over answers that both judges scored; differences are first minus second.",),
            signature=signature,
        )
        notes = (interval,) if own else ("No judge of this run is a candidate as well.",)
        yield AnalysisTable(
            name="judge_self_preference",
            title="Does a judge favour its own answers?",
            columns=_OWN,
            rows=own,
            notes=(
                *notes,
                "preference: how much more than the other judges it gives its own answers, minus "
                "the same for answers of other models.",
            ),
            signature=signature,
        )


def _correlation(name: str, a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    """Return a coefficient of scipy; None where one side does not vary."""
    if len(a) < 3 or a.min() == a.max() or b.min() == b.max():
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
)
