"""What an analysis is: score tables and the items behind them in, one table out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from toolkit.metrics.base import ScoreDefinition

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Analysis", "AnalysisInputs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisInputs:
    """What an analysis may read.

    Attributes:
        scores: tables with the ``scores`` columns of :mod:`toolkit.records`, one a shard; they
            are read once, one at a time, in any order.
        definitions: what each score means; every score of the tables has one.
        seed: the recipe's seed.
        kinds: ``model``, ``baseline`` or ``reference`` for each model; absent means ``model``.
        signatures: the signature of each score's metric, by score.
        items: tables with ``item_id`` and the columns that :meth:`Analysis.item_columns` names;
            read once, and only when it names some.
    """

    scores: Iterable[pa.Table]
    definitions: Sequence[ScoreDefinition]
    seed: int
    kinds: Mapping[str, str] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    items: Iterable[pa.Table] = ()


@runtime_checkable
class Analysis(Protocol):
    """An analysis: built from its frozen parameters dataclass, then run once on a run's tables."""

    name: ClassVar[str]
    version: ClassVar[int]
    Params: ClassVar[type]

    def __init__(self, params: Any) -> None: ...

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns of the items table that are needed besides ``item_id``."""

    def fingerprint(self) -> dict[str, Any]:
        """Return the JSON values that make two results of this analysis interchangeable."""

    def run(self, inputs: AnalysisInputs) -> pa.Table:
        """Return the analysis' table, sorted, the same whatever the order of the inputs."""
