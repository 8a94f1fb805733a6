"""Sentences of the prediction over sentences of the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from toolkit.metrics.base import (
    ScoreDefinition,
    Text,
    Value,
    check_pairs,
    shortcut,
    write_signature,
)
from toolkit.sentences import n_sentences, segmenter_name

__all__ = ["SentenceRatio", "SentenceRatioParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceRatioParams:
    """Parameters of the sentence ratio.

    Attributes:
        profile: ``paper`` cuts at every run of ``.``, ``!`` and ``?``, also inside ``0.05``
            and ``i.e.``; the default cuts where sentences end.
    """

    profile: Literal["default", "paper"] = field(
        default="default", metadata={"about": "paper cuts at every full stop, even in 0.05"}
    )


class SentenceRatio:
    """Length ratio in sentences: 1 is as many as in the reference, 2 twice as many.

    A reference without sentences gives no score; a blank prediction scores 0.
    """

    name: ClassVar[str] = "sentence_ratio"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = SentenceRatioParams
    reads: ClassVar[tuple[Text, ...]] = ("output", "reference")

    def __init__(self, params: SentenceRatioParams) -> None:
        self.params = params

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return sentence_ratio, best at 1."""
        return (
            ScoreDefinition(
                name="sentence_ratio",
                title="Sentence ratio",
                high=None,
                direction="target",
                target=1.0,
            ),
        )

    def signature(self) -> str:
        """Return what the numbers depend on."""
        return write_signature(self.name, self._parts())

    def fingerprint(self) -> dict[str, Any]:
        """Return the parameters and the version."""
        return {"metric": self.name, **self._parts()}

    def _parts(self) -> dict[str, Any]:
        return {
            "segmenter": segmenter_name(self.params.profile),
            "profile": self.params.profile,
            "version": self.version,
        }

    def score(
        self, predictions: Sequence[str], references: Sequence[str]
    ) -> dict[str, list[Value]]:
        """Score rows of text; see :class:`toolkit.metrics.base.Metric`.

        Raises:
            TypeError: a row is not a string.
            ValueError: the two lengths differ.
        """
        check_pairs(predictions, references)
        rows = zip(predictions, references, strict=True)
        return {"sentence_ratio": [self._row(*row) for row in rows]}

    def _row(self, prediction: str, reference: str) -> Value:
        decided = shortcut(prediction, reference)
        if decided is not None:
            return decided
        count = n_sentences(reference, self.params.profile)
        if not count:
            return Value(None, reason="no sentences in the reference")
        return Value(n_sentences(prediction, self.params.profile) / count)
