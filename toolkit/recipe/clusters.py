"""What is resampled and correlated as a whole where models are asked about variants of items."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolkit.registry import params_class

__all__ = ["ORIGINAL_ID", "with_clusters"]

ORIGINAL_ID: Final = "original_id"
"""Column of variants: the item that each was made from."""

_EACH_ITEM: Final = (None, "item_id")
"""Defaults of ``cluster`` that make every item a cluster of its own."""


def with_clusters(data: Mapping[str, Any]) -> list[Any]:
    """Return the analyses of a recipe with clusters where its variants need them.

    Variants of one item are as alike as answers to one item are: an analysis that says nothing
    else takes them together, and so does the leaderboard.

    Args:
        data: the recipe as JSON, its analyses as they are written.
    """
    listed = list(data.get("analyses", []))
    generate = data.get("generate", [])
    entries = generate if isinstance(generate, list) else [generate]
    if not any("variants" in _listed(entry.get("over", ())) for entry in entries):
        return listed
    if not any(name == "means" for name, _ in map(_named, listed)):
        listed.append("means")
    return [_clustered(*_named(entry)) for entry in listed]


def _clustered(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    fields = dict(_defaults(name))
    if "cluster" in params or fields.get("cluster", "") not in _EACH_ITEM:
        return {name: params}
    return {name: {**params, "cluster": ORIGINAL_ID}}


def _defaults(name: str) -> Iterator[tuple[str, Any]]:
    for field in dataclasses.fields(params_class("analyses", name)):
        yield field.name, field.default


def _named(entry: Any) -> tuple[str, Mapping[str, Any]]:
    if isinstance(entry, str):
        return entry, {}
    name, params = next(iter(entry.items()))
    return name, params or {}


def _listed(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value
