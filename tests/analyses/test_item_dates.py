import datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.item_dates import month_ranges, sides
from toolkit.errors import UserError


def where(dates, months=None, cutoff="2023-10", margin=0):
    """before, after, unclear or undated for each date."""
    columns = {"date": dates} | ({"month": months} if months else {})
    ids = [str(at) for at in range(len(dates))]
    items = ItemColumns([pa.table({"item_id": ids, **columns})], list(columns), ids)
    ranges = month_ranges(items, "date", "month" if months else None)
    marks = zip(*sides(ranges, cutoff, margin), strict=True)
    names = ("before", "after", "unclear")
    return [
        next((name for name, mark in zip(names, row, strict=True) if mark), "undated")
        for row in marks
    ]


def test_years_alone_leave_the_year_of_the_cutoff_open():
    assert where([2022, 2023, 2024, None]) == ["before", "unclear", "after", "undated"]


def test_a_month_decides_within_the_year_and_the_month_of_the_cutoff_is_before():
    found = where([2023, 2023, 2023, 2023, 2024], [9, 10, 11, None, None])
    assert found == ["before", "before", "after", "unclear", "after"]


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("2023-10-31", "before"),
        ("2023-11-01", "after"),
        ("2023-11", "after"),
        ("2023", "unclear"),
        ("2024-01-02T10:00:00", "after"),
        ("", "undated"),
    ],
)
def test_dates_as_text(date, expected):
    assert where([date]) == [expected]


def test_dates_as_dates_and_years_as_decimals():
    assert where([datetime.date(2023, 11, 5)]) == ["after"]
    assert where([2021.0, None]) == ["before", "undated"]


def test_a_margin_is_left_out_on_both_sides():
    months = ["2023-07", "2023-08", "2023-10", "2023-12", "2024-01"]
    assert where(months, margin=2) == ["before", "before", "unclear", "unclear", "after"]


@given(st.integers(1990, 2030), st.integers(1, 12), st.integers(1990, 2030), st.integers(1, 12))
def test_a_known_month_is_on_the_side_that_comparing_says(year, month, limit, last):
    (found,) = where([f"{year}-{month:02d}"], cutoff=f"{limit}-{last:02d}")
    assert found == ("before" if (year, month) <= (limit, last) else "after")


@pytest.mark.parametrize("date", ["spring 2020", "2020-13", "20", 12.5])
def test_what_is_no_date_is_refused(date):
    with pytest.raises(UserError, match="no date"):
        where([date])


def test_what_is_no_month_is_refused():
    with pytest.raises(UserError, match="no month"):
        where([2020], [13])
