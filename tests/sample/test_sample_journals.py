"""The invented journal tables look like the export and fit the articles."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

import pytest
from sample_reading import SAMPLE, check_digit, issns_of_articles, kept

TABLES = ("journals-2019.csv", "journals-2023.csv")


def read_table(name: str) -> list[dict[str, str]]:
    with (SAMPLE / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter=";"))


@pytest.mark.parametrize(("name", "columns"), [(TABLES[0], 20), (TABLES[1], 24)])
def test_journal_tables_look_like_the_export(name: str, columns: int) -> None:
    year = name[9:13]
    rows = read_table(name)
    assert len(rows) == 12
    assert len(rows[0]) == columns
    assert f"Total Docs. ({year})" in rows[0]
    assert all(None not in row and None not in row.values() for row in rows)
    assert {row["Publisher"] for row in rows} == {"Invented Press"}
    assert all(re.fullmatch(r"\d+,\d{3}", row["SJR"]) for row in rows)
    assert [int(row["Rank"]) for row in rows] == list(range(1, 13))
    sjr = [float(row["SJR"].replace(",", ".")) for row in rows]
    assert sjr == sorted(sjr, reverse=True)


@pytest.mark.parametrize("name", TABLES)
def test_journal_categories_carry_quartiles(name: str) -> None:
    for row in read_table(name):
        quartiles = [re.search(r"\((Q[1-4])\)$", c)[1] for c in row["Categories"].split("; ")]
        assert row["SJR Best Quartile"] == min(quartiles)


@pytest.mark.parametrize("name", TABLES)
def test_journal_issns_are_right(name: str) -> None:
    cells = [row["Issn"] for row in read_table(name)]
    assert "-" in cells
    for issn in _issns(cells):
        assert issn[-1] == check_digit(issn)
    assert set(_issns(cells)) <= {issn.replace("-", "") for issn in _all_issns()}


def _issns(cells: list[str]) -> Iterator[str]:
    for cell in cells:
        if cell != "-":
            yield from cell.split(", ")


def _all_issns() -> set[str]:
    """Return the ISSNs of the articles, and the electronic one beside each linking ISSN."""
    issns = issns_of_articles()
    for issn in list(issns):
        stem = f"{int(issn.replace('-', '')[:7]) + 1:07d}"
        issns.add(f"{stem[:4]}-{stem[4:]}{check_digit(stem)}")
    return issns


def test_two_journals_are_in_no_table_and_some_match_by_title_only() -> None:
    tables = [row for name in TABLES for row in read_table(name)]
    titles = {_plain(row["Title"]) for row in tables}
    issns = set(_issns([row["Issn"] for row in tables]))
    unmatched, by_title = set(), set()
    for article in kept().values():
        title = _plain(article.findtext(".//Journal/Title"))
        tags = ("ISSN", "ISSNLinking")
        own = {e.text.replace("-", "") for tag in tags for e in article.iter(tag)}
        if not own & issns:
            (by_title if title in titles else unmatched).add(title)
    assert len(unmatched) == 2
    assert "imaginary ecology & environment" in by_title


def _plain(title: str) -> str:
    plain = title.replace("&amp;", "&").lower()
    return re.sub(r"^the |, the$", "", plain)
