"""Whether an output carries the edits of its input: a second measure, without any judge."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from toolkit.metrics.base import (
    EMPTY_PREDICTION,
    ScoreDefinition,
    Text,
    Value,
    check_pairs,
    write_signature,
)
from toolkit.perturb.named_edits import SUBSTITUTED, stands_in, words_of

__all__ = ["EditMisses", "EditMissesParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditMissesParams:
    """Share of the substitutions of an input whose replacement stands in the output.

    Attributes:
        inflections: other forms of a word count too.
    """

    inflections: bool = field(default=True, metadata={"about": "match inflected forms too"})


class EditMisses:
    """Share of the substituted terms and sizes that stand in the output, in 0-1.

    Terms count as whole words, sizes as written, whatever the spaces. What was removed has no
    replacement and takes no part: a text that was edited by removal alone, or not at all, has no
    score. A paraphrase counts as missing, so this is a lower bound of what was carried.
    """

    name: ClassVar[str] = "edit_misses"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = EditMissesParams
    reads: ClassVar[tuple[Text, ...]] = ("output", "input")
    input_column: ClassVar[str] = "edits"
    """The item's column that stands for the input: a JSON list of edits."""

    def __init__(self, params: EditMissesParams) -> None:
        self.params = params

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return edits_carried."""
        return (ScoreDefinition(name="edits_carried", title="Edits carried"),)

    def signature(self) -> str:
        """Return what the numbers depend on."""
        return write_signature(self.name, self._parts())

    def fingerprint(self) -> dict[str, Any]:
        """Return the parameters and the version."""
        return {"metric": self.name, **self._parts()}

    def _parts(self) -> dict[str, Any]:
        return {"inflections": self.params.inflections, "version": self.version}

    def score(
        self, predictions: Sequence[str], references: Sequence[str], inputs: Sequence[str]
    ) -> dict[str, list[Value]]:
        """Score rows of text; see :class:`toolkit.metrics.base.InputMetric`.

        Args:
            predictions: n generated texts.
            references: n texts that are not read.
            inputs: n lists of edits as JSON: objects with ``kind`` and ``replacement``.

        Raises:
            TypeError: a row is not a string.
            ValueError: the lengths differ.
        """
        check_pairs(predictions, references)
        check_pairs(predictions, inputs)
        rows = zip(predictions, inputs, strict=True)
        return {"edits_carried": [self._carried(output, edits) for output, edits in rows]}

    def _carried(self, output: str, edits: str) -> Value:
        try:
            put = list(_replacements(edits))
        except (ValueError, TypeError, KeyError):
            return Value(None, reason="the input is no JSON list of edits")
        if not put:
            return Value(None, reason="not edited by substitution")
        if not output or output.isspace():
            return EMPTY_PREDICTION
        words = words_of(output)
        lacking = sum(
            not stands_in(term, words, inflections=self.params.inflections) for term in put
        )
        note = f"edits absent {lacking} of {len(put)}" if lacking else ""
        return Value(1 - lacking / len(put), note=note)


def _replacements(edits: str) -> Iterator[str]:
    """Yield what was put in the place of something.

    Raises:
        ValueError: the text is no JSON.
        TypeError: it is no list of objects.
        KeyError: one of them lacks its kind or its replacement.
    """
    found = json.loads(edits)
    if not isinstance(found, list):
        raise TypeError(edits)
    for edit in found:
        if edit["kind"] in SUBSTITUTED:
            if not isinstance(edit["replacement"], str):
                raise TypeError(edit)
            yield edit["replacement"]
