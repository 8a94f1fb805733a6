"""A metric whose scores have names of their own, so that it may be used twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import NoneType
from typing import Any, ClassVar, cast

from toolkit.metrics.base import InputMetric, Metric, ScoreDefinition, Text, Value

__all__ = ["SuffixedMetric"]


@dataclass(frozen=True, slots=True)
class SuffixedMetric:
    """A metric under another name; its numbers and signature stay what they are.

    Attributes:
        metric: the metric.
        suffix: what its name and those of its scores end with, after a dot.
    """

    version: ClassVar[int] = 1
    Params: ClassVar[type] = NoneType

    metric: Metric
    suffix: str

    @property
    def name(self) -> str:
        """The metric's name and the suffix."""
        return f"{self.metric.name}.{self.suffix}"

    @property
    def reads(self) -> tuple[Text, ...]:
        """The texts it looks at."""
        return self.metric.reads

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return what each column holds."""
        return tuple(
            replace(
                definition,
                name=f"{definition.name}.{self.suffix}",
                title=f"{definition.title} ({self.suffix})",
            )
            for definition in self.metric.definitions()
        )

    def signature(self) -> str:
        """Return the metric's signature: a name changes no number."""
        return self.metric.signature()

    def fingerprint(self) -> dict[str, Any]:
        """Return the metric's values, its version, and the suffix, which names columns."""
        return {
            **self.metric.fingerprint(),
            "version": self.metric.version,
            "suffix": self.suffix,
        }

    def score(
        self,
        predictions: Sequence[str],
        references: Sequence[str],
        inputs: Sequence[str] | None = None,
    ) -> dict[str, list[Value]]:
        """Score rows of text as the metric does.

        Args:
            predictions: n generated texts.
            references: n reference texts.
            inputs: n texts that the model was shown, for a metric that reads them.
        """
        if inputs is None:
            scored = self.metric.score(predictions, references)
        else:
            scored = cast(InputMetric, self.metric).score(predictions, references, inputs)
        return {f"{name}.{self.suffix}": values for name, values in scored.items()}
