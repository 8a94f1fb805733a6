"""Axes: limits that hold everything, ticks as plain numbers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from toolkit.figures.scales import fit_axis, limits, number_text, usable

_NUMBERS = st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=6)


@given(_NUMBERS, st.sampled_from(["linear", "log"]))
def test_limits_hold_every_usable_number(values, scale):
    low, high = limits(values, scale)
    assert low < high
    assert math.isfinite(low)
    assert math.isfinite(high)
    assert all(low <= value <= high for value in values if usable(value, scale))


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=5))
def test_ticks_tell_numbers_apart(values):
    axes = Figure().add_subplot()
    ends = limits(values)
    fit_axis(axes.xaxis, ends, "linear")
    places = axes.xaxis.get_major_locator()()
    texts = [axes.xaxis.get_major_formatter()(place) for place in places]
    assert len(set(texts)) == len(texts)
    assert all(ends[0] <= place <= ends[1] for place in places)


@pytest.mark.parametrize(
    ("ends", "texts"),
    [
        ((1999.0, 2021.0), ["2000", "2005", "2010", "2015", "2020"]),
        ((0.0, 100_000.0), ["0", "20,000", "40,000", "60,000", "80,000", "100,000"]),
        ((2.0, 3.0), ["2.0", "2.2", "2.4", "2.6", "2.8", "3.0"]),
        ((-1.0, 1.0), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]),
        ((0.0, 3e-12), ["0", "1×10⁻¹²", "2×10⁻¹²", "3×10⁻¹²"]),
    ],
)
def test_ticks_of_common_axes(ends, texts):
    axes = Figure().add_subplot()
    fit_axis(axes.xaxis, ends, "linear", 5)
    formatter = axes.xaxis.get_major_formatter()
    assert [formatter(place) for place in axes.xaxis.get_major_locator()()] == texts


@pytest.mark.parametrize(
    ("ends", "texts"),
    [
        ((0.05, 200.0), ["0.1", "1", "10", "100"]),
        ((0.5, 5.0), ["1", "3"]),
        ((2.1, 2.9), ["2.2", "2.4", "2.6", "2.8"]),
    ],
)
def test_ticks_of_a_log_axis(ends, texts):
    axes = Figure().add_subplot()
    fit_axis(axes.xaxis, ends, "log", 5)
    formatter = axes.xaxis.get_major_formatter()
    assert [formatter(place) for place in axes.xaxis.get_major_locator()()] == texts


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (1234.0, "1234"), (12345.0, "12,345"), (0.05, "0.05"), (-2.5, "−2.5"),
        (1e9, "10⁹"), (-1e9, "−10⁹"), (1.25e-7, "1.25×10⁻⁷"), (1e300, "10³⁰⁰"),
    ],
)  # fmt: skip
def test_numbers_for_people(value, text):
    assert number_text(value) == text
