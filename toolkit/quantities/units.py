"""Units of measure: their dimensions, and what converts into what.

Factors are those of the SI brochure (BIPM 2019, 9th edition) and of NIST Special Publication 811
(Thompson and Taylor, 2008); a month is a twelfth, and a year 365.25 days.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

__all__ = ["COUNT", "FOLD", "PERCENT", "YEAR", "Unit", "convert", "named_unit", "plain"]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as a product of powers.

    Attributes:
        above: the dimensions of the numerator, sorted, one entry a power.
        below: the dimensions of the denominator. They do not cancel: mg/kg is no pure number.
        factor: one of it in the base units of the dimensions.
        offset: what zero of it is in the base unit; only temperatures have one.
        timeless: the factor of what it would be without a last division by a time (mg/kg for
            mg/kg/day), or None.
    """

    above: tuple[str, ...]
    below: tuple[str, ...] = ()
    factor: float = 1.0
    offset: float = 0.0
    timeless: float | None = field(default=None, compare=False)

    @property
    def dimension(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What must be equal for two units to convert."""
        return self.above, self.below

    def times(self, other: Unit, power: int = 1) -> Unit:
        """Return the product with a power of another unit."""
        above, below, factor = list(self.above), list(self.below), self.factor
        for _ in range(abs(power)):
            up, down = (other.above, other.below) if power > 0 else (other.below, other.above)
            above += up
            below += down
            factor = factor * other.factor if power > 0 else factor / other.factor
        # A litre is a cubic length; m3 and L meet in "volume".
        lengths = above.count("length")
        if lengths == 3:
            above = [name for name in above if name != "length"] + ["volume"]
        if below.count("length") == 3:
            below = [name for name in below if name != "length"] + ["volume"]
        timeless = self.factor if power == -1 and other.above == ("time",) else None
        return Unit(tuple(sorted(above)), tuple(sorted(below)), factor, timeless=timeless)


def convert(value: float, unit: Unit, into: Unit) -> float:
    """Return a value of ``unit`` in ``into``, which must have the same dimension."""
    if unit == into:
        return value
    if unit.offset or into.offset:
        return (value * unit.factor + unit.offset - into.offset) / into.factor
    return value * (unit.factor / into.factor)


def plain(dimension: str, factor: float = 1.0) -> Unit:
    """Return a unit of one dimension."""
    return Unit((dimension,), (), factor)


PERCENT: Final = plain("percent")
COUNT: Final = plain("count")
FOLD: Final = plain("fold")
YEAR: Final = plain("calendar year")

_PREFIXES: Final = {
    **{"f": 1e-15, "p": 1e-12, "n": 1e-9, "µ": 1e-6, "u": 1e-6, "m": 1e-3, "c": 1e-2},
    **{"d": 1e-1, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9},
}
_WORD_PREFIXES: Final = {
    **{"femto": 1e-15, "pico": 1e-12, "nano": 1e-9, "micro": 1e-6, "mu": 1e-6, "milli": 1e-3},
    **{"centi": 1e-2, "deci": 1e-1, "": 1.0, "kilo": 1e3, "mega": 1e6, "giga": 1e9},
}
_DAY: Final = 86400.0
_YEAR: Final = 365.25 * _DAY

# symbol, prefixes it takes, dimension, factor of the bare symbol
_SYMBOLS: Final = (
    ("g", "fpnµumdck", "mass", 1.0),
    ("L", "fpnµumcd", "volume", 1e-3),
    ("l", "fpnµumcd", "volume", 1e-3),
    ("m", "nµumck", "length", 1.0),
    ("mol", "fpnµum", "amount", 1.0),
    ("eq", "m", "equivalent", 1.0),
    ("Eq", "µum", "equivalent", 1.0),
    ("Osm", "m", "osmole", 1.0),
    ("osm", "m", "osmole", 1.0),
    ("OsM", "m", "osmole", 1.0),
    ("s", "mµn", "time", 1.0),
    ("Hz", "kMG", "frequency", 1.0),
    ("Gy", "cmµ", "absorbed dose", 1.0),
    ("Sv", "mµ", "equivalent dose", 1.0),
    ("Bq", "kMG", "activity", 1.0),
    ("Ci", "mµun", "activity", 3.7e10),
    ("V", "mkµ", "voltage", 1.0),
    ("W", "mkµ", "power", 1.0),
    ("J", "kMmµ", "energy", 1.0),
    ("cal", "k", "energy", 4.184),
    ("Cal", "k", "energy", 4.184),
    ("Pa", "kMm", "pressure", 1.0),
    ("bar", "m", "pressure", 1e5),
    ("Da", "kM", "molecular mass", 1.0),
    ("bp", "kM", "bases", 1.0),
    ("IU", "mµukM", "international units", 1.0),
    ("iu", "", "international units", 1.0),
    ("U", "mµuk", "units", 1.0),
    ("kat", "nµ", "katal", 1.0),
    ("T", "m", "tesla", 1.0),
    ("N", "mk", "force", 1.0),
    ("dB", "", "decibel", 1.0),
    ("G", "", "gauge", 1.0),
)
_BARE: Final = frozenset(["N", "eq"])
"""Symbols that only count with a prefix; alone they are something else."""

_MOLAR: Final = {f"{prefix}M": _PREFIXES[prefix] for prefix in ("f", "p", "n", "µ", "u", "m", "")}

# word, dimension, factor; the plural with s is added
_WORDS: Final = (
    ("second", "time", 1.0),
    ("sec", "time", 1.0),
    ("minute", "time", 60.0),
    ("min", "time", 60.0),
    ("hour", "time", 3600.0),
    ("hr", "time", 3600.0),
    ("h", "time", 3600.0),
    ("day", "time", _DAY),
    ("d", "time", _DAY),
    ("night", "time", _DAY),
    ("week", "time", 7 * _DAY),
    ("wk", "time", 7 * _DAY),
    ("month", "time", _YEAR / 12),
    ("mo", "time", _YEAR / 12),
    ("mth", "time", _YEAR / 12),
    ("year", "time", _YEAR),
    ("yr", "time", _YEAR),
    ("y", "time", _YEAR),
    ("decade", "time", 10 * _YEAR),
    ("inch", "length", 0.0254),
    ("foot", "length", 0.3048),
    ("mile", "length", 1609.344),
    ("micron", "length", 1e-6),
    ("angstrom", "length", 1e-10),
    ("pound", "mass", 453.59237),
    ("lb", "mass", 453.59237),
    ("ounce", "mass", 28.349523125),
    ("oz", "mass", 28.349523125),
    ("ton", "mass", 1e6),
    ("tonne", "mass", 1e6),
    ("gm", "mass", 1.0),
    ("mcg", "mass", 1e-6),
    ("microg", "mass", 1e-6),
    ("cc", "volume", 1e-6),
    ("hectare", "area", 1.0),
    ("acre", "area", 0.40468564224),
    ("calorie", "energy", 4.184),
    ("unit", "units", 1.0),
    ("rad", "absorbed dose", 0.01),
    ("torr", "pressure", 133.322368),
    ("atm", "pressure", 101325.0),
    ("psi", "pressure", 6894.757293),
    ("ppm", "parts", 1e-6),
    ("ppb", "parts", 1e-9),
    ("rpm", "rotations", 1.0),
    ("logmar", "logmar", 1.0),
    ("diopter", "dioptre", 1.0),
    ("dioptre", "dioptre", 1.0),
    ("dollar", "dollar", 1.0),
    ("euro", "euro", 1.0),
    ("gauge", "gauge", 1.0),
    ("degree", "angle", 1.0),
    ("base", "bases", 1.0),
    ("kilobase", "bases", 1e3),
    ("megabase", "bases", 1e6),
)
_FULL_NAMES: Final = (
    ("gram", "mass", 1.0),
    ("gramme", "mass", 1.0),
    ("litre", "volume", 1e-3),
    ("liter", "volume", 1e-3),
    ("metre", "length", 1.0),
    ("meter", "length", 1.0),
    ("mole", "amount", 1.0),
    ("mol", "amount", 1.0),
    ("second", "time", 1.0),
    ("gray", "absorbed dose", 1.0),
    ("sievert", "equivalent dose", 1.0),
    ("hertz", "frequency", 1.0),
    ("volt", "voltage", 1.0),
    ("watt", "power", 1.0),
    ("joule", "energy", 1.0),
    ("calorie", "energy", 4.184),
    ("dalton", "molecular mass", 1.0),
    ("tesla", "tesla", 1.0),
    ("becquerel", "activity", 1.0),
    ("curie", "activity", 3.7e10),
    ("pascal", "pressure", 1.0),
)
_COUNTED: Final = (
    *("patient", "participant", "subject", "case", "control", "person", "individual", "adult"),
    *("child", "children", "infant", "neonate", "newborn", "baby", "babies", "man", "men", "woman"),
    *("women", "male", "female", "boy", "girl", "student", "nurse", "physician", "doctor"),
    *("volunteer", "people", "adolescent", "resident", "worker", "household", "respondent"),
    *("carer", "mother", "father", "mouse", "mice", "rat", "rabbit", "dog", "cat", "pig", "horse"),
    *("cow", "calf", "calves", "lamb", "sheep", "animal", "fish", "eye", "knee", "hip", "tooth"),
    *("teeth", "tumor", "tumour", "lesion", "sample", "specimen", "isolate", "strain", "trial"),
    *("study", "studies", "article", "paper", "hospital", "centre", "center", "site", "school"),
    *("event", "death", "birth", "pregnancy", "pregnancies", "delivery", "deliveries", "admission"),
    *("visit", "session", "fraction", "cycle", "episode", "copy", "copies", "cell", "beat"),
    *("breath", "colony", "colonies", "cfu", "pfu", "step", "gene", "protein", "snp", "item"),
    *("group", "arm"),
)


def _build() -> dict[str, Unit]:
    table: dict[str, Unit] = {}
    for noun in _COUNTED:
        table[noun] = table[noun + "s"] = COUNT
    table.update(_spelled_out())
    for word, dimension, factor in _WORDS:
        table[word] = table[word + "s"] = plain(dimension, factor)
    for symbol, prefixes, dimension, factor in _SYMBOLS:
        for prefix in ("", *prefixes):
            if prefix or symbol not in _BARE:
                table[prefix + symbol] = plain(dimension, _PREFIXES[prefix] * factor)
    table.update({symbol: _molar(scale) for symbol, scale in _MOLAR.items()})
    for word in ("micro", "mu", "nano", "pico", "milli"):
        scale = _WORD_PREFIXES[word]
        table[word + "M"] = _molar(scale)
        table[word + "g"] = plain("mass", scale)
        table[word + "l"] = table[word + "L"] = plain("volume", scale * 1e-3)
        table[word + "m"] = plain("length", scale)
    table.update(_IRREGULAR)
    # "ds", "hs", "ys" and the like are no plurals of symbols.
    for wrong in ("ds", "ys", "ccs", "mos"):
        table.pop(wrong, None)
    return table


def _spelled_out() -> dict[str, Unit]:
    table: dict[str, Unit] = {}
    for prefix, scale in _WORD_PREFIXES.items():
        for word, dimension, factor in _FULL_NAMES:
            table[prefix + word] = table[prefix + word + "s"] = plain(dimension, scale * factor)
        table[prefix + "molar"] = _molar(scale)
    return table


def _molar(scale: float) -> Unit:
    return Unit(("amount",), ("volume",), scale * 1e3)


_IRREGULAR: Final = {
    **dict.fromkeys(("mmHg", "mmhg", "MmHg", "mmHG"), plain("pressure", 133.322387415)),
    **dict.fromkeys(("cmH2O", "cmH20"), plain("pressure", 98.0665)),
    **dict.fromkeys(("percent", "pct", "percentage", "procent"), PERCENT),
    **dict.fromkeys(("fold", "times", "x", "×", "X"), FOLD),
    **dict.fromkeys(("Å", "A°"), plain("length", 1e-10)),
    **dict.fromkeys(("feet",), plain("length", 0.3048)),
    **dict.fromkeys(("inches",), plain("length", 0.0254)),
    **dict.fromkeys(("Kg", "KG", "Kgs", "kgs"), plain("mass", 1e3)),
    **dict.fromkeys(("ML", "Ml", "mls"), plain("volume", 1e-6)),
    **dict.fromkeys(("mgs", "Mg", "mgr"), plain("mass", 1e-3)),
    **dict.fromkeys(("gr", "gms"), plain("mass", 1.0)),
    **dict.fromkeys(("mEq", "mEqs", "meq"), plain("equivalent", 1e-3)),
    **dict.fromkeys(("ha",), plain("area", 1.0)),
    **dict.fromkeys(("USD", "US$"), plain("dollar")),
    **dict.fromkeys(("EUR",), plain("euro")),
    **dict.fromkeys(("GBP",), plain("pound sterling")),
    **dict.fromkeys(("D",), plain("dioptre")),
    **dict.fromkeys(("bpm",), Unit(("count",), ("time",), 1 / 60)),
    **dict.fromkeys(("kb", "Kb"), plain("bases", 1e3)),
    **dict.fromkeys(("Mb",), plain("bases", 1e6)),
    **dict.fromkeys(("Gb",), plain("bases", 1e9)),
    **dict.fromkeys(("mA",), plain("current", 1e-3)),
    **dict.fromkeys(("µA",), plain("current", 1e-6)),
    **dict.fromkeys(("Jahre", "Jahren", "años", "ans"), plain("time", _YEAR)),
    **dict.fromkeys(("pacientes", "Patienten"), COUNT),
}
_TABLE: Final = _build()


def named_unit(name: str) -> Unit | None:
    """Return the unit of a word or symbol, or None; symbols keep their case."""
    found = _TABLE.get(name)
    if found is None and len(name) > 3:
        found = _TABLE.get(name.lower())
    return found
