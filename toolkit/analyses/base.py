"""What an analysis is: score tables and the items behind them in, one table out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, runtime_checkable

from toolkit.errors import UserError
from toolkit.figures.base import Figure
from toolkit.metrics.base import ScoreDefinition

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Analysis",
    "AnalysisColumn",
    "AnalysisInputs",
    "AnalysisTable",
    "JudgeFacts",
    "ModelFacts",
    "asked_scores",
    "check_judges",
]


@dataclass(frozen=True, slots=True)
class AnalysisColumn:
    """One column of an analysis's table.

    Attributes:
        name: as it stands on disk.
        type: ``string``, ``int64``, ``double`` or ``bool``.
        about: what it holds, with unit and range; the report's heading is its beginning.
        digits: decimals worth printing.
    """

    name: str
    type: Literal["string", "int64", "double", "bool"]
    about: str
    digits: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisTable:
    """What an analysis found.

    Columns ``X_low`` and ``X_high`` are the interval of the column ``X``; a column ``X_rank``
    holds its place among the lines, and the report prints 1 in bold and 2 underlined.

    Attributes:
        name: safe as the name of a file.
        title: for people.
        columns: its columns.
        rows: values by column; None where there is none.
        notes: sentences a reader needs: n, method, source of a formula.
        signature: what the numbers depend on.
        figures: what shows it best.
    """

    name: str
    title: str
    columns: tuple[AnalysisColumn, ...]
    rows: list[dict[str, Any]]
    notes: tuple[str, ...] = ()
    signature: str = ""
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeFacts:
    """What an analysis may know of a judge.

    Attributes:
        name: in the recipe.
        type: llm, human, ...
        model: the recipe's model that judges, None for a judge without one.
        scores: by its own name of a score, the column of the scores table.
    """

    name: str
    type: str
    model: str | None
    scores: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What an analysis may know of a competitor.

    Attributes:
        name: in the recipe.
        title: what tables call it.
        kind: ``model``, ``baseline`` or ``reference``.
        provider: kind of model.
        model: name under which it is asked; empty for a baseline.
        group: of tables, e.g. reasoning; None when not said.
        access: how one gets at it.
        scale: size as published.
        cutoff: knowledge cutoff, YYYY-MM.
        max_tokens: most new tokens, None where there is no such limit.
        temperature: None where the provider has none or leaves it to the server.
    """

    name: str
    title: str
    kind: str = "model"
    provider: str = ""
    model: str = ""
    group: str | None = None
    access: str | None = None
    scale: str | None = None
    cutoff: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None


def check_judges(analysis: str, judges: Sequence[str]) -> None:
    """Refuse to compare fewer than two judges, or one with itself.

    Raises:
        UserError: there are fewer than two, or one stands twice.
    """
    if len(judges) < 2 or len(set(judges)) != len(judges):
        raise UserError(
            f"{analysis}.judges is {list(judges)}", hint="name two judges or more, each once"
        )


def asked_scores(judges: Iterable[JudgeFacts], asked: Sequence[str]) -> frozenset[str]:
    """Return the judges' own names of the scores that a recipe asks for.

    Args:
        judges: the judges.
        asked: own names of scores, or the columns of the scores table; empty for all.
    """
    return frozenset(
        own
        for judge in judges
        for own, column in judge.scores.items()
        if not asked or own in asked or column in asked
    )


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
        judgements: tables with the ``judgements`` columns but the texts ``answer``, ``raw`` and
            ``reasoning``, read once.
        answers: tables with the ``generations`` columns ``model, prompt, status, asked``.
        judges: the recipe's judges by name.
        audits: tables with the ``audits`` columns, for the audit of judges alone.
        usage: tables with the ``usage`` columns: how often each term was replaced.
        edits: tables with the ``edits`` columns: what was edited in the variants that models were
            asked about; none where nothing is perturbed.
        models: the competitors by name, in the order of the recipe.
        served: the name each model was served under, where a server said so.
    """

    scores: Iterable[pa.Table]
    definitions: Sequence[ScoreDefinition]
    seed: int
    kinds: Mapping[str, str] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    items: Iterable[pa.Table] = ()
    judgements: Iterable[pa.Table] = ()
    answers: Iterable[pa.Table] = ()
    judges: Mapping[str, JudgeFacts] = field(default_factory=dict)
    audits: Iterable[pa.Table] = ()
    edits: Iterable[pa.Table] = ()
    usage: Iterable[pa.Table] = ()
    models: Mapping[str, ModelFacts] = field(default_factory=dict)
    served: Mapping[str, str] = field(default_factory=dict)

    def definition(self, score: str) -> ScoreDefinition:
        """Return what a score means.

        Raises:
            KeyError: there is no such score.
        """
        for definition in self.definitions:
            if definition.name == score:
                return definition
        raise KeyError(score)

    def title(self, model: str) -> str:
        """Return what tables call a model."""
        return self.models[model].title if model in self.models else model

    def span(self, score: str) -> float | None:
        """Return how far two values of a score can lie apart; None when it is not bounded."""
        for definition in self.definitions:
            if definition.name == score and definition.low is not None:
                return None if definition.high is None else definition.high - definition.low
        return None


@runtime_checkable
class Analysis(Protocol):
    """An analysis: built from its frozen parameters dataclass, then run once on a run's tables.

    One with a true attribute ``reads_corpus`` is given the items of the whole corpus instead of
    those that models were asked about.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    Params: ClassVar[type]

    def __init__(self, params: Any) -> None: ...

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns of the items table that are needed besides ``item_id``."""

    def fingerprint(self) -> dict[str, Any]:
        """Return the JSON values that make two results of this analysis interchangeable."""

    def describe(self) -> str:
        """Return how its numbers were found, for people."""

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return its tables, sorted, the same whatever the order of the inputs."""
