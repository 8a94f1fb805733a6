"""One record as the page reads it: how it was made, and the scores of its items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolkit.report.chunks import base64_of
from toolkit.report.text import printable
from toolkit.results.items import ItemScores
from toolkit.results.record import Result, items_path, record_path
from toolkit.space.texts import ItemTexts
from toolkit.store.canonical import canonical_json

__all__ = ["MOST_ITEMS", "record_data"]

MOST_ITEMS: Final = 5_000
"""Items of a record that the page holds, the first by their ids; the dataset holds all."""


def record_data(
    result: Result, items: ItemScores | None, texts: ItemTexts | None, dataset: str | None
) -> dict[str, Any]:
    """Return a record as JSON values.

    Args:
        result: the record.
        items: scores of its items; None where none are kept.
        texts: texts that may stand beside them; None for none.
        dataset: ``org/name`` of the dataset that holds the record's files; None for none.
    """
    base = None if dataset is None else f"https://huggingface.co/datasets/{dataset}/blob/main"
    return {
        "facts": [[printable(name), printable(text)] for name, text in _facts(result) if text],
        "signatures": {score.score: printable(score.signature) for score in result.scores},
        "files": []
        if base is None
        else [
            ["record", f"{base}/{record_path(result)}"],
            *([["scores of all items", f"{base}/{items_path(result)}"]] if items else []),
        ],
        "withheld": printable(result.withheld),
        "items": None if items is None else _items(items, texts, result),
    }


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    model = result.model
    yield "Record", result.record_id
    yield "Model", model.name
    yield "Revision", model.revision
    yield "On the Hub", model.hub_id or ""
    yield "Note", model.note
    yield "Prompt mode", result.prompt
    for role, digest in result.prompts.items():
        yield f"Prompt ({role}), sha256", digest
    for name, value in result.generation.items():
        yield name, value if isinstance(value, str) else canonical_json(value)
    yield "Answers to each item", str(result.repeats) if result.repeats > 1 else ""
    yield "Answers by status", _counts(result.statuses)
    yield "Items", f"{result.items:,}"
    yield "Split", result.split
    yield "Tier", result.tier
    yield "Handed in", f"{result.date} by {result.submitter}"
    yield "Takes the place of", result.supersedes
    yield "Recipe, fingerprint", result.recipe
    yield "Written by toolkit", result.toolkit


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def _items(items: ItemScores, texts: ItemTexts | None, result: Result) -> dict[str, Any]:
    shown = items.items[:MOST_ITEMS]
    found: dict[str, Any] = {
        "of": len(items.items),
        "ids": [printable(item) for item in shown],
        "values": {
            printable(score): base64_of(items.values[: len(shown), at].astype("float32"))
            for at, score in enumerate(items.scores)
        },
    }
    if texts is not None:
        answers = texts.answers(result.model.name, result.prompt)
        rows = [texts.row(item, answers) for item in shown]
        if any(rows):
            found["texts"] = rows
    return found
