"""Occurrences and plans as short texts, so that they can wait on disk and travel to workers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from toolkit.perturb.substitution import Chosen, Occurrences

__all__ = ["occurrences_of", "occurrences_text", "plans_of", "plans_text"]


def occurrences_text(found: Occurrences) -> str:
    """Return occurrences as JSON that :func:`occurrences_of` reads back as they are."""
    return _json([found.terms, found.hidden, found.sizes, sorted(found.present)])


def occurrences_of(text: str) -> Occurrences:
    """Return the occurrences that a text holds."""
    terms, hidden, sizes, present = json.loads(text)
    return Occurrences(
        _spans_by_term(terms), _spans_by_term(hidden), _spans(sizes), frozenset(present)
    )


def plans_text(plans: Mapping[str, Sequence[Chosen]]) -> str:
    """Return the plans of one text by level as JSON that :func:`plans_of` reads back."""
    return _json(
        {
            level: [[one.category, one.term, one.alternative, one.spans] for one in plan]
            for level, plan in plans.items()
        }
    )


def plans_of(text: str) -> dict[str, tuple[Chosen, ...]]:
    """Return the plans that a text holds."""
    return {
        level: tuple(
            Chosen(category, term, alternative, _spans(spans))
            for category, term, alternative, spans in plan
        )
        for level, plan in json.loads(text).items()
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _spans(value: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in value)


def _spans_by_term(value: Mapping[str, Any]) -> dict[str, tuple[tuple[int, int], ...]]:
    return {term: _spans(spans) for term, spans in value.items()}
