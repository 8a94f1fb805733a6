"""Dates of PubMed records, in every shape the National Library of Medicine writes them.

A publication date is a year, a month by name or number, a day, a season, or free text
(``MedlineDate``: ``1978 Apr 1-15``, ``1977 Nov-1978 May``, ``Summer 2016``). Where the text
names a range, the first value stands: it is when the article could be read at the earliest.
What is not given stays null; nothing is guessed.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PublicationDate", "iso_date", "medline_date", "publication_date"]

_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
_SEASONS: Final = {
    "autumn": "Fall",
    "fall": "Fall",
    "spring": "Spring",
    "summer": "Summer",
    "winter": "Winter",
}
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_MONTH_DAY = re.compile(
    rf"(?:^(?P<before>\d{{1,2}})\s+)?\b(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
    r"(?:\s+(?P<after>\d{1,2})(?!\d|(?:st|nd|rd|th)\b))?",
    re.IGNORECASE,
)
_SEASON = re.compile(rf"\b({'|'.join(_SEASONS)})\b", re.IGNORECASE)


class PublicationDate(NamedTuple):
    """When an article was published, as far as its record says.

    Attributes:
        year: 1500-2099.
        month: 1-12.
        day: 1-31, only where year and month make it a real day.
        season: Winter, Spring, Summer or Fall.
        text: the free text the date was read from, null when it had fields of its own.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    season: str | None = None
    text: str | None = None


def publication_date(fields: Mapping[str, str]) -> PublicationDate:
    """Read a ``PubDate`` element.

    Args:
        fields: text of its children by name: Year, Month, Day, Season, MedlineDate.
    """
    if "MedlineDate" in fields:
        return medline_date(fields["MedlineDate"])
    return _from_fields(
        fields.get("Year", ""),
        fields.get("Month", ""),
        fields.get("Day", ""),
        fields.get("Season", ""),
    )


@lru_cache(maxsize=4096)
def _from_fields(year: str, month: str, day: str, season: str) -> PublicationDate:
    year_number, month_number = _year(year), _month(month)
    return PublicationDate(
        year_number, month_number, _day(year_number, month_number, day), _season(season)
    )


@lru_cache(maxsize=4096)
def medline_date(text: str) -> PublicationDate:
    """Read a free-text date; the first year, month, day or season stands.

    A day is taken only beside the first month (``Apr-Jun 15`` has no day of April), a season
    only where no month is named, and a quarter gives the year alone.
    """
    text = " ".join(text.split())
    year = _year(text)
    found = _MONTH_DAY.search(text)
    if found is None:
        return PublicationDate(year, None, None, _season(text), text or None)
    month = _month(found["month"])
    return PublicationDate(
        year, month, _day(year, month, found["after"] or found["before"] or ""), None, text
    )


def iso_date(fields: Mapping[str, str]) -> str | None:
    """Return ``YYYY-MM-DD`` from Year, Month and Day; null unless they name a real day."""
    return _iso(fields.get("Year", ""), fields.get("Month", ""), fields.get("Day", ""))


@lru_cache(maxsize=4096)
def _iso(year: str, month: str, day: str) -> str | None:
    found = _from_fields(year, month, day, "")
    if found.year is None or found.month is None or found.day is None:
        return None
    return f"{found.year:04d}-{found.month:02d}-{found.day:02d}"


def _year(text: str) -> int | None:
    found = _YEAR.search(text)
    return int(found[0]) if found else None


def _month(text: str) -> int | None:
    if text.isdecimal():
        return int(text) if 1 <= int(text) <= 12 else None
    return _MONTHS.get(text[:3].lower())


def _day(year: int | None, month: int | None, text: str) -> int | None:
    if year is None or month is None or not text.isdecimal():
        return None
    try:
        return date(year, month, int(text)).day
    except ValueError:
        return None


def _season(text: str) -> str | None:
    found = _SEASON.search(text)
    return _SEASONS[found[0].lower()] if found else None
