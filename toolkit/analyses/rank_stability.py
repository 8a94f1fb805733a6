"""Ranks of the competitors under one judge and under another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

from toolkit.analyses.base import (
    AnalysisColumn,
    AnalysisInputs,
    AnalysisTable,
    asked_scores,
    check_judges,
)
from toolkit.analyses.identity import identity
from toolkit.analyses.model_ranks import flip_rows, rank_row, system_name
from toolkit.analyses.orders import Order, order_of
from toolkit.analyses.paired_values import PairedValues
from toolkit.analyses.ranking_tables import rank_text
from toolkit.figures.base import Figure, Grid
from toolkit.statistics.bootstrap import generator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["RankStability", "RankStabilityParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankStabilityParams:
    """Ranks of the models under one judge or decomposer and under another."""

    judges: tuple[str, ...] = field(metadata={"about": "names of judges"})
    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    resamples: int = field(
        default=2000, metadata={"about": "resamples of intervals", "minimum": 100}
    )


class RankStability:
    """Ranks and their ranges by judge, rank correlation, and the pairs that change places."""

    name: ClassVar[str] = "rank_stability"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = RankStabilityParams

    def __init__(self, params: RankStabilityParams) -> None:
        """Take the parameters.

        Raises:
            UserError: fewer than two judges, or one of them twice.
        """
        check_judges(self.name, params.judges)
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return none: items are resampled, their columns are not needed."""
        return ()

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "scores")

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        return (
            f"{self.params.resamples:,} resamples of the items: 95 % percentile intervals of "
            "correlations, ranges of ranks that differences leave open"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return ranks, correlations and flips; a judge pair that shares no score has no rows.

        Held in memory: 16 bytes for each value of these judges.
        """
        p = self.params
        judges = [inputs.judges[name] for name in p.judges]
        wanted = asked_scores(judges, p.scores)
        values = PairedValues(
            {column for judge in judges for own, column in judge.scores.items() if own in wanted}
        )
        for table in inputs.scores:
            values.add(table)
        ranks: list[dict[str, Any]] = []
        alike: list[dict[str, Any]] = []
        flips: list[dict[str, Any]] = []
        for first, second in combinations(judges, 2):
            for score in first.scores:
                if score not in second.scores or score not in wanted:
                    continue
                head = {"score": score, "judge_a": first.name, "judge_b": second.name}
                pair = (first.scores[score], second.scores[score])
                names = (first.name, second.name, score)
                ranks += [head | row for row in self._ranks(values, pair, inputs, names)]
                alike.append(head | rank_row(values, pair, inputs, names, p.resamples))
                flips += [head | row for row in flip_rows(values, pair, inputs)]
        return self._tables(ranks, alike, flips, inputs)

    def _ranks(
        self,
        values: PairedValues,
        pair: tuple[str, str],
        inputs: AnalysisInputs,
        names: tuple[str, ...],
    ) -> Iterator[dict[str, Any]]:
        """Yield a line for each competitor: its mean, rank and range under both judges."""
        answers, a, b, _ = values.pair(*pair)
        system = values.system_of(answers)
        competing = [
            code
            for code in sorted(set(system.tolist()))
            if inputs.kinds.get(values.systems[code][0], "model") != "reference"
        ]
        items = values.item_of(answers)
        definition = inputs.definition(pair[0])
        orders = []
        for by, scored in (("a", a), ("b", b)):
            order = _order(items, system, scored, competing, definition)
            rng = generator(inputs.seed, self.name, by, *names)
            orders.append((order, order.ranges(definition, rng, self.params.resamples)))
        for at, code in enumerate(competing):
            model, prompt = values.systems[code]
            row: dict[str, Any] = {"model": inputs.title(model), "prompt": prompt}
            for by, (order, ranges) in zip("ab", orders, strict=True):
                row |= {
                    "n": int(order.counts[:, at].sum()),
                    f"mean_{by}": float(order.means[at]),
                    f"rank_{by}": order.ranks[at],
                    f"rank_{by}_low": ranges[at][0],
                    f"rank_{by}_high": ranges[at][1],
                }
            if row["rank_a"] is not None and row["rank_b"] is not None:
                row["moved"] = row["rank_b"] - row["rank_a"]
            yield row

    def _tables(
        self,
        ranks: list[dict[str, Any]],
        alike: list[dict[str, Any]],
        flips: list[dict[str, Any]],
        inputs: AnalysisInputs,
    ) -> list[AnalysisTable]:
        signature = (
            f"{self.name}|version:{self.version}|judges:{'+'.join(self.params.judges)}"
            f"|resamples:{self.params.resamples}|by:item|seed:{inputs.seed}"
        )
        over = "Over answers that both judges scored; the reference has no rank."
        return [
            AnalysisTable(
                name="rank_stability",
                title="Ranks under one judge and another",
                columns=_RANKS,
                rows=ranks,
                notes=(
                    over,
                    "A range holds the ranks that the differences from all others leave open "
                    "(Mogstad et al. 2024, doi:10.1093/restud/rdad006).",
                ),
                signature=signature,
                figures=_figure(ranks, inputs),
            ),
            AnalysisTable(
                name="rank_stability_alike",
                title="How alike are the judges' orders?",
                columns=_ALIKE,
                rows=alike,
                notes=(f"Intervals: {self.describe()}.", over),
                signature=signature,
            ),
            AnalysisTable(
                name="rank_stability_flips",
                title="Pairs that change places between judges",
                columns=_FLIPS,
                rows=flips,
                notes=(over, "Differences are first minus second; the most serious stand first."),
                signature=signature,
            ),
        ]


def _order(
    items: NDArray[np.int64],
    system: NDArray[np.int64],
    scored: NDArray[np.float64],
    competing: list[int],
    definition: Any,
) -> Order:
    """Return the order of competitors over answers; an item's answers are one unit."""
    import numpy as np

    found, place = np.unique(items, return_inverse=True)
    k = len(competing)
    code_of = {code: at for at, code in enumerate(competing)}
    at = np.array([code_of.get(code, -1) for code in system.tolist()], np.int64)
    held = at >= 0
    cell = place[held] * k + at[held]
    sums = np.bincount(cell, scored[held], len(found) * k).reshape(len(found), k)
    counts = np.bincount(cell, minlength=len(found) * k).reshape(len(found), k)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(counts > 0, sums / counts, np.nan)
    return order_of(values, np.arange(len(found), dtype=np.int64), definition)


def _figure(ranks: list[dict[str, Any]], inputs: AnalysisInputs) -> tuple[Figure, ...]:
    if not ranks:
        return ()
    panels = []
    for key in dict.fromkeys((row["score"], row["judge_a"], row["judge_b"]) for row in ranks):
        held = [row for row in ranks if (row["score"], row["judge_a"], row["judge_b"]) == key]
        held.sort(key=lambda row: (row["rank_a"] or 0, row["model"], row["prompt"]))
        panels.append(
            Grid(
                rows=tuple(system_name((row["model"], row["prompt"])) for row in held),
                columns=(key[1], key[2]),
                values=tuple((row["rank_a"], row["rank_b"]) for row in held),
                texts=tuple((_range(row, "a"), _range(row, "b")) for row in held),
                legend="rank, 1 is best",
                title=key[0],
            )
        )
    moved = [row for row in ranks if row.get("moved")]
    n = max(row["n"] for row in ranks)
    return (
        Figure(
            name="rank_stability",
            title=f"Ranks under each judge, n up to {n} answers",
            alt=f"Ranks with their ranges under two judges; {len(moved)} of {len(ranks)} ranks "
            "differ between them.",
            panels=tuple(panels),
            columns=min(2, len(panels)),
        ),
    )


def _range(row: dict[str, Any], by: str) -> str:
    rank = f"rank_{by}"
    return rank_text(row[rank], row[f"{rank}_low"], row[f"{rank}_high"])


def _columns(*columns: tuple[str, Any, str, int]) -> tuple[AnalysisColumn, ...]:
    return tuple(AnalysisColumn(*column) for column in columns)


_HEAD = (
    ("score", "string", "score", 0),
    ("judge_a", "string", "judge a", 0),
    ("judge_b", "string", "judge b", 0),
)

_RANKS = _columns(
    *_HEAD,
    ("model", "string", "model", 0),
    ("prompt", "string", "prompt", 0),
    ("n", "int64", "items that both scored", 0),
    ("mean_a", "double", "mean by a", 3),
    ("rank_a", "int64", "rank by a", 0),
    ("rank_a_low", "int64", "best rank that is left open", 0),
    ("rank_a_high", "int64", "worst rank that is left open", 0),
    ("mean_b", "double", "mean by b", 3),
    ("rank_b", "int64", "rank by b", 0),
    ("rank_b_low", "int64", "best rank that is left open", 0),
    ("rank_b_high", "int64", "worst rank that is left open", 0),
    ("moved", "int64", "rank by b minus rank by a", 0),
)

_ALIKE = _columns(
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
