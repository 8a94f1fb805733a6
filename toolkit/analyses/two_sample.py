"""Two sets of human scores: how far apart, how differently spread, how differently shaped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.identity import identity
from toolkit.analyses.names import file_name
from toolkit.analyses.score_matrix import ScoreMatrices
from toolkit.analyses.units import item_means
from toolkit.errors import UserError
from toolkit.figures.base import Figure, Histogram
from toolkit.statistics.effect_size import cohens_d
from toolkit.statistics.two_sample import kolmogorov_smirnov, levene

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["TwoSample", "TwoSampleParams"]

_BINS: Final = 12


def _sample(which: str) -> tuple[AnalysisColumn, ...]:
    return (
        AnalysisColumn(f"{which}_n", "int64", f"n items, {which}", 0),
        AnalysisColumn(f"{which}_mean", "double", f"mean, {which}"),
        AnalysisColumn(f"{which}_median", "double", f"median, {which}"),
        AnalysisColumn(f"{which}_mode", "double", f"most frequent value, {which}"),
        AnalysisColumn(f"{which}_sd", "double", f"standard deviation, {which}"),
    )


_COLUMNS: Final = (
    AnalysisColumn("first", "string", "first set: judge and score"),
    AnalysisColumn("second", "string", "second set"),
    *_sample("first"),
    *_sample("second"),
    AnalysisColumn("d", "double", "Cohen's d, first minus second"),
    AnalysisColumn("d_low", "double", "low end of its 95 % interval"),
    AnalysisColumn("d_high", "double", "high end of its 95 % interval"),
    AnalysisColumn("levene", "double", "Levene's statistic"),
    AnalysisColumn("levene_p", "double", "p of equal variances", 4),
    AnalysisColumn("ks", "double", "Kolmogorov-Smirnov statistic"),
    AnalysisColumn("ks_p", "double", "p of one distribution", 4),
    AnalysisColumn("reason", "string", "why something is missing; else empty"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoSampleParams:
    """Two sets of human scores: Cohen's d, Levene, Kolmogorov-Smirnov.

    Raises:
        UserError: both judges are one.
    """

    judges: tuple[str, str] = field(metadata={"about": "names of two judges"})
    tests: tuple[Literal["cohen_d", "levene", "ks"], ...] = field(
        default=("cohen_d", "levene", "ks"), metadata={"about": "what is computed", "scalar": True}
    )
    center: Literal["mean", "median"] = field(
        default="median", metadata={"about": "what Levene's distances are taken from"}
    )

    def __post_init__(self) -> None:
        if self.judges[0] == self.judges[1]:
            raise UserError(
                f"two_sample.judges names '{self.judges[0]}' twice", hint="name two judges"
            )


class TwoSample:
    """One table and a figure of both distributions for each pair of scores."""

    name: ClassVar[str] = "two_sample"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = TwoSampleParams

    def __init__(self, params: TwoSampleParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return none."""
        return ()

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "tests")

    def describe(self) -> str:
        """Return what was computed, for people."""
        p = self.params
        words = {
            "cohen_d": "Cohen's d by the pooled standard deviation with the noncentral t interval",
            "levene": f"Levene's test of distances from the {p.center}",
            "ks": "the two-sample Kolmogorov-Smirnov test",
        }
        return ", ".join(words[name] for name in words if name in p.tests)

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the table; each item is one value, the mean of its ratings.

        Held in memory: the scores, 12 bytes a value.

        Raises:
            UserError: it is not clear which scores of the two belong together.
        """
        matrices = ScoreMatrices(inputs.scores)
        rows: list[dict[str, Any]] = []
        figures: list[Figure] = []
        for names, columns in self._pairs(inputs):
            samples = []
            for column in columns:
                values = item_means(matrices.matrix(column).values)
                samples.append(values[_finite(values)])
            rows.append(
                {"first": names[0], "second": names[1]}
                | _described("first", samples[0])
                | _described("second", samples[1])
                | self._tests(samples[0], samples[1])
            )
            if all(len(sample) for sample in samples):
                figures.append(_figure(names, columns, samples))
        return [
            AnalysisTable(
                name="two_sample",
                title="Two sets of human scores",
                columns=_COLUMNS,
                rows=rows,
                notes=(
                    f"{self.describe()}.",
                    "Each item counts once, with the mean of its ratings. The tests take the two "
                    "sets as independent; of items that both rated, paired tests find more.",
                ),
                signature=(
                    f"two_sample|version:{self.version}|judges:{'+'.join(self.params.judges)}"
                    f"|center:{self.params.center}"
                ),
                figures=tuple(figures),
            )
        ]

    def _pairs(self, inputs: AnalysisInputs) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
        """Yield the names of two sets and their columns: scores of one name, or the only ones."""
        first, second = (inputs.judges[name] for name in self.params.judges)
        common = [own for own in first.scores if own in second.scores]
        pairs = [(own, own) for own in common]
        if not pairs and len(first.scores) == len(second.scores) == 1:
            pairs = [(next(iter(first.scores)), next(iter(second.scores)))]
        if not pairs:
            raise UserError(
                f"which scores of '{first.name}' and '{second.name}' belong together is not clear",
                hint="give both judges scores of one name, or one score each",
            )
        for one, other in pairs:
            names = (f"{first.name}: {one}", f"{second.name}: {other}")
            yield names, (first.scores[one], second.scores[other])

    def _tests(self, first: NDArray[np.float64], second: NDArray[np.float64]) -> dict[str, Any]:
        row: dict[str, Any] = {}
        reasons = []
        if "cohen_d" in self.params.tests:
            effect = cohens_d(first, second)
            row |= {"d": effect.value, "d_low": effect.low, "d_high": effect.high}
            reasons.append(effect.reason)
        if "levene" in self.params.tests:
            spread = levene(first, second, center=self.params.center)
            row |= {"levene": spread.statistic, "levene_p": spread.p}
            reasons.append(spread.reason)
        if "ks" in self.params.tests:
            shape = kolmogorov_smirnov(first, second)
            row |= {"ks": shape.statistic, "ks_p": shape.p}
            reasons.append(shape.reason)
        return row | {"reason": "; ".join(dict.fromkeys(part for part in reasons if part))}


def _finite(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    import numpy as np

    return np.isfinite(values)


def _described(which: str, values: NDArray[np.float64]) -> dict[str, Any]:
    import numpy as np

    if not len(values):
        return {f"{which}_n": 0}
    found, counts = np.unique(np.round(values, 10), return_counts=True)
    return {
        f"{which}_n": len(values),
        f"{which}_mean": float(values.mean()),
        f"{which}_median": float(np.median(values)),
        # The smallest of several.
        f"{which}_mode": float(found[counts.argmax()]),
        f"{which}_sd": float(values.std(ddof=1)) if len(values) > 1 else None,
    }


def _figure(
    names: tuple[str, str], columns: tuple[str, str], samples: list[NDArray[np.float64]]
) -> Figure:
    import numpy as np

    everything = np.concatenate(samples)
    edges = np.histogram_bin_edges(everything, bins=_BINS)
    means = [float(sample.mean()) for sample in samples]
    return Figure(
        name=file_name("two_sample", *columns),
        title=f"Two sets of human scores (n = {len(samples[0]):,} and {len(samples[1]):,})",
        alt=(
            f"Histograms of {names[0]} with mean {means[0]:.3g} and of {names[1]} with mean "
            f"{means[1]:.3g}."
        ),
        panels=tuple(
            Histogram(
                edges=tuple(edges.tolist()),
                counts=tuple(np.histogram(sample, edges)[0].astype(float).tolist()),
                x="mean rating of an item",
                y="items",
                title=f"{name} (n = {len(sample):,})",
                marks=((mean, "mean"),),
            )
            for name, sample, mean in zip(names, samples, means, strict=True)
        ),
        columns=2,
    )
