"""Reading ease and school grade of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from toolkit.metrics.base import (
    Direction,
    ScoreDefinition,
    Text,
    Value,
    check_pairs,
    write_signature,
)
from toolkit.metrics.syllables import syllables_name
from toolkit.metrics.text_counts import (
    NO_WORDS,
    check_named_once,
    column,
    latin_words,
    reading_ease,
    school_grade,
    suffixed,
)
from toolkit.sentences import n_sentences, segmenter_name

__all__ = ["Readability", "ReadabilityParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadabilityParams:
    """Parameters of readability.

    Attributes:
        on: texts that are measured; each has two scores of its own.
    """

    on: tuple[Text, ...] = field(default=("output",), metadata={"about": "texts", "scalar": True})


class Readability:
    """Flesch reading ease and Flesch-Kincaid school grade.

    Higher ease and a lower grade are easier. Both formulas were made for whole passages of
    English prose: the values of a single line swing widely. A blank text, and one without a
    word in Latin letters, has no scores.
    """

    name: ClassVar[str] = "readability"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = ReadabilityParams

    def __init__(self, params: ReadabilityParams) -> None:
        check_named_once(self.name, "on", params.on)
        self.params = params

    @property
    def reads(self) -> tuple[Text, ...]:
        """The texts that are measured."""
        return self.params.on

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return two scores a text; those of the reference and the input say so at the end."""
        return tuple(
            ScoreDefinition(
                name=suffixed(name, text),
                title=title if text == "output" else f"{title}, {text}",
                low=None,
                high=None,
                direction=direction,
                digits=1,
            )
            for text in self.params.on
            for name, title, direction in _SCORES
        )

    def signature(self) -> str:
        """Return what the numbers depend on."""
        return write_signature(self.name, self._parts())

    def fingerprint(self) -> dict[str, Any]:
        """Return the parameters and the version."""
        return {"metric": self.name, **self._parts()}

    def _parts(self) -> dict[str, Any]:
        return {
            "on": "+".join(self.params.on),
            "words": "latin",
            "syllables": syllables_name(),
            "segmenter": segmenter_name(),
            "version": self.version,
        }

    def score(
        self,
        predictions: Sequence[str],
        references: Sequence[str],
        inputs: Sequence[str] | None = None,
    ) -> dict[str, list[Value]]:
        """Score rows of text; see :class:`toolkit.metrics.base.Metric`.

        Raises:
            TypeError: a row is not a string.
            ValueError: the lengths differ.
        """
        check_pairs(predictions, references)
        scores: dict[str, list[Value]] = {}
        for kind in self.params.on:
            rows = [_measure(text, kind) for text in column(kind, predictions, references, inputs)]
            for place, (name, *_) in enumerate(_SCORES):
                scores[suffixed(name, kind)] = [row[place] for row in rows]
        return scores


_SCORES: Final[tuple[tuple[str, str, Direction], ...]] = (
    ("reading_ease", "Flesch reading ease", "higher"),
    ("school_grade", "Flesch-Kincaid grade", "lower"),
)


def _measure(text: str, kind: Text) -> tuple[Value, Value]:
    words = latin_words(text)
    if not words:
        blank = not text or text.isspace()
        reason = f"empty {'prediction' if kind == 'output' else kind}" if blank else NO_WORDS
        return Value(None, reason=reason), Value(None, reason=reason)
    sentences = n_sentences(text)
    return Value(reading_ease(words, sentences)), Value(school_grade(words, sentences))
