"""How a text is written, whatever it says: clauses, vocabulary, reading ease."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Final

from toolkit.metrics.base import ScoreDefinition, Text, Value, check_pairs, write_signature
from toolkit.metrics.finite_verbs import finite_verbs, tagger_name
from toolkit.metrics.syllables import syllables_name
from toolkit.metrics.text_counts import (
    NO_WORDS,
    check_named_once,
    column,
    latin_words,
    reading_ease,
    suffixed,
)
from toolkit.sentences import segmenter_name, split_sentences

__all__ = ["Linguistic", "LinguisticParams", "word_entropy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinguisticParams:
    """Parameters of the linguistic measures.

    Attributes:
        on: texts that are measured; each has four scores of its own.
    """

    on: tuple[Text, ...] = field(default=("output",), metadata={"about": "texts", "scalar": True})


class Linguistic:
    """Words per finite verb, word entropy, type-token ratio, Flesch reading ease.

    They describe a text and compare it with nothing, so there is no better direction. Entropy
    and type-token ratio depend on length: read them beside texts of about the same length.

    Words per finite verb (the paper's "density") rests on rules over a lexicon, see
    :mod:`toolkit.metrics.finite_verbs` for how often they err. A blank text, and one without a
    word in Latin letters, has no scores; one without a finite verb has no words per verb.

    Entropy: Shannon, C. E. (1948), doi:10.1002/j.1538-7305.1948.tb01338.x, over word types.
    """

    name: ClassVar[str] = "linguistic"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = LinguisticParams

    def __init__(self, params: LinguisticParams) -> None:
        check_named_once(self.name, "on", params.on)
        self.params = params

    @property
    def reads(self) -> tuple[Text, ...]:
        """The texts that are measured."""
        return self.params.on

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return four scores a text; those of the reference and the input say so at the end."""
        return tuple(
            ScoreDefinition(
                name=suffixed(name, text),
                title=title if text == "output" else f"{title}, {text}",
                low=low,
                high=high,
                direction="none",
                digits=digits,
            )
            for text in self.params.on
            for name, title, low, high, digits in _SCORES
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
            "tagger": tagger_name(),
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
            texts = column(kind, predictions, references, inputs)
            rows = [_measured(text, kind) for text in texts]
            for place, (name, *_) in enumerate(_SCORES):
                scores[suffixed(name, kind)] = [row[place] for row in rows]
        return scores


_SCORES: Final = (
    ("words_per_verb", "Words per finite verb", 1.0, None, 2),
    ("word_entropy", "Word entropy (bits)", 0.0, None, 2),
    ("type_token_ratio", "Type-token ratio", 0.0, 1.0, 3),
    ("reading_ease", "Flesch reading ease", None, None, 1),
)

# Longer texts are measured again rather than kept, which bounds the cache's memory.
_CACHED_CHARACTERS: Final = 4000

_Row = tuple[Value, ...]


def word_entropy(words: Sequence[str]) -> float:
    """Return the entropy in bits of the words of a text: 0 where there is one type alone."""
    counts = Counter(words)
    shares = (count / len(words) for count in counts.values())
    # A sum of -p log p that is a hair below zero would print as -0.
    return max(math.fsum(-share * math.log2(share) for share in shares), 0.0)


def _measured(text: str, kind: Text) -> _Row:
    if not text or text.isspace():
        return (Value(None, reason=_EMPTY[kind]),) * len(_SCORES)
    return _short(text) if len(text) <= _CACHED_CHARACTERS else _measure(text)


_EMPTY: Final[dict[Text, str]] = {
    "output": "empty prediction",
    "reference": "empty reference",
    "input": "empty input",
}


@lru_cache(maxsize=2048)
def _short(text: str) -> _Row:
    # References and inputs return once for each model and prompt.
    return _measure(text)


def _measure(text: str) -> _Row:
    words = latin_words(text)
    if not words:
        return (Value(None, reason=NO_WORDS),) * len(_SCORES)
    sentences = split_sentences(text)
    verbs = sum(len(finite_verbs(sentence)) for sentence in sentences)
    return (
        Value(len(words) / verbs) if verbs else Value(None, reason="no finite verb"),
        Value(word_entropy(words)),
        Value(len(set(words)) / len(words)),
        Value(reading_ease(words, len(sentences))),
    )
