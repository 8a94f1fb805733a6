"""The scores of every item behind a record: ids and numbers, no text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolkit.errors import UserError
from toolkit.store.canonical import canonical_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CLUSTER_DIGITS", "ItemScores", "items_text", "read_items"]

CLUSTER_DIGITS: Final = 16
"""Hex digits by which a cluster is known; what it is called may be text, and stays away."""

_CLUSTER: Final = re.compile(f"[0-9a-f]{{{CLUSTER_DIGITS}}}")
_ID_LENGTH: Final = 500
_MOST_FAULTS: Final = 10


@dataclass(frozen=True, slots=True)
class ItemScores:
    """One number for each item and score, repeats averaged.

    Attributes:
        items: ids, sorted.
        scores: names of the scores, sorted.
        values: (items, scores); NaN where an item has no value.
        clusters: of each item, digits of a digest that items of one cluster share, empty where
            an item counts for itself; no clusters at all where every item does.
    """

    items: tuple[str, ...]
    scores: tuple[str, ...]
    values: NDArray[np.float64]
    clusters: tuple[str, ...] = ()

    def column(self, score: str) -> NDArray[np.float64] | None:
        """Return the values of one score, in the order of the items; None without it."""
        if score not in self.scores:
            return None
        found: NDArray[np.float64] = self.values[:, self.scores.index(score)]
        return found


def items_text(scores: ItemScores) -> str:
    """Return the file: a line of canonical JSON an item, in the order of the ids.

    Raises:
        ValueError: the items or the scores are not sorted, or one stands twice.
    """
    for names in (scores.items, scores.scores):
        if list(names) != sorted(set(names)):
            raise ValueError("items and scores are sorted, and each stands once")
    clusters = scores.clusters or ("",) * len(scores.items)
    lines = []
    for item, cluster, row in zip(scores.items, clusters, scores.values.tolist(), strict=True):
        values = [value if math.isfinite(value) else None for value in row]
        line: dict[str, Any] = {"id": item, "scores": dict(zip(scores.scores, values, strict=True))}
        if cluster:
            line["cluster"] = cluster
        lines.append(canonical_json(line) + "\n")
    return "".join(lines)


def read_items(text: str, where: str) -> ItemScores:
    """Read a file of item scores; held in memory are ids and 8 bytes a value.

    Raises:
        UserError: a line is not what :func:`items_text` writes; all faults at once.
    """
    import numpy as np

    faults: list[str] = []
    items: list[str] = []
    clusters: list[str] = []
    rows: list[list[float]] = []
    names: list[str] | None = None
    # Not splitlines(): it breaks lines at characters that may stand in an id.
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), 1):
        try:
            item, cluster, scores = _line(line, items[-1] if items else None)
            names = list(scores) if names is None else names
            if list(scores) != names:
                raise ValueError("its scores are not those of the first line")
        except ValueError as error:
            faults.append(f"line {number}: {error}")
            continue
        items.append(item)
        clusters.append(cluster)
        rows.append([math.nan if value is None else value for value in scores.values()])
    if faults:
        more = [f"and {len(faults) - _MOST_FAULTS} more"] if len(faults) > _MOST_FAULTS else []
        raise UserError(
            "\n  ".join([f"{where}: no item scores", *faults[:_MOST_FAULTS], *more]),
            hint="scores of items are never edited: bring back the file as it was",
        )
    return ItemScores(
        items=tuple(items),
        scores=tuple(names or ()),
        values=np.array(rows, np.float64).reshape(len(rows), len(names or ())),
        clusters=tuple(clusters) if any(clusters) else (),
    )


def _line(line: str, before: str | None) -> tuple[str, str, dict[str, float | None]]:
    """Return id, cluster and scores of a line.

    Raises:
        ValueError: it is not of the form; says why.
    """
    data = json.loads(line)
    if not isinstance(data, dict) or not {"id", "scores"} <= set(data) <= {
        "id",
        "scores",
        "cluster",
    }:
        raise ValueError("wants id, scores and nothing but a cluster besides")
    item, scores, cluster = data["id"], data["scores"], data.get("cluster", "")
    if not isinstance(item, str) or not 0 < len(item) <= _ID_LENGTH:
        raise ValueError("the id is no text, or too long")
    if before is not None and item <= before:
        raise ValueError(f"the id '{item[:80]}' is not behind that of the line before")
    if cluster and not (isinstance(cluster, str) and _CLUSTER.fullmatch(cluster)):
        raise ValueError("the cluster is no digest")
    if not isinstance(scores, dict) or list(scores) != sorted(scores):
        raise ValueError("scores is no mapping with sorted names")
    wrong = [name for name, value in scores.items() if not _is_number(value)]
    if wrong:
        raise ValueError(f"no finite number and not null: {', '.join(_first(wrong))}")
    return item, cluster, scores


def _is_number(value: Any) -> bool:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or (plain and math.isfinite(value))


def _first(names: Sequence[str]) -> Iterator[str]:
    for name in names[:3]:
        yield repr(name[:40])
