"""Answers as rows of a factorial model: the value, the level of each factor, the cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolkit.analyses.base import AnalysisInputs
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.score_values import ScoreValues
from toolkit.errors import UserError
from toolkit.statistics.factorial import Factorial

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ITEM", "FactorRows", "FactorTable", "columns_of_items"]

ITEM: Final = "item_id"
"""The cluster that needs no column: an item itself."""

_OF_SYSTEMS: Final = ("model", "prompt")


@dataclass(frozen=True, slots=True)
class FactorTable:
    """The rows of one score, in an order that depends on what they hold alone.

    Attributes:
        score: its name.
        values: (n,) finite values.
        codes: (n, factors) the level of each factor.
        clusters: (n,) the cluster of each row.
        design: the factors with the levels that occur, as tables call them.
        keys: the levels as recipe and items name them.
        left_out: answers with a value that lack a level of a factor.
        missing: answers without a value.
    """

    score: str
    values: NDArray[np.float64]
    codes: NDArray[np.int64]
    clusters: NDArray[np.int64]
    design: Factorial
    keys: tuple[tuple[str, ...], ...]
    left_out: int
    missing: int

    def rows_at(self, factor: int, levels: Sequence[int]) -> int:
        """Return how many rows have one of some levels of a factor."""
        import numpy as np

        return int(np.isin(self.codes[:, factor], list(levels)).sum())


def columns_of_items(factors: Sequence[str], cluster: str) -> tuple[str, ...]:
    """Return the columns of the items that factors and cluster need, each once."""
    named = [*factors, cluster]
    return tuple(dict.fromkeys(name for name in named if name not in (*_OF_SYSTEMS, ITEM)))


class FactorRows:
    """Gathers score tables once; every answer is a row, repeats too.

    Held in memory: 12 bytes a value, and 8 bytes a factor and value of the score in use.
    """

    def __init__(
        self,
        inputs: AnalysisInputs,
        factors: Sequence[str],
        cluster: str,
        leave_out: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Read the tables.

        Args:
            inputs: scores, items, kinds and order of the models.
            factors: ``model``, ``prompt`` and columns of the items.
            cluster: ``item_id`` or a column of the items.
            leave_out: by factor, levels whose answers take no part.

        Raises:
            UserError: a scored item is in no table, or has several levels of a factor.
        """
        self._inputs = inputs
        self._factors = tuple(factors)
        self._left_out = {name: frozenset(held) for name, held in (leave_out or {}).items()}
        self._values = ScoreValues(pool_prompts=False)
        for table in inputs.scores:
            self._values.add(table)
        ids = tuple(self._values.items)
        columns = columns_of_items(factors, cluster)
        items = ItemColumns(inputs.items, columns, sorted(ids))
        rank = {item: row for row, item in enumerate(sorted(ids))}
        self._rank = [rank[item] for item in ids]
        self._clusters = items.clusters(None if cluster == ITEM else cluster)
        self._levels = {
            name: _levels(items, name, len(ids)) for name in factors if name not in _OF_SYSTEMS
        }

    def scores(self) -> set[str]:
        """Return the names of the scores there are."""
        return {score for score, _, _ in self._values.by_key}

    def table(self, score: str, order: int) -> FactorTable:
        """Return the rows of a score.

        The reference takes no part; baselines do where models are compared and prompts, which
        they have none of, are not.

        Args:
            score: its name.
            order: of the highest interactions.
        """
        import numpy as np

        rank = np.array(self._rank, np.int64)
        systems = sorted((m, p) for name, m, p in self._values.by_key if name == score)
        systems = [system for system in systems if self._takes_part(system[0])]
        names = self._level_names(systems)
        place = {
            name: {
                level: at
                for at, level in enumerate(names[name])
                if level not in self._left_out.get(name, ())
            }
            for name in names
        }
        values, codes, clusters, missing = [], [], [], 0
        for model, prompt in systems:
            cell = self._values.by_key[score, model, prompt]
            found, held = cell.rows()
            items = rank[held]
            own = {"model": model, "prompt": prompt}
            columns = [
                np.full(len(items), place[name].get(own[name], -1))
                if name in own
                else self._kept(name)[items]
                for name in self._factors
            ]
            values.append(found)
            codes.append(np.stack(columns, axis=1).astype(np.int64))
            clusters.append(self._clusters[items])
            missing += cell.missing
        if not values:
            empty = np.empty(0, np.int64)
            values, codes, clusters = [np.empty(0)], [empty.reshape(0, len(names))], [empty]
        return self._sorted(
            score, (np.concatenate(values), np.concatenate(codes), np.concatenate(clusters)),
            names, order, missing,
        )  # fmt: skip

    def _sorted(
        self,
        score: str,
        rows: tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]],
        names: Mapping[str, Sequence[str]],
        order: int,
        missing: int,
    ) -> FactorTable:
        import numpy as np

        values, codes, clusters = rows
        whole = (codes >= 0).all(axis=1)
        left_out = int((~whole).sum())
        values, codes, clusters = values[whole], codes[whole], clusters[whole]
        at = np.lexsort((values, *codes.T[::-1], clusters))
        values, codes, clusters = values[at], codes[at], clusters[at]
        keys = []
        for column, name in enumerate(self._factors):
            seen, again = np.unique(codes[:, column], return_inverse=True)
            codes[:, column] = again.ravel()
            keys.append(tuple(names[name][level] for level in seen.tolist()))
        shown = tuple(
            tuple(map(self._inputs.title, held)) if name == "model" else held
            for name, held in zip(self._factors, keys, strict=True)
        )
        design = Factorial(self._factors, shown, order)
        return FactorTable(score, values, codes, clusters, design, tuple(keys), left_out, missing)

    def _kept(self, name: str) -> NDArray[np.int64]:
        """Return the level of each item, -1 where it has none or one that is left out."""
        import numpy as np

        codes, labels = self._levels[name]
        left_out = self._left_out.get(name, frozenset())
        gone = [at for at, label in enumerate(labels) if label in left_out]
        return np.where(np.isin(codes, gone), -1, codes)

    def _takes_part(self, model: str) -> bool:
        kind = self._inputs.kinds.get(model, "model")
        return kind == "model" or (kind == "baseline" and "model" in self._factors)

    def _level_names(self, systems: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
        recipe = {name: at for at, name in enumerate(self._inputs.models)}
        models = sorted(
            {model for model, _ in systems}, key=lambda name: (recipe.get(name, len(recipe)), name)
        )
        prompts = sorted({prompt for _, prompt in systems if prompt})
        found = {name: self._levels[name][1] for name in self._levels}
        found |= {"model": models, "prompt": prompts}
        return {name: found[name] for name in self._factors}


def _levels(items: ItemColumns, name: str, count: int) -> tuple[NDArray[np.int64], list[str]]:
    import numpy as np

    codes = np.full(count, -1, np.int64)
    groups = items.groups(name)
    for at, (rows, _) in enumerate(groups.values()):
        if (codes[rows] >= 0).any():
            raise UserError(
                f"items belong to several values of '{name}'",
                hint="a factor needs one level an item; breakdown takes several",
            )
        codes[rows] = at
    return codes, list(groups)
