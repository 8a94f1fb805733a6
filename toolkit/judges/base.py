"""What a judge is: something that emits scores on an answer.

Kinds of judge differ in where their scores come from. One that *asks* a model hands out a
dialogue for each answer (``llm``). One that *reads* looks its scores up (``human``). ``panel``
makes several judges one, ``nli`` looks at pairs of texts, ``pairwise`` at pairs of answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from toolkit.ask.dialogue import Dialogue
from toolkit.judges.score import Score
from toolkit.metrics.base import ScoreDefinition, Value
from toolkit.models.base import Answer

__all__ = ["SCORED", "AskingJudge", "Judge", "JudgeSource", "Target"]

SCORED = ("ok", "repaired", "truncated")
"""Statuses of an answer that is judged; any other answer has no score, its status is why."""

JudgeSource = Literal["asks", "reads", "combines", "entails", "compares"]


@dataclass(frozen=True, slots=True)
class Target:
    """An answer that is judged.

    Attributes:
        item: the item's columns.
        answer: the row of the generations table.
        reference: the reference text, None where the item has none.
    """

    item: Mapping[str, Any]
    answer: Mapping[str, Any]
    reference: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def output(self) -> str | None:
        """The text that is judged; None where there is none."""
        text = self.answer["answer"]
        return text if self.answer["status"] in SCORED else None

    @property
    def missing(self) -> str:
        """Why there is nothing to judge; empty where there is."""
        if self.output is not None:
            return ""
        return f"answer {self.answer['status']}"


@runtime_checkable
class Judge(Protocol):
    """What every kind of judge says about itself.

    Attributes:
        name: name of the member.
        version: raised by hand when its scores change for the same inputs.
        Params: its frozen dataclass of parameters.
        source: where its scores come from.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    Params: ClassVar[type]
    source: ClassVar[JudgeSource]

    def __init__(self, params: Any) -> None: ...

    def score_names(self) -> tuple[str, ...]:
        """Return the names of its scores, in the order of the recipe."""

    def definitions(self, columns: Mapping[str, str]) -> tuple[ScoreDefinition, ...]:
        """Return what each score means.

        Args:
            columns: the name under which each of its scores stands in the scores table.
        """

    def fingerprint(self) -> dict[str, Any]:
        """Return the JSON values, prompts by their text, that can change a score."""


@runtime_checkable
class AskingJudge(Judge, Protocol):
    """A judge that asks a model about each answer."""

    @property
    def rubric(self) -> Mapping[str, Score]:
        """Its scores by name."""

    def dialogue(self, target: Target, repeat: int) -> Dialogue:
        """Return the questions about an answer.

        Args:
            target: an answer whose :attr:`Target.missing` is empty.
            repeat: 0-based repeat of the judgement.
        """

    def values(self, answers: Mapping[str, Answer]) -> dict[str, Value]:
        """Return each score of a finished dialogue; a value or the reason why there is none."""

    def mean(self, repeats: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
        """Return each score over the repeats of one judgement."""
