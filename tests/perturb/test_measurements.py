"""Sizes in mm and cm: found in full, altered by enough, undone exactly."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.perturb.alteration import original_text, variant
from toolkit.perturb.measurements import altered_size, find_sizes


def sizes(text):
    return [text[start:end] for start, end in find_sizes(text)]


def test_the_worked_example():
    text = "A 1.5 cm nodule, a 2.1 x 3.0 cm mass, 12x9x7 mm cyst, L4-5 and grade 2."
    assert sizes(text) == ["1.5 cm", "2.1 x 3.0 cm", "12x9x7 mm"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a 5-mm nodule", ["5-mm"]),
        ("2.1 cm x 3.0 cm", ["2.1 cm x 3.0 cm"]),
        ("3 × 4 × 5 mm", ["3 × 4 × 5 mm"]),
        ("3 by 4 cm", ["3 by 4 cm"]),
        ("7mm", ["7mm"]),
        ("at L5 mm", []),
        ("5 mmHg and 12 cmH2O", []),
        ("3.14.15 cm", []),
        ("measuring 8 mm (previously 6 mm)", ["8 mm", "6 mm"]),
    ],
)
def test_other_spellings(text, found):
    assert sizes(text) == found


SIZES = st.builds(
    lambda numbers, sign, unit: f" {sign} ".join(numbers) + f" {unit}",
    st.lists(st.decimals("0.5", "99", places=1).map(str), min_size=1, max_size=3),
    st.sampled_from(["x", "×", "by"]),
    st.sampled_from(["mm", "cm"]),
)


def lengths(size):
    unit = 10.0 if size.endswith("cm") else 1.0
    return [float(number) * unit for number in re.findall(r"[\d.]+", size)]


@given(SIZES, st.integers(0, 1000))
def test_each_dimension_changes_by_a_fifth_and_keeps_its_decimals(size, seed):
    text = f"A {size} mass."
    (span,) = find_sizes(text)
    made = altered_size(text, span, random.Random(seed))
    assert made is not None
    for before, after in zip(lengths(size), lengths(made.replacement), strict=True):
        assert abs(after / before - 1) >= 0.2 - 1e-12
    places = [len(number.partition(".")[2]) for number in re.findall(r"[\d.]+", size)]
    assert [len(n.partition(".")[2]) for n in re.findall(r"[\d.]+", made.replacement)] == places
    assert original_text(variant(text, [made], target=1)) == text


def test_a_size_that_cannot_change_enough_is_left_alone():
    text = "1 mm"
    rng = random.Random(0)
    assert altered_size(text, (0, 4), rng, factor=(0.9, 1.1), unit_change=0) is None
