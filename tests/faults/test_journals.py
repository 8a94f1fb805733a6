"""Fault catalogue 15-17: journal tables of every dialect, seen through a run."""

import re

import pytest

from tests.faults import pubmed_recipe
from tests.faults.pubmed_recipe import FIRST, packed
from tests.faults.runs import run_here
from tests.tiny_recipe import UNCHECKED
from toolkit.errors import RunError, SourceError

HEAD = "Rank;Sourceid;Title;Type;Issn;SJR;SJR Best Quartile;H index;Categories\n"


def issn_of_first_record():
    """Return the ISSN and year of the sample's first article, as the file has them."""
    text = FIRST.decode()
    issn = re.search(r"<ISSN[^>]*>([\dX-]+)</ISSN>", text)
    year = re.search(r"<PubDate>\s*<Year>(\d{4})</Year>", text)
    pmid = re.search(r"<PMID[^>]*>(\d+)</PMID>", text)
    return issn[1], int(year[1]), pmid[1]


ISSN, YEAR, PMID = issn_of_first_record()
DIGITS = ISSN.replace("-", "")


def line(issn, sjr="1,842", title="Another Name", quartile="Q1"):
    return f'1;1;"{title}";journal;"{issn}";{sjr};{quartile};6;"Genetics (Q1)"\n'


def build(folder, scheduler, tables):
    """Run the corpus stage; return the first article, and what was counted of journals."""
    recipe = pubmed_recipe.data({"journals": {"sjr": "sjr/*.csv"}}, validation=UNCHECKED)
    file = pubmed_recipe.write(folder, {"pubmed26n9001.xml.gz": packed(FIRST)}, recipe)
    (folder / "sjr").mkdir()
    for name, content in tables.items():
        data = content if isinstance(content, bytes) else content.encode()
        (folder / "sjr" / name).write_bytes(data)
    corpus = run_here(file, folder / "w", scheduler, until="corpus").artifacts["corpus"]
    rows = list(corpus.rows("items"))
    return next(row for row in rows if row["item_id"] == PMID), corpus, rows


DIALECTS = {
    "decimal comma": (HEAD + line(DIGITS)).encode(),
    "byte order mark": (HEAD + line(DIGITS)).encode("utf-8-sig"),
    "windows-1252": (HEAD + line(DIGITS, title="Revue médicale")).encode("cp1252"),
    "carriage returns": (HEAD + line(DIGITS)).replace("\n", "\r\n").encode(),
    "quoted newline": (HEAD + line(DIGITS, title="Another\nName")).encode(),
    "no final newline": (HEAD + line(DIGITS)).rstrip("\n").encode(),
}


def test_15_every_dialect_gives_the_same_value(tmp_path, scheduler):
    for name, content in DIALECTS.items():
        table = {f"scimagojr {YEAR}.csv": content}
        item, _, _ = build(tmp_path / name, scheduler, table)
        found = (item["sjr"], item["sjr_year"], item["sjr_match"], item["sjr_quartile"])
        assert found == (1.842, YEAR, "issn", "Q1"), name


REFUSED = {
    "a web page": b"<html><body>Too many requests</body></html>",
    "another table": b"name,value\nx,1\n",
    "a number that is none": (HEAD + line(DIGITS, sjr="high")).encode(),
    "cut in a quoted title": (HEAD + '1;1;"Another Na').encode(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_15_other_tables_are_refused_by_name(tmp_path, scheduler, name):
    file = f"scimagojr {YEAR}.csv"
    with pytest.raises((RunError, SourceError)) as caught:
        build(tmp_path, scheduler, {file: REFUSED[name]})
    assert caught.value.exit_code == 2
    assert file in str(caught.value)
    assert not list((tmp_path / "w").rglob("manifest.json"))


def test_16_issns_match_however_they_are_written(tmp_path, scheduler):
    variants = {
        "plain": DIGITS,
        "with a hyphen": ISSN,
        "in a list": f"00000019, {DIGITS}",
        "with a prefix": f"ISSN {DIGITS}",
    }
    for name, issn in variants.items():
        item, corpus, rows = build(
            tmp_path / name, scheduler, {f"scimagojr {YEAR}.csv": HEAD + line(issn)}
        )
        assert (item["sjr"], item["sjr_match"]) == (1.842, "issn"), name
        unmatched = [row for row in rows if row["sjr_match"] is None]
        assert unmatched, "journals that stand in no table are kept, without a value"
        assert all(row["sjr"] is None for row in unmatched)
        assert corpus.manifest.facts["journals"], "how many matched is counted"


def test_16_two_rows_of_one_issn_give_one_answer_whatever_their_order(tmp_path, scheduler):
    pair = [line(DIGITS, "1,5", title="One"), line(DIGITS, "2,5", title="Two")]
    values = set()
    for name, rows in (("one", pair), ("two", pair[::-1])):
        table = {f"scimagojr {YEAR}.csv": HEAD + "".join(rows)}
        item, _, _ = build(tmp_path / name, scheduler, table)
        values.add((item["sjr"], item["sjr_title"]))
    assert len(values) == 1


def test_17_a_rank_of_a_later_year_is_never_used(tmp_path, scheduler):
    later = {f"scimagojr {YEAR + 1}.csv": HEAD + line(DIGITS, "9,9")}
    earlier = {f"scimagojr {YEAR - 2}.csv": HEAD + line(DIGITS, "1,1")}
    item, _, _ = build(tmp_path / "later", scheduler, later)
    assert (item["sjr"], item["sjr_year"]) == (None, None)
    item, _, rows = build(tmp_path / "both", scheduler, {**later, **earlier})
    assert (item["sjr"], item["sjr_year"], item["sjr_year_gap"]) == (1.1, YEAR - 2, 2)
    for row in rows:
        assert row["sjr_year"] is None or row["sjr_year"] <= row["year"]
