"""Words of the prediction over words of the reference."""

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
from toolkit.sentences import n_words

__all__ = ["WordRatio", "WordRatioParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordRatioParams:
    r"""Parameters of the word ratio.

    Attributes:
        profile: ``paper`` counts runs of ``\w``, so that ``0.05`` is two words; the default
            counts ``0.05``, ``IL-1β`` and ``follow-up`` as one.
    """

    profile: Literal["default", "paper"] = field(
        default="default", metadata={"about": "paper counts 0.05 as two words"}
    )


class WordRatio:
    """Length ratio in words: 1 is as long as the reference, 2 twice as long.

    A reference without words gives no score; a blank prediction scores 0.
    """

    name: ClassVar[str] = "word_ratio"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = WordRatioParams
    reads: ClassVar[tuple[Text, ...]] = ("output", "reference")

    def __init__(self, params: WordRatioParams) -> None:
        self.params = params

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return word_ratio, best at 1."""
        return (
            ScoreDefinition(
                name="word_ratio", title="Word ratio", high=None, direction="target", target=1.0
            ),
        )

    def signature(self) -> str:
        """Return what the numbers depend on."""
        return write_signature(self.name, self._parts())

    def fingerprint(self) -> dict[str, Any]:
        """Return the parameters and the version."""
        return {"metric": self.name, **self._parts()}

    def _parts(self) -> dict[str, Any]:
        words = {"default": "unicode-joined", "paper": "regex-w"}[self.params.profile]
        return {"words": words, "profile": self.params.profile, "version": self.version}

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
        return {"word_ratio": [self._row(*row) for row in rows]}

    def _row(self, prediction: str, reference: str) -> Value:
        decided = shortcut(prediction, reference)
        if decided is not None:
            return decided
        count = n_words(reference, self.params.profile)
        if not count:
            return Value(None, reason="no words in the reference")
        return Value(n_words(prediction, self.params.profile) / count)
