"""Several judges as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    version: ClassVar[int] = 2
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
        """Return the scores that all members give, in the order of the first."""
        given = [judge.score_names() for judge in self._members.values()]
        return (
            tuple(name for name in given[0] if all(name in own for own in given)) if given else ()
        )

    def definitions(self, columns: Mapping[str, str]) -> tuple[ScoreDefinition, ...]:
        """Return what each score means: the same to all members, see ``toolkit check``."""
        first = next(iter(self._members.values()))
        own = first.definitions({name: name for name in first.score_names()})
        meant = dict(zip(first.score_names(), own, strict=True))
        return tuple(
            replace(meant[name], name=columns[name], title=columns[name].replace("_", " "))
            for name in self.score_names()
        )

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

        Args:
            values: one for each member.

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
        value = _REDUCE[self.params.reduce](known, len(values))
        if value is None:
            return Value(None, reason="no majority among the judges")
        return Value(value, note=note)


def _majority(values: Sequence[float], judges: int) -> float | None:
    """Return the value more than half of all judges gave, or None."""
    value, count = Counter(values).most_common(1)[0]
    return value if 2 * count > judges else None


_REDUCE: Final[Mapping[str, Callable[[Sequence[float], int], float | None]]] = {
    "mean": lambda values, judges: fmean(values),
    "median": lambda values, judges: median(values),
    "majority": _majority,
}
