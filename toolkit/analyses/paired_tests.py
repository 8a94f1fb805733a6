"""Differences between all pairs of models, paired by item, with every test in a named family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.competitors import competing, item_clusters, pairs_within_prompts
from toolkit.analyses.families import Correction, adjust, family_note
from toolkit.analyses.identity import identity
from toolkit.analyses.names import file_name
from toolkit.analyses.ranks import distance_from_best
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix, System
from toolkit.errors import UserError
from toolkit.figures.base import Figure, Grid
from toolkit.metrics.base import ScoreDefinition
from toolkit.statistics.bootstrap import generator
from toolkit.statistics.correlation import stars
from toolkit.statistics.mcnemar import mcnemar
from toolkit.statistics.paired import PairedDifference, paired_difference, signed_ranks
from toolkit.statistics.permutation import enough_permutations, paired_permutations
from toolkit.statistics.power import smallest_difference

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PairedTests", "PairedTestsParams"]

_LEVEL: Final = 0.05
_AT_ONCE: Final = 1 << 24
"""Differences held at a time: 128 MB whatever the number of pairs."""

_COLUMNS: Final = (
    AnalysisColumn("score", "string", "score"),
    AnalysisColumn("prompt", "string", "prompt of both; empty for two baselines"),
    AnalysisColumn("first", "string", "first model"),
    AnalysisColumn("second", "string", "second model"),
    AnalysisColumn("n", "int64", "n items with both", 0),
    AnalysisColumn("clusters", "int64", "independent clusters of them", 0),
    AnalysisColumn("first_mean", "double", "mean of the first over these items"),
    AnalysisColumn("second_mean", "double", "mean of the second"),
    AnalysisColumn("difference", "double", "difference, first minus second"),
    AnalysisColumn("difference_low", "double", "low end of its 95 % interval"),
    AnalysisColumn("difference_high", "double", "high end of its 95 % interval"),
    AnalysisColumn("effect", "double", "effect size d_z"),
    AnalysisColumn("effect_low", "double", "low end of its 95 % interval; none with clusters"),
    AnalysisColumn("effect_high", "double", "high end of its 95 % interval"),
    AnalysisColumn("p", "double", "p of no difference, two-sided", 4),
    AnalysisColumn("p_adjusted", "double", "p adjusted within its family", 4),
    AnalysisColumn("tests", "int64", "tests in the family", 0),
    AnalysisColumn("winner", "string", "the better one where adjusted p is below .05"),
    AnalysisColumn("smallest", "double", "smallest true difference that n finds 4 times of 5"),
    AnalysisColumn("method", "string", "how p was found"),
    AnalysisColumn("reason", "string", "why something is missing, or what to know of it"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedTestsParams:
    """Differences between all pairs of models, paired by item.

    Raises:
        UserError: a test of single items together with clusters.
    """

    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    method: Literal["permutation", "t", "wilcoxon", "mcnemar"] = field(
        default="permutation", metadata={"about": "test"}
    )
    n: int = field(default=20000, metadata={"about": "permutations", "minimum": 100})
    cluster: str | None = field(default=None, metadata={"about": "column permuted as a whole"})
    correction: Correction = field(
        default="holm", metadata={"about": "for several tests: holm, bh or none"}
    )
    mid_p: bool = field(
        default=False, metadata={"about": "mcnemar gives its mid-p value, less conservative"}
    )

    def __post_init__(self) -> None:
        if self.cluster is not None and self.method in ("wilcoxon", "mcnemar"):
            raise UserError(
                f"paired_tests.method {self.method} takes single items, not clusters",
                hint="use method: permutation or t with a cluster",
            )
        if self.mid_p and self.method != "mcnemar":
            raise UserError(
                "paired_tests.mid_p belongs to method: mcnemar",
                hint="leave mid_p out, or use method: mcnemar",
            )


class PairedTests:
    """One table, and a figure of the differences for each score."""

    name: ClassVar[str] = "paired_tests"
    version: ClassVar[int] = 3
    Params: ClassVar[type] = PairedTestsParams

    def __init__(self, params: PairedTestsParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the column that clusters are made of, if any."""
        return () if self.params.cluster is None else (self.params.cluster,)

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return how the tests and intervals were found, for people."""
        p = self.params
        unit = p.cluster or "item"
        test = {
            "permutation": f"paired permutation tests that flip the signs of whole {unit}s, exact "
            f"where they can be counted, else with at least {p.n:,} random flips",
            "t": f"paired t tests with standard errors of whole {unit}s",
            "wilcoxon": "Wilcoxon's signed-rank tests with Pratt's zeros",
            "mcnemar": f"McNemar's tests ({'mid-p' if p.mid_p else 'exact'})",
        }[p.method]
        return f"{test}; 95 % Student's t intervals of the differences of whole {unit}s"

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the table.

        Held in memory: the scores, and differences for up to 2^24 items and pairs.

        Raises:
            UserError: two metrics return a score of one name, or an item is in no table.
        """
        matrices = ScoreMatrices(inputs.scores)
        clusters = item_clusters(inputs, matrices, self.params.cluster)
        rows: list[dict[str, Any]] = []
        figures: list[Figure] = []
        for score in matrices.scores(self.params.scores):
            found = self._score(matrices.matrix(score), clusters, inputs)
            rows += found
            measured = [row for row in found if row["difference"] is not None]
            if any(row["difference"] for row in measured):
                figures.append(_figure(measured, inputs.definition(score)))
        family = "all pairs of models of one score, under all prompts"
        return [
            AnalysisTable(
                name="paired_tests",
                title="Differences between models, paired by item",
                columns=_COLUMNS,
                rows=rows,
                notes=(
                    f"{self.describe()}.",
                    family_note(self.params.correction, family),
                    "The smallest difference is for power 0.8 at level .05, unadjusted. A score "
                    "whose differences are all 0 has no figure.",
                ),
                signature=self._signature(inputs.seed),
                figures=tuple(figures),
            )
        ]

    def _signature(self, seed: int) -> str:
        p = self.params
        drawn = f"|n:{p.n}|seed:{seed}" if p.method == "permutation" else ""
        return (
            f"paired_tests|version:{self.version}|test:{p.method}{'-mid' * p.mid_p}{drawn}"
            f"|cluster:{p.cluster or 'item'}|correction:{p.correction}|ci:t|level:0.95"
        )

    def _score(
        self, matrix: ScoreMatrix, clusters: NDArray[np.int64], inputs: AnalysisInputs
    ) -> list[dict[str, Any]]:
        pairs = pairs_within_prompts(competing(matrix, inputs))
        rows = []
        span = inputs.span(matrix.score)
        for (first, second, prompt), tested in zip(
            pairs, self._tested(matrix, pairs, clusters, inputs.seed), strict=True
        ):
            head = {"score": matrix.score, "prompt": prompt, "tests": None}
            names = {"first": inputs.title(first[0]), "second": inputs.title(second[0])}
            rows.append(head | names | self._row(matrix, (first, second), clusters, span) | tested)
        adjust(rows, ("score",), self.params.correction)
        tests = sum(row["p"] is not None for row in rows)
        definition = inputs.definition(matrix.score)
        for row in rows:
            row["tests"] = tests
            row["winner"], note = _winner(row, definition)
            row["reason"] = "; ".join(part for part in (row["reason"], note) if part)
        return rows

    def _row(
        self,
        matrix: ScoreMatrix,
        pair: tuple[System, System],
        clusters: NDArray[np.int64],
        span: float | None,
    ) -> dict[str, Any]:
        import numpy as np

        first, second = (matrix.column(system) for system in pair)
        both = np.isfinite(first) & np.isfinite(second)
        found = paired_difference(first[both] - second[both], clusters=clusters[both], span=span)
        detectable = smallest_difference(found.standard_error, found.df)
        return {
            "n": found.n,
            "clusters": found.clusters,
            "first_mean": float(first[both].mean()) if found.n else None,
            "second_mean": float(second[both].mean()) if found.n else None,
            "difference": found.difference,
            "difference_low": found.low,
            "difference_high": found.high,
            "effect": found.effect.value,
            "effect_low": found.effect.low,
            "effect_high": found.effect.high,
            "smallest": detectable.difference,
            "reason": found.reason,
            **self._single(first[both], second[both], found),
        }

    def _single(
        self, first: NDArray[np.float64], second: NDArray[np.float64], found: PairedDifference
    ) -> dict[str, Any]:
        """Return p and method of the tests that look at one pair at a time."""
        import numpy as np

        method = self.params.method
        if method == "t":
            return {"p": found.p, "method": "t"}
        if method == "wilcoxon":
            p, reason = signed_ranks(first - second)
            return {"p": p, "method": "wilcoxon", "reason": reason or found.reason}
        if method == "mcnemar":
            if not np.isin(np.concatenate([first, second]), (0, 1)).all():
                return {"p": None, "method": "", "reason": "values other than 0 and 1"}
            test = mcnemar(first, second)
            p = test.p_mid if self.params.mid_p else test.p
            reason = test.reason or found.reason
            return {"p": p, "method": "mcnemar", "reason": reason}
        return {}

    def _tested(
        self,
        matrix: ScoreMatrix,
        pairs: Sequence[tuple[System, System, str]],
        clusters: NDArray[np.int64],
        seed: int,
    ) -> Iterator[dict[str, Any]]:
        """Yield p and method of each pair's permutation test; nothing for other tests."""
        import numpy as np

        if self.params.method != "permutation":
            yield from ({} for _ in pairs)
            return
        count = enough_permutations(len(pairs), self.params.n, _LEVEL)
        at_once = max(1, _AT_ONCE // max(1, len(matrix.items)))
        for start in range(0, len(pairs), at_once):
            differences = np.stack(
                [
                    matrix.column(first) - matrix.column(second)
                    for first, second, _ in pairs[start : start + at_once]
                ],
                axis=1,
            )
            # Every block draws the same signs, so that its size changes no number.
            rng = generator(seed, "paired_tests", matrix.score)
            for test in paired_permutations(
                differences, rng, clusters=clusters, permutations=count
            ):
                yield {"p": test.p, "method": test.method} | (
                    {"reason": test.reason} if test.reason else {}
                )


def _winner(row: dict[str, Any], definition: ScoreDefinition) -> tuple[str, str]:
    """Return the better of a pair that a test tells apart, and why there is none."""
    p = row["p_adjusted"]
    if p is None or p >= _LEVEL or definition.direction == "none":
        return "", ""
    first, second = row["first_mean"], row["second_mean"]
    target = definition.target
    if target is not None and (first - target) * (second - target) < 0:
        return "", "the means lie on both sides of the target"
    one, other = (distance_from_best(mean, definition) for mean in (first, second))
    if one is None or other is None or one == other:
        return "", ""
    return str(row["first"] if one < other else row["second"]), ""


def _signed(value: float, digits: int) -> str:
    """Return a difference with its sign; one that prints as zero has none."""
    text = f"{value:+.{digits}f}"
    return text[1:] if not text.strip("+-0.") else text.replace("-", "−")


def _figure(rows: Sequence[dict[str, Any]], definition: ScoreDefinition) -> Figure:
    """Return a grid a prompt: the model of the line minus that of the column.

    Args:
        rows: pairs that have a difference; one without has no cell, and no line of its own.
        definition: of the score.
    """
    panels = []
    for prompt in dict.fromkeys(row["prompt"] for row in rows):
        held = [row for row in rows if row["prompt"] == prompt]
        names = list(dict.fromkeys(n for row in held for n in (row["first"], row["second"])))
        cells: dict[tuple[str, str], tuple[float, str]] = {}
        for row in held:
            for sign, key in ((1, ("first", "second")), (-1, ("second", "first"))):
                value = sign * row["difference"] + 0.0
                text = _signed(value, definition.digits) + stars(row["p_adjusted"])
                cells[row[key[0]], row[key[1]]] = value, text
        empty = (None, "")
        panels.append(
            Grid(
                rows=tuple(names),
                columns=tuple(names),
                values=tuple(tuple(cells.get((a, b), empty)[0] for b in names) for a in names),
                texts=tuple(tuple(cells.get((a, b), empty)[1] for b in names) for a in names),
                legend=(
                    "difference, line minus column; adjusted p: * below .05, ** below .01, "
                    "*** below .001"
                ),
                title=f"prompt {prompt}" if prompt else "baselines",
                middle=0.0,
            )
        )
    apart = sum((row["p_adjusted"] or 1.0) < _LEVEL for row in rows)
    least, most = min(row["n"] for row in rows), max(row["n"] for row in rows)
    n = f"n = {most:,}" if least == most else f"n = {least:,} to {most:,}"
    return Figure(
        name=file_name("paired_tests", definition.name),
        title=f"{definition.title}: differences between models, paired by item ({n})",
        alt=(
            f"Mean differences of {definition.title} for {len(rows)} pairs of models; {apart} "
            "differ at adjusted p below .05. Stars: below .05, .01 and .001."
        ),
        panels=tuple(panels),
    )
