"""Which quantities of one text another text supports.

A number is supported by the same number; also by a longer one that rounds to it, by one in a unit
that converts, and by what implies it: n/N a percentage, a smaller p-value a larger bound.
A sum, a difference, a complement and any other result of arithmetic are not supported.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from toolkit.quantities.find import find_quantities
from toolkit.quantities.quantity import Comparator, Quantity
from toolkit.quantities.units import COUNT, FOLD, PERCENT, YEAR, Unit

__all__ = ["Evidence", "evidence_of", "unsupported"]

Dimension = tuple[tuple[str, ...], tuple[str, ...]]

_EXACT: Final = 1e-9
"""Relative difference that floats may show after a conversion."""
_CONVERTED: Final = 0.05
"""Largest relative difference that rounding may make between two units, e.g. months and years."""
_BEYOND: Final = 0.2
"""How far, as a share of it, a number may lie beyond the bound that it supports."""
_BEYOND_POINTS: Final = 10.0
_ABOUT: Final = 0.1
_ABOUT_FRACTION: Final = 5.0
_SMALL_SHARE: Final = 10
_SHARE_STEP: Final = 4.0
"""One in eight stands for all shares within two percentage points of it, as fractions do."""
_BOTH: Final = re.compile(r"\bboth\b", re.IGNORECASE)
_UNITLESS: Final[Dimension] = ((), ())


def unsupported(output: str, input: str, *, tolerance: float = 0.0) -> list[Quantity]:
    """Return the quantities of an output that its input does not support, in order.

    Args:
        output: a generated text; the positions are in it.
        input: what its author was shown.
        tolerance: relative difference that is let pass, 0 for none.
    """
    evidence = evidence_of(input)
    return [found for found in find_quantities(output) if not evidence.supports(found, tolerance)]


@lru_cache(maxsize=256)
def evidence_of(input: str) -> Evidence:
    """Return what the quantities of a text can support; the latest texts are remembered."""
    return Evidence(input)


@dataclass(frozen=True, slots=True, order=True)
class _Known:
    """A number of the input: in base units, as written, and whether it is a bound itself."""

    base: float
    written: float
    factor: float
    bound: bool


class Evidence:
    """The numbers of an input, sorted so that each look-up takes logarithmic time."""

    def __init__(self, input: str) -> None:
        self._by_dimension: dict[Dimension, list[_Known]] = {}
        self._written: list[_Known] = []
        self._shares: set[tuple[float, float]] = set()
        self._share_percents: list[_Known] = []
        self._ratios: set[tuple[float, ...]] = set()
        self._levels: dict[tuple[float, float], set[float | None]] = {}
        self._p_values: dict[Comparator, list[float]] = {}
        for quantity in find_quantities(input):
            self._take(quantity)
        if _BOTH.search(input):
            self._add(2.0, COUNT, bound=False)
        self._sort()

    def _take(self, quantity: Quantity) -> None:
        if quantity.kind == "p_value":
            self._p_values.setdefault(quantity.comparator, []).append(quantity.value)
            return
        if quantity.kind == "ratio" and len(quantity.values) > 1:
            self._ratios.add(quantity.values)
            return
        if quantity.kind == "share":
            n, total = quantity.values
            self._shares.add((n, total))
            percent = 100 * n / total
            self._share_percents.append(_Known(percent, percent, 1.0, False))
        if quantity.kind == "interval":
            low, high = quantity.values
            self._levels.setdefault((low, high), set()).add(quantity.level)
        bound = quantity.comparator not in ("", "=", "~")
        for value in (*quantity.values, *quantity.readings):
            self._add(value, quantity.unit, bound=bound)

    def _add(self, value: float, unit: Unit | None, *, bound: bool) -> None:
        if unit is None:
            known = _Known(value, value, 1.0, bound)
            self._by_dimension.setdefault(_UNITLESS, []).append(known)
        else:
            known = _Known(value * unit.factor + unit.offset, value, unit.factor, bound)
            self._by_dimension.setdefault(unit.dimension, []).append(known)
            if unit.timeless is not None:
                # 80 mg/kg/day also tells 80 mg/kg.
                below = list(unit.below)
                below.remove("time")
                known = _Known(value * unit.timeless, value, unit.timeless, bound)
                self._by_dimension.setdefault((unit.above, tuple(below)), []).append(known)
        self._written.append(_Known(value, value, 1.0, bound))

    def _sort(self) -> None:
        self._by_dimension = {
            dimension: sorted(set(known)) for dimension, known in self._by_dimension.items()
        }
        self._written = sorted(set(self._written))
        self._share_percents = sorted(set(self._share_percents))
        self._p_values = {sign: sorted(set(found)) for sign, found in self._p_values.items()}

    def supports(self, quantity: Quantity, tolerance: float = 0.0) -> bool:
        """Say whether the input supports a quantity of the output.

        Args:
            quantity: a quantity of the output.
            tolerance: relative difference that is let pass.
        """
        if quantity.kind == "p_value":
            return self._supports_p(quantity, tolerance)
        if quantity.kind == "share":
            return self._supports_share(quantity, tolerance)
        if quantity.kind == "ratio" and len(quantity.values) > 1:
            return quantity.values in self._ratios
        if quantity.kind == "interval":
            return self._supports_interval(quantity, tolerance)
        if self._supports_all(quantity, quantity.unit, tolerance):
            return True
        return bool(quantity.readings) and all(
            self._finds(_Wanted(value, 1.0, quantity.unit, "", tolerance))
            for value in quantity.readings
        )

    def _supports_all(self, quantity: Quantity, unit: Unit | None, tolerance: float) -> bool:
        # A number without a sign may stand for a change down: "fell by 12" for -12.
        mirrored = len(quantity.values) == 1 and not quantity.signed
        # What n of N is compared with is their share, not each of them.
        comparator = "" if quantity.kind == "share" else quantity.comparator
        return all(
            self._finds(_Wanted(value, step, unit, comparator, tolerance, mirrored))
            for value, step in zip(quantity.values, quantity.steps, strict=True)
        )

    def _supports_interval(self, quantity: Quantity, tolerance: float) -> bool:
        if not self._supports_all(quantity, None, tolerance):
            return False
        low, high = quantity.values
        levels: set[float | None] = set()
        if quantity.level is not None:
            levels = self._levels.get((low, high), levels)
        return not levels or quantity.level in levels or None in levels

    def _supports_share(self, quantity: Quantity, tolerance: float) -> bool:
        n, total = quantity.values
        if (n, total) in self._shares:
            return True
        if total <= _SMALL_SHARE:
            # One in eight, three of five: said of any share of that size.
            wanted = _Wanted(100 * n / total, _SHARE_STEP, PERCENT, quantity.comparator, tolerance)
            if self._finds(wanted):
                return True
        return self._supports_all(quantity, COUNT, tolerance)

    def _supports_p(self, quantity: Quantity, tolerance: float) -> bool:
        value, sign = quantity.value, quantity.comparator
        half = quantity.steps[0] / 2 + (tolerance + _EXACT) * value
        if sign == "=":
            return _any_within(self._p_values.get("=", ()), value - half, value + half)
        exact = [*self._p_values.get("=", ())]
        if sign in ("<", "<="):
            strict = sign == "<"
            return (
                any(found < value if strict else found <= value for found in exact[:1])
                or any(found <= value for found in self._p_values.get("<", ())[:1])
                or any(
                    found < value if strict else found <= value
                    for found in self._p_values.get("<=", ())[:1]
                )
            )
        strict = sign == ">"
        return (
            any(found > value if strict else found >= value for found in exact[-1:])
            or any(found >= value for found in self._p_values.get(">", ())[-1:])
            or any(
                found > value if strict else found >= value
                for found in self._p_values.get(">=", ())[-1:]
            )
        )

    def _finds(self, wanted: _Wanted) -> bool:
        """Look a number up among those whose unit may speak for its own."""
        if wanted.unit is None:
            return wanted.among(self._written, None)
        if wanted.unit.dimension == PERCENT.dimension:
            return (
                wanted.among(self._known(PERCENT), PERCENT)
                or wanted.among(self._share_percents, PERCENT)
                or wanted.among(self._proportions(), PERCENT)
            )
        ratio = wanted.unit == FOLD or _is_ratio(wanted.unit.dimension)
        # A number without a unit says less: it must be the same, not only round to it.
        plain = wanted if ratio else replace(wanted, step=0.0)
        if plain.among(self._by_dimension.get(_UNITLESS, ()), None):
            return True
        return any(
            wanted.among(self._by_dimension[dimension], wanted.unit)
            for dimension in _speaking_for(wanted.unit, self._by_dimension)
        )

    def _known(self, unit: Unit) -> Sequence[_Known]:
        return self._by_dimension.get(unit.dimension, ())

    def _proportions(self) -> list[_Known]:
        """Return the numbers between 0 and 1 without a unit, as percentages."""
        plain = self._by_dimension.get(_UNITLESS, ())
        low = bisect_right(plain, 0.0, key=_base)
        high = bisect_right(plain, 1.0, key=_base)
        return [
            _Known(100 * known.base, 100 * known.base, 1.0, known.bound)
            for known in plain[low:high]
        ]


_COUNTS: Final = (COUNT.dimension, YEAR.dimension)


def _speaking_for(unit: Unit, known: Iterable[Dimension]) -> list[Dimension]:
    """Return the dimensions whose numbers can support one in ``unit``."""
    dimension = unit.dimension
    if dimension in _COUNTS:
        return [other for other in known if other in _COUNTS]
    if dimension == FOLD.dimension:
        return [other for other in known if other == dimension or _is_ratio(other)]
    if _is_ratio(dimension):
        return [other for other in known if other in (dimension, FOLD.dimension)]
    return [other for other in known if other == dimension]


def _is_ratio(dimension: Dimension) -> bool:
    return any(name.endswith(" ratio") for name in dimension[0])


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A number of the output that is looked for."""

    value: float
    step: float
    unit: Unit | None
    comparator: Comparator
    tolerance: float
    mirrored: bool = False

    def among(self, known: Sequence[_Known], unit: Unit | None) -> bool:
        """Say whether one of these numbers, given in base units of ``unit``, supports this one."""
        factor = 1.0 if unit is None else unit.factor
        offset = 0.0 if unit is None else unit.offset
        half = self._half()
        mirror = self.mirrored and not offset and self.value > 0
        for value in (self.value, -self.value) if mirror else (self.value,):
            low, high = (value - half) * factor + offset, (value + half) * factor + offset
            if any(
                self._close(found, value, factor, offset) for found in _window(known, low, high)
            ):
                return True
        return self._bounds(known, factor, offset)

    def _half(self) -> float:
        """Return how far the input's number may be: half of the last digit, more where hedged."""
        half = self.step / 2
        if self.comparator == "~":
            if self.step > 1 and self.unit == PERCENT:
                half = _ABOUT_FRACTION
            elif self.value and self.value == int(self.value):
                half = max(half, min(_last_zero(self.value) / 2, _ABOUT * abs(self.value)))
        return half + (self.tolerance + _EXACT) * abs(self.value)

    def _close(self, found: _Known, value: float, factor: float, offset: float) -> bool:
        if offset or abs(found.factor / factor - 1) < _EXACT:
            return True
        own = value * factor
        allowed = max(_CONVERTED, self.tolerance) * max(abs(own), abs(found.base))
        return abs(found.base - own) <= allowed

    def _bounds(self, known: Sequence[_Known], factor: float, offset: float) -> bool:
        """Say whether an unhedged number lies beyond the bound that this one is, and near it.

        This is for bounds in words, *over 90%*. A sign writes a threshold, which must be the same.
        """
        if self.comparator not in ("~<", "~>"):
            return False
        size = _BEYOND * abs(self.value)
        if self.unit == PERCENT:
            size = min(size, _BEYOND_POINTS)
        far = self.value - size if self.comparator == "~<" else self.value + size
        low, high = sorted((self.value * factor + offset, far * factor + offset))
        return any(not found.bound for found in _window(known, low, high))


def _last_zero(value: float) -> float:
    """Return the size of the last digit of a whole number that is not zero: 100 for 2500."""
    size, whole = 1, abs(int(value))
    while whole % (size * 10) == 0:
        size *= 10
    return float(size)


def _base(known: _Known) -> float:
    return known.base


def _window(known: Sequence[_Known], low: float, high: float) -> Sequence[_Known]:
    return known[bisect_left(known, low, key=_base) : bisect_right(known, high, key=_base)]


def _any_within(values: Sequence[float], low: float, high: float) -> bool:
    return bisect_left(values, low) < bisect_right(values, high)
