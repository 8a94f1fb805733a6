"""The smallest difference between two models that so many items can show, for each score."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.competitors import competing, item_clusters, pairs_within_prompts
from toolkit.analyses.identity import identity
from toolkit.analyses.names import file_name
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix
from toolkit.errors import UserError
from toolkit.figures.base import Figure, Lines, Series
from toolkit.metrics.base import ScoreDefinition
from toolkit.statistics.paired import PairedDifference, paired_difference
from toolkit.statistics.power import power_of_difference, smallest_difference

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Power", "PowerParams"]

_POINTS: Final = 41

_COLUMNS: Final = (
    AnalysisColumn("score", "string", "score"),
    AnalysisColumn("pairs", "int64", "pairs of models", 0),
    AnalysisColumn("n", "int64", "n items of the middle pair", 0),
    AnalysisColumn("clusters", "int64", "independent clusters of them", 0),
    AnalysisColumn("sd", "double", "standard deviation of its paired differences"),
    AnalysisColumn("design_effect", "double", "by how much clusters multiply the variance", 2),
    AnalysisColumn("smallest", "double", "smallest difference shown, middle pair"),
    AnalysisColumn("smallest_least", "double", "the same for the most alike pair"),
    AnalysisColumn("smallest_most", "double", "the same for the least alike pair"),
    AnalysisColumn("in_sd", "double", "smallest difference in standard deviations", 2),
    AnalysisColumn("reason", "string", "why there is none; else empty"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerParams:
    """The smallest difference that this many items can show, for each score.

    Raises:
        UserError: a value is out of range.
    """

    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    cluster: str | None = field(
        default=None, metadata={"about": "item column whose equal values belong together"}
    )
    level: float = field(
        default=0.05, metadata={"about": "of the two-sided test", "minimum": 0.0001, "maximum": 0.5}
    )
    power: float = field(
        default=0.8,
        metadata={"about": "how often the difference is found", "minimum": 0.5, "maximum": 0.999},
    )

    def __post_init__(self) -> None:
        if not 0.0001 <= self.level <= 0.5 or not 0.5 <= self.power <= 0.999:
            raise UserError(
                f"power.level is {self.level} and power.power {self.power}",
                hint="write e.g. level: 0.05 and power: 0.8",
            )


class Power:
    """One table, and a figure of power against difference for each score."""

    name: ClassVar[str] = "power"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = PowerParams

    def __init__(self, params: PowerParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the column that clusters are made of, if any."""
        return () if self.params.cluster is None else (self.params.cluster,)

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return how the differences were found, for people."""
        p = self.params
        return (
            f"smallest true difference that a two-sided paired t test at level {p.level:g} finds "
            f"with power {p.power:g}, from the standard errors of whole {p.cluster or 'item'}s "
            "seen in this run"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the table.

        Held in memory: the scores, 12 bytes a value.

        Raises:
            UserError: two metrics return a score of one name, or an item is in no table.
        """
        p = self.params
        matrices = ScoreMatrices(inputs.scores)
        clusters = item_clusters(inputs, matrices, p.cluster)
        rows: list[dict[str, Any]] = []
        figures: list[Figure] = []
        for score in matrices.scores(p.scores):
            pairs = _pairs(matrices.matrix(score), clusters, inputs)
            row = self._row(pairs, inputs.definition(score))
            rows.append(row)
            if row["smallest"] is not None:
                figures.append(self._figure(pairs, row, inputs.definition(score)))
        return [
            AnalysisTable(
                name="power",
                title="The smallest difference that so many items can show",
                columns=_COLUMNS,
                rows=rows,
                notes=(
                    f"{self.describe()[0].upper()}{self.describe()[1:]}.",
                    "The middle pair has the median standard error. Power is a question before "
                    "data are seen: these are for a next run like this one, and say nothing of "
                    "whether a difference found here is real. No correction for several tests.",
                ),
                signature=(
                    f"power|version:{self.version}|test:t|level:{p.level:g}|power:{p.power:g}"
                    f"|cluster:{p.cluster or 'item'}"
                ),
                figures=tuple(figures),
            )
        ]

    def _row(self, pairs: list[PairedDifference], definition: ScoreDefinition) -> dict[str, Any]:
        row: dict[str, Any] = {"score": definition.name, "pairs": len(pairs), "smallest": None}
        if not pairs:
            return row | {"reason": "no pair of models whose differences vary"}
        p = self.params
        middle = pairs[(len(pairs) - 1) // 2]
        found = [
            smallest_difference(pair.standard_error, pair.df, level=p.level, power=p.power)
            for pair in (middle, pairs[0], pairs[-1])
        ]
        sd = middle.sd or 0.0
        smallest, reason, span = found[0].difference, found[0].reason, _span(definition)
        if smallest is not None and span is not None and smallest > span:
            reason = "larger than any difference that the score allows: n shows none"
        return row | {
            "n": middle.n,
            "clusters": middle.clusters,
            "sd": sd,
            "design_effect": (middle.standard_error or 0.0) ** 2 * middle.n / sd**2,
            "smallest": smallest,
            "smallest_least": found[1].difference,
            "smallest_most": found[2].difference,
            "in_sd": None if smallest is None else smallest / sd,
            "reason": reason,
        }

    def _figure(
        self, pairs: list[PairedDifference], row: dict[str, Any], definition: ScoreDefinition
    ) -> Figure:
        middle = pairs[(len(pairs) - 1) // 2]
        end = 1.5 * max(row["smallest"], row["smallest_most"] or 0.0)
        span = _span(definition)
        end = end if span is None else min(end, span)
        pairs_are = "the one pair" if len(pairs) == 1 else f"the middle of {len(pairs)} pairs"
        xs = tuple(end * at / (_POINTS - 1) for at in range(_POINTS))
        drawn = {"middle pair": middle}
        if len(pairs) > 2:
            drawn = {"most alike": pairs[0], **drawn, "least alike": pairs[-1]}
        p = self.params
        return Figure(
            name=file_name("power", definition.name),
            title=f"{definition.title}: power against the true difference (n = {row['n']:,} "
            f"in {pairs_are})",
            alt=(
                f"Power of a paired test on {definition.title} rises with the true difference; "
                f"it is {p.power:g} at {row['smallest']:.3g} for the middle pair of models."
            ),
            panels=(
                Lines(
                    xs=xs,
                    series=tuple(
                        Series(
                            name=name,
                            values=tuple(
                                power_of_difference(
                                    x, pair.standard_error or 1.0, pair.df or 1.0, level=p.level
                                )
                                for x in xs
                            ),
                        )
                        for name, pair in drawn.items()
                    ),
                    x=f"true difference of {definition.title}",
                    y="power",
                    marks=((row["smallest"], f"power {p.power:g} at {row['smallest']:.3g}"),)
                    if row["smallest"] <= end
                    else (),
                ),
            ),
        )


def _span(definition: ScoreDefinition) -> float | None:
    """Return the largest difference that two means of a score can have; None without bounds."""
    if definition.low is None or definition.high is None:
        return None
    return definition.high - definition.low


def _pairs(
    matrix: ScoreMatrix, clusters: NDArray[np.int64], inputs: AnalysisInputs
) -> list[PairedDifference]:
    """Return the paired differences that vary, from the smallest standard error to the largest."""
    import numpy as np

    found = []
    for first, second, _ in pairs_within_prompts(competing(matrix, inputs)):
        difference = matrix.column(first) - matrix.column(second)
        both = np.isfinite(difference)
        pair = paired_difference(difference[both], clusters=clusters[both])
        if pair.standard_error:
            found.append(pair)
    return sorted(found, key=lambda pair: (pair.standard_error, pair.n))
