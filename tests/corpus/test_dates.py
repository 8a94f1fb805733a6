from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.corpus.dates import iso_date, medline_date, publication_date


@pytest.mark.parametrize(
    ("text", "year", "month", "day", "season"),
    [
        ("1998 Dec-1999 Jan", 1998, 12, None, None),
        ("Summer 2016", 2016, None, None, "Summer"),
        ("1978 Apr 1-15", 1978, 4, 1, None),
        ("1977 Nov-1978 May", 1977, 11, None, None),
        ("1976 Jan 28-Feb 4", 1976, 1, 28, None),
        ("1977-1978 Fall-Winter", 1977, None, None, "Fall"),
        ("1975-1976", 1975, None, None, None),
        ("2021 3rd Quarter", 2021, None, None, None),
        ("1976 Apr-Jun 15", 1976, 4, None, None),
        ("1978 Autumn", 1978, None, None, "Fall"),
        ("Dec 1998-Jan 1999", 1998, 12, None, None),
        ("15 Jan 2001", 2001, 1, 15, None),
        ("1978 Feb 30-Mar 2", 1978, 2, None, None),
        ("2000 September-October", 2000, 9, None, None),
        ("no date", None, None, None, None),
        ("12345678", None, None, None, None),
    ],
)
def test_free_text_dates_take_the_first_value(text, year, month, day, season):
    assert medline_date(text) == (year, month, day, season, text)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"Year": "2020", "Month": "Feb"}, (2020, 2, None, None, None)),
        ({"Year": "2021", "Month": "06", "Day": "7"}, (2021, 6, 7, None, None)),
        ({"Year": "2021", "Month": "6"}, (2021, 6, None, None, None)),
        ({"Year": "2001", "Season": "Autumn"}, (2001, None, None, "Fall", None)),
        ({"Year": "2021", "Month": "13"}, (2021, None, None, None, None)),
        ({"Year": "2021", "Month": "Feb", "Day": "29"}, (2021, 2, None, None, None)),
        ({"MedlineDate": "Summer 2016"}, (2016, None, None, "Summer", "Summer 2016")),
        ({}, (None, None, None, None, None)),
    ],
)
def test_fields_are_read_by_name_or_number(fields, expected):
    assert publication_date(fields) == expected


@given(st.dates(date(1500, 1, 1), date(2099, 12, 31)))
def test_every_real_day_survives(day):
    fields = {"Year": str(day.year), "Month": str(day.month), "Day": f"{day.day:02d}"}
    assert iso_date(fields) == day.isoformat()
    assert publication_date({**fields, "Month": day.strftime("%b")})[:3] == (
        day.year,
        day.month,
        day.day,
    )


@given(st.text(max_size=40))
def test_any_text_is_read_without_an_invented_value(text):
    found = medline_date(text)
    if found.year is not None:
        assert str(found.year) in text
    if found.day is not None:
        assert str(found.day) in text


def test_an_incomplete_day_is_no_iso_date():
    assert iso_date({"Year": "2021", "Month": "02"}) is None
    assert iso_date({"Year": "2021", "Month": "02", "Day": "30"}) is None
