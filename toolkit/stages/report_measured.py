"""What the report says of texts that were measured: how many, and the corpus perplexities."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisTable
from toolkit.analyses.means import MeansParams
from toolkit.plan.measuring import measurer_of
from toolkit.plan.step import Step
from toolkit.registry import member
from toolkit.stages.context import Context
from toolkit.statistics.bootstrap import Interval, generator, mean_interval

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["corpus_perplexity", "measured_notes"]

_VERBS: Final = {"embeddings": "embedded", "likelihoods": "scored by the language model"}


def measured_notes(context: Context) -> Iterator[str]:
    """Say how many distinct texts each model read, of how many that were asked for."""
    for step in _steps(context, "measure"):
        facts = context.artifacts[step.name].manifest.facts
        verb = _VERBS.get(step.params["what"], "measured")
        cut = ""
        if facts.get("texts_cut"):
            cut = (
                f" {facts['texts_cut']:,} of them are longer than the model was shown: "
                f"{facts['tokens_cut']:,} tokens were cut off."
            )
        if facts.get("tokens_unknown"):
            cut += f" {facts['tokens_unknown']:,} tokens are outside the model's vocabulary."
        yield (
            f"{facts['texts']:,} distinct texts were {verb}, each once, of {facts['asked']:,} "
            f"that scores ask for ({_weights(context, step)}).{cut}"
        )


def _weights(context: Context, step: Step) -> str:
    """Return what people call the weights that a step measures with."""
    index = step.options["asks"][0][1][0]
    settings = measurer_of(context.recipe, index).settings()
    folder = settings.get("folder")
    name = str(folder or settings.get("model") or step.name)
    # A path of this machine belongs in no report.
    return Path(name).name if folder or name.startswith(("/", "~", ".")) else name


def corpus_perplexity(context: Context) -> AnalysisTable | None:
    """Return the perplexity of all texts of a model and prompt together; None without any.

    exp of total negative log-likelihood over total tokens (Jelinek et al. 1977,
    doi:10.1121/1.2016299). Its interval is that of the leaderboard's means: whole clusters are
    resampled, and with them their tokens.
    """
    means = _means(context)
    clusters = _clusters(context, means.cluster)
    rows: list[dict[str, Any]] = []
    signatures: dict[str, None] = {}
    for step in _steps(context, "score"):
        artifact = context.artifacts[step.name]
        if not artifact.shards("likelihoods"):
            continue
        signatures[artifact.manifest.facts["signature"]] = None
        table = _likelihoods(context, step)
        titles = {one["name"]: one["title"] for one in artifact.manifest.facts["definitions"]}
        for score, title in titles.items():
            row = _row(_of(table, score), clusters, means, (context.recipe.seed, step, score))
            if row is not None:
                about = {key: step.params[key] for key in ("model", "prompt")}
                rows.append({**about, "score": title, **row})
    if not rows:
        return None
    return AnalysisTable(
        name="corpus_perplexity",
        title="Perplexity of all texts together",
        columns=_COLUMNS,
        rows=sorted(rows, key=lambda row: (row["score"], row["model"], row["prompt"])),
        notes=(
            "exp of the total negative log-likelihood over the total of predicted tokens; the "
            "leaderboard's mean weighs each text alike, this each token.",
            "The reference is the same text for every model; its rows differ where answers are "
            "missing.",
            f"Intervals: {member('analyses', 'means')(means).describe()}.",
        ),
        signature=" ".join(signatures),
    )


_COLUMNS: Final = (
    AnalysisColumn("model", "string", "model", 0),
    AnalysisColumn("prompt", "string", "prompt", 0),
    AnalysisColumn("score", "string", "score", 0),
    AnalysisColumn("n", "int64", "texts", 0),
    AnalysisColumn("tokens", "int64", "predicted tokens", 0),
    AnalysisColumn("tokens_cut", "int64", "tokens cut off", 0),
    AnalysisColumn("perplexity", "double", "corpus perplexity, 1 and up", 2),
    AnalysisColumn("perplexity_low", "double", "lower end of its interval", 2),
    AnalysisColumn("perplexity_high", "double", "upper end of its interval", 2),
    AnalysisColumn("reason", "string", "why there is no interval", 0),
)


def _steps(context: Context, stage: str) -> Iterator[Step]:
    for step in context.plan.steps:
        if step.stage == stage and step.name in context.artifacts:
            yield step


def _means(context: Context) -> MeansParams:
    for analysis in context.recipe.analyses:
        if analysis.name == "means":
            params: MeansParams = analysis.params
            return params
    return MeansParams()


def _clusters(context: Context, column: str | None) -> Mapping[str, str]:
    """Return the cluster of each item, by item; an item without one stands alone.

    So does each of a table that lacks the column.
    """
    found: dict[str, str] = {}
    if column is None:
        return found
    tables = {(step.items_from, step.params["table"]) for step in _steps(context, "generate")}
    for name, table in sorted(tables):
        for batch in context.inputs[name].batches(table, ["item_id", column]):
            if column not in batch.schema.names:
                break
            pairs = zip(batch[0].to_pylist(), batch[1].to_pylist(), strict=True)
            # A cluster and an item may have one name.
            found |= {item: f"in {value}" for item, value in pairs if value is not None}
    return found


def _likelihoods(context: Context, step: Step) -> pa.Table:
    """Return the likelihoods of a step; none of a score that validation took out."""
    import pyarrow as pa

    made, left = context.artifacts[step.name], context.inputs[step.name]
    keys = ["item_id", "repeat", "score"]
    table = made.read("likelihoods", [*keys, "nll", "tokens", "tokens_cut"])
    if left.fingerprint == made.fingerprint:
        return table
    rows = [
        pa.Table.from_batches([_mine(batch, step).select(keys)])
        for batch in left.batches("scores", [*keys, "model", "prompt"])
    ]
    return table.join(pa.concat_tables(rows), keys, join_type="left semi")


def _mine(batch: pa.RecordBatch, step: Step) -> pa.RecordBatch:
    import pyarrow.compute as pc

    same = (pc.equal(batch[name], step.params[name]) for name in ("model", "prompt"))
    return batch.filter(pc.and_(*same))


def _of(table: pa.Table, score: str) -> pa.Table:
    import pyarrow.compute as pc

    return table.filter(pc.equal(table["score"], score))


def _row(
    table: pa.Table,
    clusters: Mapping[str, str],
    means: MeansParams,
    about: tuple[int, Step, str],
) -> dict[str, Any] | None:
    if not table.num_rows:
        return None
    sums, counts = _grouped(table, clusters)
    seed, step, score = about
    mean = math.fsum(sums) / int(counts.sum())
    interval = Interval(None, None, reason="no intervals asked for")
    if means.ci == "bootstrap":
        interval = mean_interval(
            sums,
            counts,
            generator(
                seed, "corpus_perplexity", step.params["model"], step.params["prompt"], score
            ),
            resamples=means.resamples,
            confidence=means.confidence,
            method=means.method,
        )
    return {
        "n": table.num_rows,
        "tokens": int(counts.sum()),
        "tokens_cut": sum(table["tokens_cut"].to_pylist()),
        "perplexity": math.exp(mean),
        "perplexity_low": None if interval.low is None else math.exp(max(interval.low, 0.0)),
        "perplexity_high": None if interval.high is None else math.exp(interval.high),
        "reason": interval.reason,
    }


def _grouped(
    table: pa.Table, clusters: Mapping[str, str]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return negative log-likelihood and tokens of each cluster, in the order of their names."""
    import numpy as np

    names = [clusters.get(item, f"item {item}") for item in table["item_id"].to_pylist()]
    _, codes = np.unique(np.array(names, dtype=object), return_inverse=True)
    # Rows in one order, so that sums have the same last bits whatever the order of the shards.
    order = np.lexsort((table["nll"].to_numpy(), codes))
    codes = codes[order]
    sums = np.bincount(codes, weights=table["nll"].to_numpy()[order]).astype(np.float64)
    counts = np.bincount(codes, weights=table["tokens"].to_numpy()[order]).astype(np.int64)
    return sums, counts
