from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.quantities import find
from toolkit.quantities.find import find_quantities
from toolkit.quantities.lexer import Token, read


def found(text: str) -> list[str]:
    return [text[one.start : one.end] for one in find_quantities(text)]


def values(text: str) -> list[tuple[float, ...]]:
    return [one.values for one in find_quantities(text)]


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("12 mg", "measure", (12.0,)),
        ("1,234 births", "number", (1234.0,)),
        ("1\u2009234 births", "number", (1234.0,)),
        ("12,5 mg", "measure", (12.5,)),
        ("0·75 mg", "measure", (0.75,)),
        (".05 mg", "measure", (0.05,)),
        ("−1.2 points", "number", (-1.2,)),
        ("–1.2 points", "number", (-1.2,)),
        ("twenty-one days", "measure", (21.0,)),
        ("one hundred and two dogs", "number", (102.0,)),
        ("two thousand five hundred cells", "number", (2500.0,)),
        ("a dozen dogs", "number", (12.0,)),
        ("2.5 million people", "number", (2.5e6,)),
        ("2½ years", "measure", (2.5,)),
        ("2.5 x 10^6 cells", "number", (2.5e6,)),
        ("2.5 × 10⁶ cells", "number", (2.5e6,)),
        ("2.5 x 10(6) cells", "number", (2.5e6,)),
        ("2.5×10−6 M", "measure", (2.5e-6,)),
        ("1.2e-3 M", "measure", (1.2e-3,)),
        ("10⁻⁴ M", "measure", (1e-4,)),
        ("12-15 mg", "range", (12.0, 15.0)),
        ("12 to 15 mg", "range", (12.0, 15.0)),
        ("between 12 and 15 mg", "range", (12.0, 15.0)),
        ("ranging from 12 to 15 mg", "range", (12.0, 15.0)),
        ("120/80 mmHg", "range", (120.0, 80.0)),
        ("2010-15", "range", (2010.0, 2015.0)),
        ("12 ± 3 mg", "spread", (12.0, 3.0)),
        ("12 +/- 3 mg", "spread", (12.0, 3.0)),
        ("35%", "percent", (35.0,)),
        ("thirty-five per cent", "percent", (35.0,)),
        ("half of them", "percent", (50.0,)),
        ("three-quarters of them", "percent", (75.0,)),
        ("half an hour", "measure", (0.5,)),
        ("12/34", "share", (12.0, 34.0)),
        ("12 out of 34", "share", (12.0, 34.0)),
        ("one in eight", "share", (1.0, 8.0)),
        ("3:1", "ratio", (3.0, 1.0)),
        ("3.2-fold", "ratio", (3.2,)),
        ("twofold", "ratio", (2.0,)),
        ("HR 0.75", "ratio", (0.75,)),
        ("odds ratio of 2.1", "ratio", (2.1,)),
        ("P < .05", "p_value", (0.05,)),
        ("p value of 0.03", "p_value", (0.03,)),
        ("P < or = 0.05", "p_value", (0.05,)),
        ("P<10^-4", "p_value", (1e-4,)),
        ("95% CI 1.2 to 3.4", "interval", (1.2, 3.4)),
        ("95% confidence interval (CI): 1.2, 3.4", "interval", (1.2, 3.4)),
        ("95%CI [1.2; 3.4]", "interval", (1.2, 3.4)),
        ("CI 95% −0.80 to −0.10", "interval", (-0.8, -0.1)),
        ("-80 ºC", "measure", (-80.0,)),
        ("65-year-old", "measure", (65.0,)),
        ("week 12", "measure", (12.0,)),
        ("in 2015", "year", (2015.0,)),
        ("twice daily", "measure", (2.0,)),
        ("٣٥ mg", "measure", (35.0,)),
    ],
)
def test_one_quantity(text: str, kind: str, expected: tuple[float, ...]) -> None:
    (one,) = find_quantities(text)
    assert (one.kind, one.values) == (kind, pytest.approx(expected))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "HER2",
            "IL-6",
            "COVID-19",
            "SARS-CoV-2",
            "CD4+",
            "B12",
            "p53",
            "HbA1c",
            "5-FU",
            "CDK4/6",
        ),
        *("25(OH)D", "18F-FDG", "16S rRNA", "3T3 cells", "CA 19-9", "CA 125", "HPV 16 and 18"),
        *(
            "type 2 diabetes",
            "grade 3 or 4 toxicity",
            "stages 1-3",
            "phase 3",
            "Table 2",
            "exon 11",
        ),
        *("seen before [12]", "seen before [3, 5-7].", "doi:10.1000/182", "https://a.org/12"),
        *("NCT01234567", "2nd line", "version 2.0.1", "at 08:30", "2021;51(6):281-288", "© 2021"),
        *("(1) we saw; (2) they saw", "1) we saw", "two-sided", "half-life"),
        *("the first half", "2D images"),
        *("one of the best", "no one", "a third dose", "second", "", " ", ".", "心不全", "1" * 400),
    ],
)
def test_no_quantity(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("500 mg", "0.5 g"),
        ("0.1 microg kg(-1) min(-1)", "0.1 µg/kg/min"),
        ("42 L m-2 h-1", "42 L/m2/h"),
        ("10 μM", "10 µmol/L"),
        ("1.8 cm3", "1.8 mL"),
        ("90 mL/min/1.73 m2", "90 mL min-1 1.73 m-2"),
        ("24 h", "1 day"),
        ("37 °C", "98.6 °F"),
        ("75 mm Hg", "75 mmHg"),
    ],
)
def test_units_of_one_dimension(left: str, right: str) -> None:
    (one,), (other,) = find_quantities(left), find_quantities(right)
    assert one.unit is not None
    assert other.unit is not None
    assert one.unit.dimension == other.unit.dimension
    bases = [a.value * a.unit.factor + a.unit.offset for a in (one, other) if a.unit]
    assert bases[0] == pytest.approx(bases[1], rel=1e-3)


def test_a_list_shares_its_last_unit() -> None:
    units = {one.unit for one in find_quantities("5, 10 and 20 mg")}
    assert len(units) == 1
    assert None not in units
    assert [one.kind for one in find_quantities("35 vs 40%")] == ["percent", "percent"]


def test_from_to_is_two_numbers_and_a_range_is_one() -> None:
    assert found("rose from 32% to 41%") == ["32%", "41%"]
    assert found("rose by 32 to 41%") == ["32 to 41%"]


def test_levels_and_comparators_are_kept() -> None:
    (interval,) = find_quantities("90% CI 0.55-0.79")
    assert interval.level == 90.0
    signs = [
        one.comparator for one in find_quantities("over 90%, at least 5 mg, nearly half, ≤3 g")
    ]
    assert signs == ["~>", "~>", "~", "<="]


SPECIAL = st.sampled_from(
    [
        "1",
        "12",
        "3.4",
        ",",
        ".",
        "-",
        "−",
        "±",
        "/",
        "%",
        "(",
        ")",
        "[",
        "]",
        ":",
        " ",
        "mg",
        "p<",
        "95% CI ",
        "x 10",
        "^",
        "⁶",
        "half",
        "two",
        "of",
        "to",
        "and",
        "HER",
        "µ",
        "\n",
        "°C",
        "心",
    ]
)
HOSTILE = st.lists(SPECIAL, max_size=40).map("".join)


@given(st.one_of(HOSTILE, st.text(max_size=80)))
def test_spans_are_in_order_inside_the_text_and_apart(text: str) -> None:
    last = 0
    for one in find_quantities(text):
        assert last <= one.start < one.end <= len(text)
        assert len(one.values) == len(one.steps)
        last = one.end


@pytest.mark.parametrize(
    "unit",
    ["1", "1,", "1.", "1-", "(", "1(", "95% CI ", "p<", "1 234 ", "x10^", "±", "half ", "1/", "a "],
)
def test_each_token_is_looked_at_a_bounded_number_of_times(unit: str) -> None:
    class Counting(list[Token]):
        looks = 0

        def __getitem__(self, key):  # type: ignore[no-untyped-def,override]
            Counting.looks += 1
            return super().__getitem__(key)

    def looks(times: int) -> int:
        _, tokens = read(unit * times)
        counting = Counting(tokens)
        Counting.looks = 0
        index = 0
        while index < len(counting):
            _, index = find._next(counting, index)
        return Counting.looks

    assert looks(2_000) <= 2.5 * looks(1_000) + 100
