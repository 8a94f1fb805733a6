from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.corpus.merge import doi_key, hash_key, merge_articles, merge_rows, title_key
from toolkit.corpus.source import PartResult, PartWriter, dropped, surviving
from toolkit.errors import SourceError

SCHEMA = pa.schema([("item_id", pa.string()), ("year", pa.int32()), ("source_file", pa.string())])
ALL = ("pmid", "doi", "title")


def part(folder: Path, name: str, records: list[dict[str, Any]]) -> PartResult:
    """Write a part; a record is pmid, version, kept, doi, title; version -1 is a deletion."""
    out = folder / name
    out.mkdir(parents=True, exist_ok=True)
    with PartWriter(name, out, SCHEMA) as writer:
        for position, record in enumerate(records):
            kept = record.get("kept", True) and record.get("version", 1) > 0
            row = writer.rows if kept else -1
            if kept:
                item = {"item_id": str(record["pmid"]), "year": 2020, "source_file": name}
                writer.items(pa.RecordBatch.from_pylist([item], schema=SCHEMA))
            writer.keys(
                {
                    "key": [record["pmid"]],
                    "version": [record.get("version", 1)],
                    "row": [row],
                    "position": [position],
                    "doi": [doi_key(record.get("doi"))],
                    "title": [title_key(record.get("title"))],
                }
            )
    return writer.result()


def outcome(results: list[PartResult], drops: dict[str, pa.Table]) -> tuple[list[str], list[tuple]]:
    kept = [
        f"{result.part}:{item}"
        for result in results
        for batch in surviving(result, drops.get(result.part))
        for item in batch["item_id"].to_pylist()
    ]
    gone = [
        (result.part, row["item_id"], row["reason"], row["detail"])
        for result in results
        for row in dropped(result, drops.get(result.part)).to_pylist()
    ]
    return kept, gone


def test_the_last_file_wins_and_within_it_the_highest_version(tmp_path: Path) -> None:
    results = [
        part(tmp_path, "a", [{"pmid": 1, "version": 9}, {"pmid": 2}, {"pmid": 3}]),
        part(
            tmp_path,
            "b",
            [{"pmid": 1, "version": 2}, {"pmid": 1, "version": 1}, {"pmid": 3}, {"pmid": 3}],
        ),
    ]
    kept, gone = outcome(results, merge_articles(results, ALL))
    assert kept == ["a:2", "b:1", "b:3"]
    assert gone == [
        ("a", "1", "replaced_by_revision", ""),
        ("a", "3", "replaced_by_revision", ""),
        ("b", "1", "older_version", ""),
        ("b", "3", "duplicate_pmid", ""),
    ]


def test_a_revision_that_breaks_a_rule_still_replaces(tmp_path: Path) -> None:
    results = [
        part(tmp_path, "a", [{"pmid": 1}]),
        part(tmp_path, "b", [{"pmid": 1, "kept": False}]),
    ]
    kept, gone = outcome(results, merge_articles(results, ALL))
    assert kept == []
    assert [row[2] for row in gone] == ["replaced_by_revision"]


def test_deletions_come_after_their_file_and_a_later_file_revives(tmp_path: Path) -> None:
    results = [
        part(tmp_path, "a", [{"pmid": 1}, {"pmid": 2}]),
        part(tmp_path, "b", [{"pmid": 1, "version": -1}, {"pmid": 1}, {"pmid": 9, "version": -1}]),
        part(tmp_path, "c", [{"pmid": 2, "version": -1}]),
        part(tmp_path, "d", [{"pmid": 2}]),
    ]
    kept, gone = outcome(results, merge_articles(results, ALL))
    assert kept == ["d:2"]
    assert [(row[0], row[2]) for row in gone] == [
        ("a", "replaced_by_revision"),
        ("a", "deleted"),
        ("b", "deleted"),
    ]


def test_doi_then_title_and_the_first_keeps_it(tmp_path: Path) -> None:
    long = "A long title of seven words indeed"
    results = [
        part(tmp_path, "a", [{"pmid": 7, "doi": "10.1/X", "title": long}, {"pmid": 8}]),
        part(
            tmp_path,
            "b",
            [
                {"pmid": 1, "doi": "https://doi.org/10.1/x", "title": "Quite another title it is"},
                {"pmid": 2, "doi": "10.1/y", "title": "<A long title: of SEVEN words, indeed!>"},
                {"pmid": 3, "title": "Quite another title it is."},
                {"pmid": 4, "title": "Reply to the authors"},
                {"pmid": 5, "title": "Reply to the authors"},
            ],
        ),
    ]
    kept, gone = outcome(results, merge_articles(results, ALL))
    # 1 loses to the DOI of 7 before titles are asked, so 3 keeps the title they share.
    assert kept == ["a:7", "a:8", "b:3", "b:4", "b:5"]
    assert gone == [
        ("b", "1", "duplicate_doi", "of 7"),
        ("b", "2", "duplicate_title", "of 7"),
    ]
    kept, _ = outcome(results, merge_articles(results, ("pmid",)))
    assert len(kept) == 7


def test_an_article_that_went_keeps_no_doi(tmp_path: Path) -> None:
    results = [
        part(tmp_path, "a", [{"pmid": 1, "doi": "10.1/x"}]),
        part(tmp_path, "b", [{"pmid": 2, "doi": "10.1/x"}, {"pmid": 1, "kept": False}]),
    ]
    assert outcome(results, merge_articles(results, ALL))[0] == ["b:2"]


def test_nothing_in_nothing_out(tmp_path: Path) -> None:
    assert merge_articles([], ALL) == {}
    assert merge_articles([part(tmp_path, "a", [])], ALL) == {}


RECORD = st.fixed_dictionaries(
    {
        "pmid": st.integers(1, 4),
        "version": st.sampled_from([-1, 1, 1, 2]),
        "kept": st.booleans(),
        "doi": st.sampled_from([None, "10.1/a", "10.1/b"]),
    }
)


@settings(max_examples=40, deadline=None)
@given(files=st.lists(st.lists(RECORD, max_size=5), max_size=4))
def test_against_a_plain_reading_of_the_rules(
    files: list[list[dict[str, Any]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("merge")
    results = [part(folder, f"p{n}", records) for n, records in enumerate(files)]
    alive: dict[int, tuple[str, bool, str | None, int]] = {}
    for number, records in enumerate(files):
        numbered = list(enumerate(records))
        for position, record in sorted(numbered, key=lambda pair: (pair[1]["version"], pair[0])):
            if record["version"] > 0:
                alive[record["pmid"]] = (f"p{number}", record["kept"], record["doi"], position)
        for record in records:
            if record["version"] < 0:
                alive.pop(record["pmid"], None)
    expected, seen = [], set()
    ordered = sorted(alive.items(), key=lambda pair: (pair[1][0], pair[1][3]))
    for pmid, (name, kept, doi, _) in ordered:
        if kept and doi not in seen:
            expected.append(f"{name}:{pmid}")
            seen |= {doi} if doi else set()
    kept, gone = outcome(results, merge_articles(results, ALL))
    assert kept == expected
    assert len(kept) + len(gone) == sum(result.rows for result in results)


def test_rows_with_one_id_stop_or_go(tmp_path: Path) -> None:
    results = [part(tmp_path, "a", [{"pmid": 1}, {"pmid": 2}]), part(tmp_path, "b", [{"pmid": 2}])]
    with pytest.raises(SourceError, match=r"1 row\(s\) repeat") as caught:
        merge_rows(results, on_duplicate="stop")
    assert "item 0 of b and item 1 of a" in caught.value.message
    kept, gone = outcome(results, merge_rows(results, on_duplicate="reject"))
    assert kept == ["a:1", "a:2"]
    assert gone == [("b", "2", "duplicate_id", "of row 1 of a")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10.1000/ABC", "10.1000/abc"),
        ("https://doi.org/10.1000/abc", "10.1000/abc"),
        ("http://dx.doi.org/10.1000/abc", "doi: 10.1000/abc"),
        (" 10.1000/abc. ", "10.1000/abc"),
    ],
)
def test_one_doi_in_many_forms(one: str, other: str) -> None:
    assert doi_key(one) == doi_key(other) != 0


def test_no_doi_and_no_particular_title_have_no_key() -> None:
    assert doi_key(None) == doi_key("") == doi_key(" ") == 0
    assert title_key(None) == title_key("Editorial") == title_key("Reply to the authors") == 0
    assert title_key("β-blockers in very old rats") == title_key("Β blockers, in very old RATS.")
    assert title_key("Trial 1 of the new drug") != title_key("Trial 2 of the new drug")
    assert hash_key("") != 0
