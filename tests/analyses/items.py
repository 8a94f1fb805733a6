"""Scores and items as the analyses of categories, journals and lengths read them."""

import numpy as np
import pyarrow as pa

from tests.analyses.judged import rows
from toolkit.analyses.base import AnalysisInputs, ModelFacts
from toolkit.metrics.base import ScoreDefinition
from toolkit.records import to_arrow

CATEGORIES = ("Medicine (miscellaneous)", "Surgery", "Oncology", "Nursing", "Ethics")


def world(items=120, models=("m1", "m2"), prompts=("A", "B"), scores=("s", "t"), seed=3):
    """Values by score, and the items: journals, categories, SJR, years, texts."""
    rng = np.random.default_rng(seed)
    table = [
        {
            "item_id": f"i{n:03d}",
            "journal": None if n % 17 == 0 else f"J{n % 23}",
            "categories": [CATEGORIES[n % 5], *([CATEGORIES[0]] if n % 7 == 0 else [])]
            if n % 11
            else None,
            "sjr": None if n % 13 == 0 else float(rng.lognormal()),
            "year": 2000 + int(rng.integers(0, 26)),
            "conclusion": " ".join(["It was so."] * (1 + n % 4)),
            "date": f"2023-{1 + n % 12:02d}-{1 + n % 28:02d}",
            "citations": int(rng.integers(0, 50)),
        }
        for n in range(items)
    ]
    values = {
        score: {
            (row["item_id"], model, prompt, 0): None
            if n % 19 == 5
            else float(50 + 10 * rng.normal() + 3 * (n % 5) + 5 * place)
            for n, row in enumerate(table)
            for place, model in enumerate(models)
            for prompt in prompts
        }
        for score in scores
    }
    return values, table


def inputs(values, table, *, columns, kinds=None, shards=1, definitions=(), **more):
    scored = [
        to_arrow("scores", part)
        for score, found in values.items()
        for part in np.array_split(np.array(rows(score, found, judge=score), dtype=object), shards)
        for part in [part.tolist()]
        if part
    ]
    known = {definition.name: definition for definition in definitions}
    items = pa.Table.from_pylist(
        [{key: row[key] for key in ("item_id", *columns)} for row in table]
    )
    models = sorted({model for found in values.values() for _, model, _, _ in found})
    return AnalysisInputs(
        scores=scored[::-1] if shards > 1 else scored,
        definitions=[
            known.get(score)
            or ScoreDefinition(name=score, title=score.upper(), low=0.0, high=100.0)
            for score in values
        ],
        seed=7,
        kinds=kinds or {},
        items=[items.slice(0, 50), items.slice(50)],
        models={name: ModelFacts(name=name, title=name.upper()) for name in models},
        **more,
    )


def frame(values, score):
    """A data frame of one score: item, model, prompt, value."""
    import pandas as pd

    return pd.DataFrame(
        [(item, model, prompt, value) for (item, model, prompt, _), value in values[score].items()],
        columns=["item_id", "model", "prompt", "value"],
    ).dropna()
