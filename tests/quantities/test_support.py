from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from toolkit.quantities.find import find_quantities
from toolkit.quantities.support import evidence_of, unsupported
from toolkit.quantities.units import Unit, convert, named_unit


def lacks(output: str, input: str, tolerance: float = 0.0) -> list[str]:
    return [output[one.start : one.end] for one in unsupported(output, input, tolerance=tolerance)]


@pytest.mark.parametrize(
    ("output", "input"),
    [
        ("12.3%", "12.34%"),
        ("12%", "12.34%"),
        ("13%", "12.5%"),
        ("35%", "12/34"),
        ("85%", "a sensitivity of 0.85"),
        ("12/34", "of 34 patients, 12 were cured"),
        ("80 mg/kg", "80 mg/kg/day"),
        ("6 months", "half a year"),
        ("p<0.05", "p = 0.03"),
        ("p<0.05", "p<0.01"),
        ("p>0.05", "p=0.21"),
        ("HR 0.75", "0.75"),
        ("twofold", "the risk doubled"),
        ("over 90%", "93.4%"),
        ("about 500 homes", "486 homes"),
        ("fell by 12 mmHg", "a change of -12 mmHg"),
        ("two hospitals", "both hospitals"),
        ("12 mg and 5 mg", "12,5 mg"),
        ("95% CI 1.2 to 3.4", "[1.2, 3.4]"),
        ("2 years", "24 months"),
        ("38 °C", "100.4 °F"),
    ],
)
def test_supported(output: str, input: str) -> None:
    assert lacks(output, input) == []


@pytest.mark.parametrize(
    ("output", "input"),
    [
        ("12.9%", "12.34%"),
        ("12.34%", "12.3%"),
        ("35%", "35 patients"),
        ("65%", "35%"),
        ("13%", "71% and 58%"),
        ("42 people", "20 men and 22 women"),
        ("5 g", "5 mg"),
        ("12 mg", "12 patients"),
        ("80 mg/kg/day", "80 mg/kg"),
        ("p = 0.03", "p<0.05"),
        ("p<0.01", "p<0.05"),
        ("p<0.01", "p=0.01"),
        ("HR 2.1", "OR 2.1"),
        ("-0.5", "0.5"),
        ("+0.5", "-0.5"),
        ("95% CI 1.2-3.4", "90% CI 1.2-3.4"),
        ("3:1", "1:3"),
        ("over 90%", "75%"),
        ("over 90%", "over 93%"),
        ("in 2015", "in 2016"),
        ("a score of ≥5", "a score of 6"),
        ("8 mg", "8 patterns"),
        ("2 years", "18 months"),
        ("two groups", "a group"),
        ("9/48", "3/48"),
    ],
)
def test_unsupported(output: str, input: str) -> None:
    assert len(lacks(output, input)) == 1


def test_tolerance_is_relative() -> None:
    assert lacks("105 mg", "100 mg") == ["105 mg"]
    assert lacks("105 mg", "100 mg", tolerance=0.05) == []
    assert lacks("p = 0.0315", "p = 0.03", tolerance=0.05) == []


PIECES = st.sampled_from(
    [
        "12 mg",
        "0.5 g",
        "12.34%",
        "12/34",
        "two thirds of",
        "P < .05",
        "p=0.001",
        "p≥0.2",
        "HR 0.75",
        "95% CI 1.2 to 3.4",
        "−1.2",
        "+3",
        "2.5 × 10⁶",
        "10(6)",
        "1,234",
        "12,5",
        "3:1",
        "twofold",
        "37 °C",
        "12 ± 3",
        "2010-2015",
        "one in eight",
        "nearly half",
        "over 90%",
        "twice daily",
        "five",
        "twenty-one days",
        "week 12",
        "0",
        "1e-300",
        "0.000",
        "$5",
        "12–15 kg",
        "[1, 2]",
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=12).map(" ".join)


@given(TEXTS)
def test_every_text_supports_itself(text: str) -> None:
    assert unsupported(text, text) == []


@given(TEXTS, TEXTS)
def test_more_input_never_supports_less(text: str, more: str) -> None:
    quantities = find_quantities(text)
    joined = f"{text} .\n\n. {more}"
    # Words at the seam must not change how the text is read.
    assume(
        [one.values for one in find_quantities(joined)][: len(quantities)]
        == [one.values for one in quantities]
    )
    assume(not any(one.kind == "interval" for one in quantities))
    assert unsupported(text, joined) == []


@given(st.decimals(min_value=0, max_value=99_999, places=4), st.integers(0, 3))
def test_rounding_to_fewer_digits_stays_supported(value: object, digits: int) -> None:
    assert lacks(f"{value:.{digits}f} mg", f"{value} mg") == []


@given(
    st.decimals(min_value=1, max_value=9_999, places=3),
    st.integers(0, 2),
    st.integers(1, 400),
)
def test_beyond_half_the_last_digit_is_unsupported(value: object, digits: int, far: int) -> None:
    shown = float(f"{value:.{digits}f}") + (0.51 + far / 10) * 10**-digits
    written = f"{shown:.{digits}f}"
    assume(abs(float(written) - float(str(value))) > 0.5 * 10**-digits + 1e-6)
    assert lacks(f"{written} mg", f"{value} mg") == [f"{written} mg"]


UNITS = st.sampled_from(
    ["kg", "g", "mg", "µg", "ng", "L", "mL", "h", "min", "day", "week", "kPa", "mmHg", "mM", "nmol"]
)


@given(UNITS, UNITS, st.floats(1e-6, 1e6))
def test_conversion_there_and_back(one: str, other: str, value: float) -> None:
    left, right = named_unit(one), named_unit(other)
    assert left is not None
    assert right is not None
    assume(left.dimension == right.dimension)
    assert convert(convert(value, left, right), right, left) == pytest.approx(value, rel=1e-12)


@given(st.floats(-100, 500))
def test_temperatures_convert_there_and_back(value: float) -> None:
    celsius = Unit(("temperature",), (), 1.0, 273.15)
    fahrenheit = Unit(("temperature",), (), 5 / 9, 459.67 * 5 / 9)
    assert convert(value, celsius, fahrenheit) == pytest.approx(value * 9 / 5 + 32, abs=1e-9)
    assert convert(convert(value, celsius, fahrenheit), fahrenheit, celsius) == pytest.approx(
        value, abs=1e-9
    )


@given(st.integers(1, 500), UNITS, UNITS)
def test_exact_conversions_support_both_ways(value: int, one: str, other: str) -> None:
    left, right = named_unit(one), named_unit(other)
    assert left is not None
    assert right is not None
    assume(left.dimension == right.dimension)
    there = f"{convert(value, left, right):.15g}"
    assume("e" not in there)
    assert lacks(f"{value} {one}", f"{there} {other}") == []
    assert lacks(f"{there} {other}", f"{value} {one}") == []


def test_a_look_up_does_not_walk_through_the_numbers() -> None:
    evidence = evidence_of(" ".join(f"{n}.5 mg," for n in range(20_000)))
    reads = 0

    class Counted(list):  # type: ignore[type-arg]
        def __getitem__(self, key):  # type: ignore[no-untyped-def]
            nonlocal reads
            reads += 1
            return super().__getitem__(key)

    evidence._by_dimension = {key: Counted(known) for key, known in evidence._by_dimension.items()}
    (wanted,) = find_quantities("19999.5 mg")
    assert evidence.supports(wanted)
    assert 0 < reads < 100
