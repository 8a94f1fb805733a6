"""Jaccard similarity of keyword lists, by whole phrases or by single words.

Jaccard, P. (1912), "The distribution of the flora in the alpine zone",
doi:10.1111/j.1469-8137.1912.tb05611.x.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal

from toolkit.metrics.base import (
    ScoreDefinition,
    Text,
    Value,
    check_pairs,
    shortcut,
    write_signature,
)
from toolkit.metrics.text_counts import check_named_once
from toolkit.sentences import split_words

__all__ = ["Keywords", "KeywordsParams"]

Unit = Literal["word", "phrase"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordsParams:
    """Parameters of the keyword overlap.

    Attributes:
        unit: ``phrase`` compares the items of comma-separated lists, ``word`` the words of any
            two texts; both gives a score each.
    """

    unit: tuple[Unit, ...] = field(
        default=("phrase",), metadata={"about": "what is compared", "scalar": True}
    )


class Keywords:
    """Shared items over all items, 0-1, without regard to case, order and repetition.

    A list column counts as its items joined by commas, so a comma inside an item cuts it on
    both sides alike. A blank reference gives no score; a blank prediction scores 0.
    """

    name: ClassVar[str] = "keywords"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = KeywordsParams
    reads: ClassVar[tuple[Text, ...]] = ("output", "reference")

    def __init__(self, params: KeywordsParams) -> None:
        check_named_once(self.name, "unit", params.unit)
        self.params = params

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return jaccard_word, jaccard_phrase or both."""
        return tuple(
            ScoreDefinition(name=f"jaccard_{unit}", title=f"Jaccard ({unit}s)")
            for unit in self.params.unit
        )

    def signature(self) -> str:
        """Return what the numbers depend on."""
        return write_signature(self.name, self._parts())

    def fingerprint(self) -> dict[str, Any]:
        """Return the parameters and the version."""
        return {"metric": self.name, **self._parts()}

    def _parts(self) -> dict[str, Any]:
        return {
            "unit": "+".join(self.params.unit),
            "words": "unicode-joined",
            "case": "folded",
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
        return {
            f"jaccard_{unit}": [
                _row(unit, *row) for row in zip(predictions, references, strict=True)
            ]
            for unit in self.params.unit
        }


def _row(unit: Unit, prediction: str, reference: str) -> Value:
    decided = shortcut(prediction, reference)
    if decided is not None:
        return decided
    items = _ITEMS[unit]
    left, right = items(prediction), items(reference)
    if not right:
        return Value(None, reason=f"no {unit}s in the reference")
    return Value(len(left & right) / len(left | right))


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in split_words(text))


def _phrases(text: str) -> frozenset[str]:
    items = (" ".join(item.casefold().split()) for item in text.split(","))
    return frozenset(item for item in items if item)


_ITEMS: Final[dict[Unit, Callable[[str], frozenset[str]]]] = {"word": _words, "phrase": _phrases}
