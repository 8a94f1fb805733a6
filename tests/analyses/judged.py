"""Scores of judges as the analyses read them."""

import numpy as np

from toolkit.analyses.base import AnalysisInputs, JudgeFacts
from toolkit.metrics.base import ScoreDefinition
from toolkit.records import to_arrow


def rows(column, values, judge="j"):
    """Rows of the scores table; values by (item, model, prompt, repeat)."""
    return [
        {
            "item_id": item, "model": model, "prompt": prompt, "repeat": repeat, "metric": judge,
            "score": column, "value": value, "reason": "" if value is not None else "none",
        }
        for (item, model, prompt, repeat), value in values.items()
    ]  # fmt: skip


def grid(function, items=30, models=("m1", "m2", "m3", "m4"), seed=1):
    """Values for every item and model: ``function(rng, item number, model number)``."""
    rng = np.random.default_rng(seed)
    return {
        (f"i{n:03d}", model, "A", 0): function(rng, n, place)
        for n in range(items)
        for place, model in enumerate(models)
    }


def inputs(tables, judges, **more):
    return AnalysisInputs(
        scores=[to_arrow("scores", table) for table in tables],
        definitions=[
            ScoreDefinition(name=column, title=column, low=0.0, high=100.0)
            for judge in judges.values()
            for column in judge.scores.values()
        ],
        seed=7,
        judges=judges,
        **more,
    )


def two_judges(model_a=None, model_b=None):
    return {
        "a": JudgeFacts("a", "llm", model_a, {"q": "q"}),
        "b": JudgeFacts("b", "llm", model_b, {"q": "b.q"}),
    }
