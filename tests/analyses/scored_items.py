"""Scores of items and their columns as analyses read them, in shards of any order."""

import numpy as np
import pyarrow as pa

from toolkit.analyses.base import AnalysisInputs, ModelFacts
from toolkit.metrics.base import ScoreDefinition
from toolkit.records import to_arrow


def score_rows(score, values, metric="metric"):
    """Rows of the scores table; ``values`` by (model, prompt) is a list, NaN or None for none."""
    rows = []
    for (model, prompt), column in values.items():
        for at, value in enumerate(column):
            lacks = value is None or np.isnan(value)
            rows.append(
                {
                    "item_id": f"i{at:04d}", "model": model, "prompt": prompt, "repeat": 0,
                    "metric": metric, "score": score, "value": None if lacks else float(value),
                    "reason": "none" if lacks else "",
                }
            )  # fmt: skip
    return rows


def made(scores, columns=None, *, order=None, definitions=(), **more):
    """Inputs of an analysis.

    Args:
        scores: by score, values by (model, prompt).
        columns: columns of the items, lists in the order of the items.
        order: seed of an order of rows and shards; None keeps the order.
        definitions: of scores that are not 0 to 1, higher is better.
        more: further fields.
    """
    known = {each.name: each for each in definitions}
    shards = [to_arrow("scores", score_rows(name, values)) for name, values in scores.items()]
    items = []
    if columns:
        count = len(next(iter(columns.values())))
        ids = [f"i{at:04d}" for at in range(count)]
        items = [pa.table({"item_id": ids, **columns})]
    if order is not None:
        rng = np.random.default_rng(order)
        shards = [part for shard in shards for part in _scattered(shard, rng)]
        shards = [shards[at] for at in rng.permutation(len(shards))]
        items = [part for table in items for part in _scattered(table, rng)]
    models = more.pop("models", {})
    return AnalysisInputs(
        scores=iter(shards),
        definitions=[known.get(name) or ScoreDefinition(name=name, title=name) for name in scores],
        seed=7,
        items=iter(items),
        models={name: ModelFacts(name=name, **facts) for name, facts in models.items()},
        **more,
    )


def _scattered(table, rng):
    rows = rng.permutation(table.num_rows)
    return [table.take(pa.array(part)) for part in np.array_split(rows, 3)]


def tables(analysis, inputs):
    """The tables of an analysis by name."""
    return {table.name: table for table in analysis.run(inputs)}
