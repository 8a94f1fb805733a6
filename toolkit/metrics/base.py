"""What a metric is: named scores of a prediction against a reference, with a signature."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Protocol, cast, runtime_checkable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "EMPTY_PREDICTION",
    "EMPTY_REFERENCE",
    "Direction",
    "FittedMetric",
    "InputMetric",
    "Metric",
    "Profile",
    "ScoreDefinition",
    "Text",
    "Value",
    "call_metric",
    "check_pairs",
    "shortcut",
    "write_signature",
]

Direction = Literal["higher", "lower", "target", "none"]
Profile = Literal["default", "paper"]
Text = Literal["output", "reference", "input"]
"""What a metric may look at: an answer, what it is compared with, and what the model was shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreDefinition:
    """What one number means.

    Attributes:
        name: the column it is stored under, e.g. ``rouge1``.
        title: how people call it, e.g. ``ROUGE-1 F``.
        low: smallest possible value, or None when unbounded.
        high: largest possible value, or None when unbounded.
        direction: which way is better; ``target`` ranks by closeness to ``target``.
        target: the best value where direction is ``target``, else None.
        digits: decimals worth printing.
    """

    name: str
    title: str
    low: float | None = 0.0
    high: float | None = 1.0
    direction: Direction = "higher"
    target: float | None = None
    digits: int = 3

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """Smallest and largest possible value."""
        return self.low, self.high


@dataclass(frozen=True, slots=True)
class Value:
    """One score of one row.

    Attributes:
        value: the number, or None when there is none; never NaN and never infinite.
        reason: why there is no number, e.g. ``empty reference``; empty when there is one.
        note: what a reader has to know about a number that there is, e.g. how many tokens
            of the text were cut off before it was computed; mostly empty.
    """

    value: float | None
    reason: str = ""
    note: str = ""


EMPTY_REFERENCE: Final = Value(None, reason="empty reference")
"""The score of any text against nothing: undefined."""

EMPTY_PREDICTION: Final = Value(0.0, note="empty prediction")
"""The score of nothing against a real reference: zero, so silence is never free."""


@runtime_checkable
class Metric(Protocol):
    """A metric: built from its frozen parameters dataclass, then called on rows of text.

    Instances are cheap and picklable; models and tables load on the first call to
    :meth:`score` in a process and are kept for the process's life.

    One that reads the input is an :class:`InputMetric`.
    """

    version: ClassVar[int]
    Params: ClassVar[type]

    @property
    def name(self) -> str:
        """The name of the metric."""

    @property
    def reads(self) -> tuple[Text, ...]:
        """The texts it looks at; a row that lacks one of them has no score, and why."""

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return what each column holds, in the order of the columns."""

    def signature(self) -> str:
        """Return ``key:value|key:value`` naming all that can change the numbers."""

    def fingerprint(self) -> dict[str, Any]:
        """Return the JSON values that make two results of this metric interchangeable."""

    def score(
        self, predictions: Sequence[str], references: Sequence[str]
    ) -> dict[str, list[Value]]:
        """Score rows of text.

        Args:
            predictions: n generated texts.
            references: n reference texts, in the same order.

        Returns:
            For each definition's name, n values in the order of the rows.

        Raises:
            ValueError: the two lengths differ.
        """


@runtime_checkable
class InputMetric(Protocol):
    """A metric whose ``reads`` holds ``input``; all else is as in :class:`Metric`."""

    def score(
        self, predictions: Sequence[str], references: Sequence[str], inputs: Sequence[str]
    ) -> dict[str, list[Value]]:
        """Score rows of text; see :meth:`Metric.score`.

        Args:
            predictions: n generated texts.
            references: n reference texts; empty where the metric does not read them.
            inputs: n texts that the model was shown.
        """


@runtime_checkable
class FittedMetric(Protocol):
    """A metric whose numbers depend on a whole column too, such as document frequencies.

    A run fits it once a step, before any row is scored, over that column of all rows the step's
    answers were drawn from, answered or not: every model is scored with the same fit, however
    the rows are cut up for the workers. The table is kept with the scores. A metric that was not
    fitted takes the rows of each call of ``score`` for the column.
    """

    @property
    def fits(self) -> Text | None:
        """The column it is fitted on; None where its parameters need no fit."""

    def fit(self, batches: Iterable[Sequence[str]]) -> pa.Table:
        """Look at all texts of the column.

        Args:
            batches: the texts in runs of any length; memory must not grow with their number.

        Returns:
            A table that depends on the texts alone, not on their order or their runs.
        """

    def fitted(self, table: pa.Table) -> Metric:
        """Return the metric that scores with a table of :meth:`fit`."""


def call_metric(metric: Metric, texts: Mapping[Text, Sequence[str]]) -> dict[str, list[Value]]:
    """Score rows with a metric of either kind.

    Args:
        metric: the metric.
        texts: n outputs, n references and n inputs; empty texts where it does not read them.
    """
    if "input" in metric.reads:
        taker = cast(InputMetric, metric)
        return taker.score(texts["output"], texts["reference"], texts["input"])
    return metric.score(texts["output"], texts["reference"])


def check_pairs(predictions: Sequence[str], references: Sequence[str]) -> None:
    """Refuse rows that do not pair up.

    A lone string, or one list of references for each row, would be scored without complaint
    by a careless metric and give a wrong number, so both are refused.

    Raises:
        TypeError: one of the two is a string, or a row is not a string.
        ValueError: the two lengths differ.
    """
    for name, texts in (("predictions", predictions), ("references", references)):
        if isinstance(texts, str):
            raise TypeError(f"{name} is one string; give a list with one text for each row")
        for row, text in enumerate(texts):
            if not isinstance(text, str):
                raise TypeError(f"{name}[{row}] is {type(text).__name__}, not a string")
    if len(predictions) != len(references):
        raise ValueError(f"{len(predictions)} predictions but {len(references)} references")


def shortcut(prediction: str, reference: str) -> Value | None:
    """Return the score that a blank text alone decides, or None when both hold something.

    Blank means empty or white space only. The rule is the same for every metric: a blank
    reference leaves the score undefined, a blank prediction scores 0.
    """
    if not reference or reference.isspace():
        return EMPTY_REFERENCE
    if not prediction or prediction.isspace():
        return EMPTY_PREDICTION
    return None


def write_signature(name: str, parts: dict[str, Any]) -> str:
    """Write ``name|key:value|key:value`` in the order of ``parts``."""
    return "|".join([name, *(f"{key}:{value}" for key, value in parts.items())])
