"""The first answers behind each line of the leaderboard, small enough to stand in its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from toolkit.report.browser import Competitor
from toolkit.report.inputs import Evidence, EvidenceRow
from toolkit.stages.context import Context
from toolkit.stages.report_scores import read_scores
from toolkit.stages.slices import RowReader, Slice

__all__ = ["SHOWN", "evidence"]

SHOWN: Final = 20
"""Rows behind each line of the leaderboard that the page holds; the page of items holds all."""


def evidence(
    context: Context, name: str, scores: Sequence[str], columns: Sequence[Competitor]
) -> Evidence:
    """Return the first answers of a generation step with their items and scores.

    Args:
        context: of the report.
        name: the generation step.
        scores: names of the scores.
        columns: the competitors of the page of items, in its order.
    """
    import pyarrow as pa

    step = context.plan.step(name)
    artifact = context.inputs[name]
    rows = list(islice(artifact.rows("generations"), SHOWN))
    ids = list(dict.fromkeys(row["item_id"] for row in rows))
    grid = read_scores(context, step, pa.array(ids, pa.string()), scores)
    items = _items(context, name, set(ids))
    model, prompt = step.params["model"], step.params["prompt"]
    own = context.recipe.prompts[prompt].reference if prompt in context.recipe.prompts else None
    reference = own or context.recipe.reference
    found = []
    for row in rows:
        values, missing = grid.of(ids.index(row["item_id"]), row["repeat"])
        item = items.get(row["item_id"], {})
        found.append(
            EvidenceRow(
                item_id=row["item_id"],
                title=str(item.get("title") or ""),
                input=str(item.get(context.recipe.corpus.input) or ""),
                reference=str(item.get(reference) or ""),
                answer=row["answer"],
                status=row["status"],
                reason=row["reason"],
                repeat=row["repeat"],
                scores=dict(zip(scores, values, strict=True)),
                missing={scores[at]: why for at, why in missing.items()},
            )
        )
    places = [at for at, one in enumerate(columns) if (one.model, one.prompt) == (model, prompt)]
    return Evidence(
        model=model,
        prompt=prompt,
        total=artifact.manifest.rows("generations"),
        rows=found,
        competitor=places[0] if places else None,
    )


def _items(context: Context, generation: str, ids: set[str]) -> dict[str, Mapping[str, Any]]:
    step = context.plan.step(generation)
    reader = RowReader(context.inputs[step.items_from], step.params["table"])
    found: dict[str, Mapping[str, Any]] = {}
    for first, last in context.artifacts[generation].manifest.facts["slices"]:
        for item in reader.rows(Slice("", first, last)):
            if item["item_id"] in ids:
                found[item["item_id"]] = item
        if len(found) == len(ids):
            break
    return found
