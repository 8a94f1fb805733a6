"""Runs an analysis on values written by hand."""

import pyarrow as pa

from tests.analyses.judged import rows
from toolkit.analyses.base import AnalysisInputs
from toolkit.metrics.base import ScoreDefinition
from toolkit.records import to_arrow
from toolkit.registry import member, params_class


def definition(name, **more):
    return ScoreDefinition(name=name, title=name.upper(), **more)


def run(name, params, scores, *, definitions=(), items=(), order=1, **more):
    """Tables of an analysis by name.

    Args:
        name: of the analysis.
        params: of it, by name.
        scores: by score, values by (item, model, prompt, repeat).
        definitions: of the scores; the rest are from 0 to 1 and better when higher.
        items: rows of the items.
        order: 1, or -1 for rows and tables the other way round.
    """
    known = {one.name for one in definitions}
    tables = [to_arrow("scores", rows(score, values)[::order]) for score, values in scores.items()]
    inputs = AnalysisInputs(
        scores=iter(tables[::order]),
        definitions=[*definitions, *(definition(s) for s in scores if s not in known)],
        items=iter([pa.Table.from_pylist(list(items)[::order])] if items else []),
        **({"seed": 7} | more),
    )
    analysis = member("analyses", name)(params_class("analyses", name)(**params))
    return {table.name: table for table in analysis.run(inputs)}


def values(columns, *, prompt="A", repeat=0):
    """Values of models by item number: ``{"m1": [0.1, 0.2]}``."""
    return {
        (f"i{at:04d}", model, prompt, repeat): None if value is None else float(value)
        for model, column in columns.items()
        for at, value in enumerate(column)
    }
