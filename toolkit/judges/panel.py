"""Several judges as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any, ClassVar, Final, Literal

from toolkit.judges.base import JudgeSource
from toolkit.metrics.base import ScoreDefinition, Value

__all__ = ["Panel", "PanelParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelParams:
    """Several judges as one."""

    judges: tuple[str, ...] = field(metadata={"about": "names of judges of the recipe"})
    reduce: Literal["mean", "median", "majority"] = field(
        default="mean", metadata={"about": "how their scores become one"}
    )
    minimum: int = field(
        default=1,
        metadata={"about": "fewest members that must have given a score", "minimum": 1},
    )


class Panel:
    """Reduces the scores that its members gave the same answer.

    A member without a score is left out and counted, never taken for 0; where too few are
    left there is no score.
    """

    name: ClassVar[str] = "panel"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = PanelParams
    source: ClassVar[JudgeSource] = "combines"

    def __init__(self, params: PanelParams, members: Mapping[str, Any] | None = None) -> None:
        """Keep the parameters.

        Args:
            params: the parameters.
            members: its member judges by name, in the order of ``params.judges``.
        """
        self.params = params
        self._members = dict(members or {})

    def score_names(self) -> tuple[str, ...]:
        """Return the scores that at least one member gives, in the order they come."""
        names = [name for judge in self._members.values() for name in judge.score_names()]
        return tuple(dict.fromkeys(names))

    def definitions(self, columns: Mapping[str, str]) -> tuple[ScoreDefinition, ...]:
        """Return what each score means: what it means to the first member that gives it."""
        found: dict[str, ScoreDefinition] = {}
        for judge in self._members.values():
            names = judge.score_names()
            own = judge.definitions({name: columns[name] for name in names})
            for definition in own:
                found.setdefault(definition.name, definition)
        return tuple(found.values())

    def fingerprint(self) -> dict[str, Any]:
        """Return how it reduces, and whose scores."""
        p = self.params
        return {
            "version": self.version,
            "judges": list(p.judges),
            "reduce": p.reduce,
            "minimum": p.minimum,
        }

    def reduce(self, values: Sequence[Value]) -> Value:
        """Return one score of the members' scores of one answer.

        Raises:
            ValueError: there are no values at all.
        """
        if not values:
            raise ValueError("a panel without members")
        known = [value.value for value in values if value.value is not None]
        if len(known) < self.params.minimum:
            first = next((value.reason for value in values if value.value is None), "")
            why = f"{len(known)} of {len(values)} judges gave a score"
            return Value(None, reason=f"{why}; {first}" if first else why)
        note = f"{len(known)} of {len(values)} judges" if len(known) < len(values) else ""
        value = _REDUCE[self.params.reduce](known)
        if value is None:
            return Value(None, reason="no majority among the judges")
        return Value(value, note=note)


def _majority(values: Sequence[float]) -> float | None:
    """Return the value more than half of the judges gave, or None."""
    value, count = Counter(values).most_common(1)[0]
    return value if 2 * count > len(values) else None


_REDUCE: Final[Mapping[str, Callable[[Sequence[float]], float | None]]] = {
    "mean": fmean,
    "median": median,
    "majority": _majority,
}
