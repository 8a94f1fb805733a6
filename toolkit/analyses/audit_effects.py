"""How one score reacts: to edits, to rewrites, to itself, to length and to position.

A *fall* is the mean score of a reference's copies minus the score of a probe of it, counted
towards the worse end and in per cent of the score's range. A fall is a *reaction* when it is
larger than both a least share of the range and what the judge's own wavering explains: with the
retest standard deviation s and R copies, 1.96 s sqrt(1 + 1/R), the smallest detectable change
(Bland and Altman 1999, doi:10.1177/096228029900800204; Weir 2005, doi:10.1519/15184.1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolkit.analyses.audit_values import AuditValues
from toolkit.statistics.bootstrap import bound_without_variation, generator, mean_interval
from toolkit.statistics.clustered_shares import Share, area_under_curve, clustered_share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["AuditEffects", "Effect", "Retest"]

_DETECTABLE: Final = 1.959963984540054
_ROUNDING: Final = 1e-9
_CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True)
class Effect:
    """A mean with its interval over references.

    Attributes:
        mean: None of no rows.
        low: lower end of the 95 % interval; None where there is none.
        high: upper end.
        n: rows with a value.
    """

    mean: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0


@dataclass(frozen=True, slots=True)
class Retest:
    """How far judgements of the same text lie apart.

    Attributes:
        sd: standard deviation within a text, in units of the score; None without repeats.
        low: lower end of its interval; None where there is none.
        high: upper end.
        n: texts judged more than once.
    """

    sd: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0


class AuditEffects:
    """The effects of one score of one judge."""

    def __init__(
        self,
        values: AuditValues,
        *,
        span: float,
        lower_is_better: bool,
        least: float,
        resamples: int,
        seed: int,
        names: tuple[str, ...],
    ) -> None:
        """Take the rows.

        Args:
            values: the rows of the score.
            span: highest minus lowest possible score.
            lower_is_better: whether a rise is a fall.
            least: least fall that counts, as a share of the span.
            resamples: resamples of each bootstrap interval.
            seed: the recipe's seed.
            names: judge and score: what the random numbers hang on.
        """
        self.rows = values
        self._span = span
        self._sign = -1.0 if lower_is_better else 1.0
        self._resamples = resamples
        self._seed = seed
        self._names = names
        self.retest = self._retest()
        self.threshold = self._threshold(least, self.retest.sd)
        self._thresholds = (
            self._threshold(least, self.retest.low),
            self._threshold(least, self.retest.high),
        )

    def constant(self) -> bool:
        """Return whether every text got the same value, over at least two judgements."""
        import numpy as np

        known = self.rows.values[np.isfinite(self.rows.values)]
        return len(known) > 1 and float(np.ptp(known)) == 0.0

    def unmoved(self, asked: NDArray[np.bool_]) -> bool:
        """Return whether each of the chosen rows has exactly the score of its copies."""
        import numpy as np

        fall = self.falls(asked)
        known = fall[np.isfinite(fall)]
        return len(known) > 0 and float(np.abs(known).max()) <= _ROUNDING

    def falls(self, asked: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the fall of each chosen row, in per cent of the range; NaN where it has none."""
        fall: NDArray[np.float64] = (
            self._sign * 100.0 * (self.rows.anchors[asked] - self.rows.values[asked]) / self._span
        )
        return fall

    def chosen(self, probe: str, kinds: Iterable[str]) -> NDArray[np.bool_]:
        """Return which rows are the first judgement of a probe of these kinds."""
        import numpy as np

        return self.rows.where(probe) & np.isin(self.rows.kinds, sorted(kinds))

    def reactions(self, asked: NDArray[np.bool_]) -> Share:
        """Return the share of the chosen rows that react, over those with a value.

        The threshold is estimated where the judge wavers. What the share would be at both ends of
        the retest interval widens its own interval, as a normal error of that size would.
        """
        import numpy as np

        fall = self.falls(asked)
        known = np.isfinite(fall)
        points = fall[known] * self._span / 100.0 - _ROUNDING * self._span
        error = 0.0
        if len(points) and self.retest.low is not None:
            low, high = (float((points > threshold).mean()) for threshold in self._thresholds)
            error = (low - high) / (2 * _DETECTABLE)
        return clustered_share(
            points > self.threshold, self.rows.items[asked][known], further=error**2
        )

    def strength(self, asked: NDArray[np.bool_], name: str) -> Effect:
        """Return the mean fall of the chosen rows, in per cent of the range."""
        return self._mean(self.falls(asked), self.rows.items[asked], name)

    def discrimination(self, edits: NDArray[np.bool_], rewrites: NDArray[np.bool_]) -> Share:
        """Return the chance that an edit falls further than a rewrite, ties counting half."""
        import numpy as np

        one, other = self.falls(edits), self.falls(rewrites)
        first, second = np.isfinite(one), np.isfinite(other)
        # Sums and differences that are equal on paper must tie.
        return area_under_curve(
            np.round(one[first], 9),
            np.round(other[second], 9),
            self.rows.items[edits][first],
            self.rows.items[rewrites][second],
        )

    def verbosity(self) -> Effect:
        """Return the mean change through sentences that claim nothing, towards the better end."""
        asked = self.rows.where("padded")
        return self._mean(-self.falls(asked), self.rows.items[asked], "verbosity")

    def position(self) -> Effect:
        """Return the mean change when reference and edited text change places."""
        import numpy as np

        rows = self.rows
        asked = rows.where("swapped")
        straight = rows.where("edit", first=False) & np.isfinite(rows.values)
        change = np.full(int(asked.sum()), np.nan)
        for at, row in enumerate(np.flatnonzero(asked)):
            same = straight & (rows.items == rows.items[row]) & (rows.kinds == rows.kinds[row])
            if same.any():
                change[at] = rows.values[row] - rows.values[same].mean()
        change *= self._sign * 100.0 / self._span
        return self._mean(change, rows.items[asked], "position")

    def _retest(self) -> Retest:
        import numpy as np

        rows = self.rows
        known = np.flatnonzero(np.isfinite(rows.values) & np.isin(rows.probes, ["copy", "edit"]))
        texts = np.char.add(np.char.add(rows.items[known].astype(str), " "), rows.kinds[known])
        names, at, sizes = np.unique(texts, return_inverse=True, return_counts=True)
        values = rows.values[known]
        middle = np.bincount(at, weights=values, minlength=len(names)) / np.maximum(sizes, 1)
        squares = np.bincount(at, weights=(values - middle[at]) ** 2, minlength=len(names))
        twice = sizes > 1
        if not twice.any():
            return Retest(None)
        owner = np.zeros(len(names), np.int64)
        owner[at] = rows.items[known]
        groups, member = np.unique(owner[twice], return_inverse=True)
        sums = np.bincount(member, weights=squares[twice])
        freedom = np.bincount(member, weights=sizes[twice] - 1.0).astype(np.int64)
        sd = math.sqrt(float(sums.sum()) / float(freedom.sum()))
        n = int(twice.sum())
        if sd <= _ROUNDING * self._span or len(groups) < 2:
            return Retest(0.0 if sd <= _ROUNDING * self._span else sd, n=n)
        found = mean_interval(
            sums.astype(np.float64), freedom, self._generator("retest"),
            resamples=self._resamples, confidence=_CONFIDENCE, method="expanded",
        )  # fmt: skip
        low, high = found.low, found.high
        return Retest(sd, _root(low), _root(high), n)

    def _threshold(self, least: float, sd: float | None) -> float:
        copies = self.rows.where("copy", first=False)
        if sd is None or not copies.any():
            return least * self._span
        count = int(self.rows.repeats[copies].max()) + 1
        return max(least * self._span, _DETECTABLE * sd * math.sqrt(1.0 + 1.0 / count))

    def _mean(self, values: NDArray[np.float64], items: NDArray[np.int64], name: str) -> Effect:
        """Return a mean in per cent of the range, references resampled."""
        import numpy as np

        known = np.isfinite(values)
        values, items = values[known], items[known]
        if not len(values):
            return Effect(None)
        groups, at = np.unique(items, return_inverse=True)
        mean, n = float(values.mean()), len(values)
        if np.ptp(values) <= _ROUNDING:
            found = bound_without_variation(
                mean, len(groups), low=-100.0, high=100.0, confidence=_CONFIDENCE
            )
        else:
            sums = np.bincount(at, weights=values).astype(np.float64)
            found = mean_interval(
                sums, np.bincount(at), self._generator(name),
                resamples=self._resamples, confidence=_CONFIDENCE, method="expanded",
            )  # fmt: skip
        return Effect(mean, found.low, found.high, n)

    def _generator(self, name: str) -> np.random.Generator:
        return generator(self._seed, "judge_audit", *self._names, name)


def _root(variance: float | None) -> float | None:
    return None if variance is None else math.sqrt(max(0.0, variance))
