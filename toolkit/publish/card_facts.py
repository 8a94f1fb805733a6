"""``card.json``: what the card was made of, so that it can be made anew without the run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from toolkit.errors import UserError
from toolkit.recipe.params import build
from toolkit.recipe.publish_section import Publish, Task
from toolkit.store.canonical import canonical_json

__all__ = ["FACTS_FILE", "CardFacts", "facts_text", "read_facts"]

FACTS_FILE: Final = "card.json"


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What a card is made of beside the files.

    Attributes:
        card: what the release step noted (:func:`toolkit.release.compose.compose`).
        tasks: the headline numbers.
        leaderboard: ``org/name`` of the Space; empty for none.
        max_failed: share of answers without a value up to which a number is ranked.
    """

    card: Mapping[str, Any]
    tasks: tuple[Task, ...]
    leaderboard: str
    max_failed: float


def facts_text(card: Mapping[str, Any], publish: Publish) -> str:
    """Return ``card.json``: canonical JSON."""
    data = {
        "schema": 1,
        "card": dict(card),
        "tasks": [asdict(task) for task in publish.tasks],
        "leaderboard": publish.leaderboard or "",
        "max_failed": publish.max_failed,
    }
    return canonical_json(data) + "\n"


def read_facts(text: str) -> CardFacts:
    """Read ``card.json``.

    Raises:
        UserError: it is none, or of a later version of this program.
    """
    try:
        data = json.loads(text)
        schema, card, tasks = data["schema"], dict(data["card"]), data["tasks"]
        found = CardFacts(
            card,
            tuple(build(Task, task) for task in tasks),
            str(data["leaderboard"]),
            float(data["max_failed"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"{FACTS_FILE} of the dataset cannot be read", hint="publish its newest run again"
        ) from error
    if schema != 1:
        raise UserError(
            f"{FACTS_FILE} has the schema {schema!r}; this program knows 1",
            hint="upgrade leaderboard-toolkit",
        )
    return found
