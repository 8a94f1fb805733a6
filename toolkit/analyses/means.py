"""The leaderboard: the mean of every score of every competitor, its interval and its rank."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from toolkit.analyses.base import AnalysisInputs
from toolkit.analyses.identity import identity
from toolkit.analyses.item_clusters import cluster_names
from toolkit.analyses.ranks import distances_from_best, ranks
from toolkit.analyses.score_values import Cell, ScoreValues, joint_sums
from toolkit.errors import UserError
from toolkit.metrics.base import ScoreDefinition
from toolkit.records import to_arrow
from toolkit.statistics.bootstrap import (
    Interval,
    Method,
    bound_without_variation,
    generator,
    mean_interval,
)
from toolkit.statistics.rank_intervals import rank_ranges

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["Means", "MeansParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeansParams:
    """Parameters of the leaderboard's means.

    Attributes:
        by: what one line of the leaderboard is. Without ``prompt``, the rows of all prompts of
            a model are averaged together.
        ci: how the interval of a mean is found.
        method: see :mod:`toolkit.statistics.bootstrap`.
        resamples: bootstrap resamples for each mean.
        confidence: coverage of the intervals, between 0 and 1.
        cluster: column of the items whose equal values make a cluster, e.g. ``journal``; an item
            where it is null is a cluster of its own. Without it each item is one: all repeats of
            an item belong together in any case.

    Raises:
        UserError: a value is out of range.
    """

    by: tuple[Literal["model", "prompt"], ...] = field(
        default=("model", "prompt"), metadata={"about": "what one line of the leaderboard is"}
    )
    ci: Literal["bootstrap", "none"] = field(
        default="bootstrap", metadata={"about": "how the interval of a mean is found"}
    )
    method: Method = field(
        default="expanded",
        metadata={"about": "how resampled means become an interval (docs/design/intervals.md)"},
    )
    resamples: int = field(
        default=2000,
        metadata={"about": "resamples for each mean", "minimum": 100, "maximum": 1_000_000},
    )
    confidence: float = field(
        default=0.95,
        metadata={"about": "coverage of the intervals", "minimum": 0.5, "maximum": 0.999},
    )
    cluster: str | None = field(
        default=None, metadata={"about": "item column whose equal values are resampled together"}
    )

    def __post_init__(self) -> None:
        if "model" not in self.by or len(set(self.by)) != len(self.by):
            raise UserError(f"means.by is {list(self.by)}", hint="write [model, prompt] or [model]")
        if not 0.5 <= self.confidence <= 0.999:
            raise UserError(
                f"means.confidence is {self.confidence}", hint="write e.g. 0.95 for 95 %"
            )
        if not 100 <= self.resamples <= 1_000_000:
            raise UserError(
                f"means.resamples is {self.resamples}", hint="write e.g. 2000 (100 to 1,000,000)"
            )


class Means:
    """The ``leaderboard`` table of :mod:`toolkit.records`: means, intervals, ranks and ranges."""

    name: ClassVar[str] = "means"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = MeansParams

    def __init__(self, params: MeansParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the column that clusters are made of, if any."""
        return () if self.params.cluster is None else (self.params.cluster,)

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "by")

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        p = self.params
        if p.ci == "none":
            return "no intervals"
        method = {"bca": "BCa", "expanded": "expanded percentile"}.get(p.method, p.method)
        return (
            f"{p.confidence * 100:g} % bootstrap interval ({method}, {p.resamples:,} resamples "
            f"by {p.cluster or 'item'}); ranks are ranges that the same resamples of all "
            "competitors leave open"
        )

    def run(self, inputs: AnalysisInputs) -> pa.Table:
        """Return the leaderboard table, sorted by score, model and prompt.

        A row without a value, or with one that is not finite, is counted in ``n_missing`` and
        stays out of the mean. Held in memory: 12 bytes for each value, the ids of the items,
        and one shard.

        Raises:
            UserError: a score has no definition, comes from two metrics, or belongs to an item
                that the items table lacks while clusters are asked for.
        """
        cells = ScoreValues(pool_prompts="prompt" not in self.params.by)
        for table in inputs.scores:
            cells.add(table)
        definitions = {definition.name: definition for definition in inputs.definitions}
        _check_scores(cells, definitions)
        clusters = self._clusters(cells, inputs)
        rows = [
            self._row(key, cell, clusters, inputs, definitions[key[0]])
            for key, cell in sorted(cells.by_key.items())
        ]
        for name, definition in definitions.items():
            ranked = [row for row in rows if row["score"] == name and row["kind"] != "reference"]
            places = ranks([row["mean"] for row in ranked], definition)
            for row, place in zip(ranked, places, strict=True):
                row["rank"] = place
            self._add_ranges(ranked, cells, clusters, definition, inputs.seed)
        return to_arrow("leaderboard", rows)

    def _add_ranges(
        self,
        rows: list[dict[str, Any]],
        cells: ScoreValues,
        clusters: NDArray[np.int64],
        definition: ScoreDefinition,
        seed: int,
    ) -> None:
        """Add to the rows of one score which ranks the resampled differences leave open."""
        ranked = [row for row in rows if row["rank"] is not None]
        if self.params.ci == "none" or not ranked:
            return
        keys = [(row["score"], row["model"], row["prompt"]) for row in ranked]
        sums, counts = joint_sums([cells.by_key[key] for key in keys], clusters)
        ranges = rank_ranges(
            sums,
            counts,
            partial(distances_from_best, definition=definition),
            generator(seed, "ranks", definition.name),
            resamples=self.params.resamples,
            confidence=self.params.confidence,
        )
        for row, found in zip(ranked, ranges, strict=True):
            row |= {"rank_low": found.low, "rank_high": found.high}

    def _clusters(self, cells: ScoreValues, inputs: AnalysisInputs) -> NDArray[np.int64]:
        # Clusters are numbered in the order of their names, so that the draws of a generator
        # fall on the same clusters whatever the order of the shards.
        import numpy as np

        column = self.params.cluster
        # An item alone and a cluster of the same name must stay apart.
        named: dict[str, tuple[bool, str]] = {item: (False, item) for item in cells.items}
        if column is not None:
            known = cluster_names(inputs.items, column, self.name)
            absent = [item for item in sorted(cells.items) if item not in known]
            if absent:
                raise UserError(
                    f"{len(absent)} scored items are not in the items table, the first is "
                    f"'{absent[0][:80]}'",
                    hint="score and analyse the same corpus, or leave means.cluster out",
                )
            for item in cells.items:
                value = known[item]
                if value is not None:
                    named[item] = (True, value)
        order = {cluster: code for code, cluster in enumerate(sorted(set(named.values())))}
        return np.array([order[named[item]] for item in cells.items], dtype=np.int64)

    def _row(
        self,
        key: tuple[str, str, str],
        cell: Cell,
        clusters: NDArray[np.int64],
        inputs: AnalysisInputs,
        definition: ScoreDefinition,
    ) -> dict[str, Any]:
        score, model, prompt = key
        kind = inputs.kinds.get(model, "model")
        sums, counts, values = cell.grouped(clusters)
        n = len(values)
        mean = math.fsum(values) / n if n else None
        interval = Interval(None, None, reason=cell.why_missing())
        if mean is not None:
            interval = self._interval(key, sums, counts, values, inputs.seed, definition, kind)
        return {
            "model": model,
            "prompt": prompt,
            "kind": kind,
            "score": score,
            "mean": mean,
            "ci_low": interval.low,
            "ci_high": interval.high,
            "n": n,
            "n_missing": cell.missing,
            "n_clusters": len(sums),
            "rank": None,
            "rank_low": None,
            "rank_high": None,
            "reason": interval.reason,
            "signature": self._signature(inputs.signatures.get(score, ""), n, inputs.seed),
        }

    def _interval(
        self,
        key: tuple[str, str, str],
        sums: NDArray[np.float64],
        counts: NDArray[np.int64],
        values: NDArray[np.float64],
        seed: int,
        definition: ScoreDefinition,
        kind: str,
    ) -> Interval:
        p = self.params
        if p.ci == "none":
            return Interval(None, None, reason="no intervals asked for")
        if len(sums) == 1:
            unit = p.cluster or "item"
            return Interval(None, None, reason=f"one {unit}: nothing to resample")
        if values.min() == values.max():
            # The reference scored against itself is a constant, not an estimate.
            bounded = kind != "reference"
            return bound_without_variation(
                float(values[0]),
                len(sums),
                low=definition.low if bounded else None,
                high=definition.high if bounded else None,
                confidence=p.confidence,
            )
        score, model, prompt = key
        return mean_interval(
            sums,
            counts,
            generator(seed, model, prompt, score),
            resamples=p.resamples,
            confidence=p.confidence,
            method=p.method,
        )

    def _signature(self, metric: str, n: int, seed: int) -> str:
        p = self.params
        parts = [metric] if metric else []
        parts.append(f"n:{n}")
        if p.ci == "bootstrap":
            parts.append(
                f"ci:bootstrap-{p.method}|level:{p.confidence:g}|resamples:{p.resamples}"
                f"|cluster:{p.cluster or 'item'}|seed:{seed}"
            )
        return "|".join(parts)


def _check_scores(cells: ScoreValues, definitions: Mapping[str, ScoreDefinition]) -> None:
    unknown = sorted({score for score, _, _ in cells.by_key} - set(definitions))
    if unknown:
        raise UserError(
            f"no definition says what these scores mean: {', '.join(unknown)}",
            hint="a metric lists every score it returns in definitions()",
        )
