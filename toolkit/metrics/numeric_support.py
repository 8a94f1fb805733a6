"""Numbers of an answer that its input lacks, and directions that it changed, by rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from toolkit.metrics.base import ScoreDefinition, Text, Value, check_pairs, write_signature
from toolkit.quantities.direction_support import compare_directions
from toolkit.quantities.find import find_quantities
from toolkit.quantities.support import evidence_of

__all__ = ["NumericSupport", "NumericSupportParams"]

_SHOWN: Final = 5
"""How many findings a note names; it counts the others."""
_SHOWN_LENGTH: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericSupportParams:
    """Parameters of numeric support.

    Attributes:
        tolerance: relative difference between two numbers that is let pass, on top of rounding.
    """

    tolerance: float = field(default=0.0, metadata={"about": "relative difference", "minimum": 0})


class NumericSupport:
    """Shares of an output's quantities and directions that the input bears out, each in 0-1.

    ``numeric_support`` is the share of the quantities that the input supports;
    ``direction_support`` the share of the statements of direction that the input does not
    contradict, among those whose outcome it states a direction of. The notes name what failed.
    An output without numbers has no score, and so on: silence is neither right nor wrong here.
    """

    name: ClassVar[str] = "numeric_support"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = NumericSupportParams
    reads: ClassVar[tuple[Text, ...]] = ("output", "input")

    def __init__(self, params: NumericSupportParams) -> None:
        self.params = params

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return numeric_support and direction_support."""
        return (
            ScoreDefinition(name="numeric_support", title="Numeric support"),
            ScoreDefinition(name="direction_support", title="Direction support"),
        )

    def signature(self) -> str:
        """Return what the numbers depend on."""
        return write_signature(self.name, self._parts())

    def fingerprint(self) -> dict[str, Any]:
        """Return the parameters and the version."""
        return {"metric": self.name, **self._parts()}

    def _parts(self) -> dict[str, Any]:
        return {"tolerance": self.params.tolerance, "version": self.version}

    def score(
        self, predictions: Sequence[str], references: Sequence[str], inputs: Sequence[str]
    ) -> dict[str, list[Value]]:
        """Score rows of text; see :class:`toolkit.metrics.base.InputMetric`.

        Args:
            predictions: n generated texts.
            references: n texts that are not read.
            inputs: n texts that the model was shown.

        Raises:
            TypeError: a row is not a string.
            ValueError: the lengths differ.
        """
        check_pairs(predictions, references)
        check_pairs(predictions, inputs)
        numbers: list[Value] = []
        directions: list[Value] = []
        for output, input in zip(predictions, inputs, strict=True):
            numbers.append(self._numbers(output, input))
            directions.append(self._directions(output, input))
        return {"numeric_support": numbers, "direction_support": directions}

    def _numbers(self, output: str, input: str) -> Value:
        missing = _missing(output, input)
        if missing is not None:
            return missing
        found = find_quantities(output)
        if not found:
            return Value(None, reason="no numbers in the output")
        evidence = evidence_of(input)
        failed = [one for one in found if not evidence.supports(one, self.params.tolerance)]
        share = 1 - len(failed) / len(found)
        return Value(share, note=_note("numbers unsupported", output, failed, len(found)))

    def _directions(self, output: str, input: str) -> Value:
        missing = _missing(output, input)
        if missing is not None:
            return missing
        directions = compare_directions(output, input)
        total = len(directions.agreeing) + len(directions.changed)
        if not total and directions.unmatched:
            return Value(None, reason="no direction of the output has its outcome in the input")
        if not total:
            return Value(None, reason="no directions in the output")
        share = len(directions.agreeing) / total
        return Value(share, note=_note("directions changed", output, directions.changed, total))


def _missing(output: str, input: str) -> Value | None:
    if not input or input.isspace():
        return Value(None, reason="empty input")
    if not output or output.isspace():
        return Value(None, reason="empty prediction")
    return None


def _note(word: str, output: str, failed: Iterable[Any], total: int) -> str:
    """Name the first findings and count all; empty where nothing failed."""
    # A semicolon divides the notes of a value.
    shown = [" ".join(output[one.start : one.end].replace(";", ",").split()) for one in failed]
    if not shown:
        return ""
    texts = [
        text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…" for text in shown
    ]
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return f"{word} {len(texts)} of {total}: {', '.join(texts[:_SHOWN])}{more}"
