"""The journal table: every generation of the SCImago export, and the join."""

import gzip
import pickle
import random
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.corpus.issn import find_issns, normalise_issn
from toolkit.corpus.journal_table import JournalTable, load_sjr
from toolkit.corpus.journal_titles import shared_titles, title_forms
from toolkit.corpus.journals import JournalReport, join_journals
from toolkit.corpus.sjr_table import parse_decimals, read_sjr, split_categories
from toolkit.errors import SourceError, UserError
from toolkit.records import JOURNAL

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"

OLD = (
    "Rank,Title,Type,ISSN,SJR,H index,Total Docs. (2013),Country\n"
    "1,Ca-A Journal,j,ISSN 15424863,45.894,101,54,United States\n"
    "2,Revue médicale,j,,0.5,1,1,France\n"
)
NEW = (
    "Rank;Sourceid;Title;Type;Issn;Publisher;SJR;SJR Best Quartile;Total Docs. ({year});"
    "Publisher;Categories;Areas\n"
)
CANCER = (
    '1;28773;"Ca-A Journal";journal;"15424863, 00079235";"W";145,004;Q1;43;"W";'
    '"Hematology (Q1); Oncology (Q1)";"Medicine"\n'
)
MICRO = (
    '2;20278;"Micro &amp; Molecular\nReviews";journal;10985557;"A";13,69;-;37;"A";'
    '"Immunology and Microbiology (miscellaneous)  (Q2); Ear, Nose &amp; Throat (Q1); '
    'Genetics (clinical) (Q3)";"Immunology and Microbiology; Medicine"\n'
)
EMPTY = '3;3;"Lancet, The";journal;-;;;-;0;;;\n'


def write(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def own(folder: Path, rows: list[str], name: str = "own.csv") -> JournalTable:
    header = "title,issn,year,sjr,quartile,categories\n"
    return load_sjr([write(folder, name, header + "\n".join(rows) + "\n")])


def test_2013_layout_in_windows_1252(tmp_path):
    file = read_sjr(write(tmp_path, "scimagojr.csv", OLD, "cp1252"))
    first, second = file.rows
    assert (first.title, first.issns, first.year, first.sjr) == (
        "Ca-A Journal",
        ("15424863",),
        2013,
        45.894,
    )
    assert (second.title, second.issns) == ("Revue médicale", ())
    assert first.categories is None and first.quartile is None
    assert file.issn_counts == {"none": 1, "valid": 1}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_2024_layout(tmp_path, encoding):
    text = NEW.format(year=2024) + CANCER + MICRO + EMPTY
    cancer, micro, lancet = read_sjr(write(tmp_path, "scimagojr 2024.csv", text, encoding)).rows
    assert cancer.sjr == 145.004
    assert cancer.issns == ("00079235", "15424863")
    assert cancer.categories == ("Hematology", "Oncology")
    assert cancer.areas == ("Medicine",)
    assert micro.title == "Micro & Molecular Reviews"
    assert micro.categories == (
        "Immunology and Microbiology (miscellaneous)",
        "Ear, Nose & Throat",
        "Genetics (clinical)",
    )
    assert micro.quartile == "Q1", "a dash is filled from the categories' quartiles"
    assert (lancet.sjr, lancet.quartile, lancet.categories, lancet.issns) == (None, None, None, ())


def test_gz_is_known_by_its_content_and_damage_is_named(tmp_path):
    data = gzip.compress((NEW.format(year=2024) + CANCER).encode())
    good = tmp_path / "renamed.csv"
    good.write_bytes(data)
    assert read_sjr(good).rows[0].sjr == 145.004
    for bad in (data[:-12], data[:-6] + b"\x00\x00" + data[-4:]):
        path = tmp_path / "bad.csv.gz"
        path.write_bytes(bad)
        with pytest.raises(SourceError, match=r"bad\.csv\.gz.*damaged"):
            read_sjr(path)


def test_resaved_copy_with_decimal_points_and_lost_zeros(tmp_path):
    text = "Title;Issn;SJR;Year\nCa-A;15424863, 79235;62.937;2021\n"
    (row,) = read_sjr(write(tmp_path, "copy.csv", text)).rows
    assert row.issns == ("00079235", "15424863")
    assert row.sjr == 62.937


def test_excel_tabs_and_blank_rows(tmp_path):
    text = "Title\tISSN\tSJR\tYear\n\t\t\t\nLancet\t01406736\t1,5\t2020\n\n"
    (row,) = read_sjr(write(tmp_path, "tabs.csv", text)).rows
    assert (row.title, row.sjr) == ("Lancet", 1.5)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "", r"a\.csv:1: .*empty"),
        ("a.csv", "Title,Issn,SJR,Year\n", r"a\.csv:2: .*no rows"),
        ("a.csv", "<html><body>Not found</body></html>\nx\n", r"a\.csv:1: .*no journal table"),
        ("a.csv", "Title,SJR\nX,1.5\n", r"a\.csv:2: .*which year"),
        ("sjr 2019 2020.csv", "Title,SJR\nX,1.5\n", "which year"),
        ("sjr 2019.csv", "Title,SJR,Total Docs. (2020)\nX,1.5,3\n", "2020.*2019"),
        ("sjr 2019.csv", "Title,SJR,Year\nX,1.5,2020\n", r"2019\.csv:2: .*2020.*2019"),
        ("a.csv", "Title,SJR,Year\nX,1,5,2020\n", r"a\.csv:2: .*4 fields.*3"),
        ("a.csv", 'Title,SJR,Year\nX,1.5,2020\n"Y,2.5,2020\n', r"a\.csv:3: .*CSV"),
        ("a.csv", "Title,SJR,Year\nX,high,2020\n", r"a\.csv:2: 'high' is no number"),
        ("a.csv", "Title,SJR,Year\nX,-1.5,2020\n", r"a\.csv:2: '-1.5' is no number"),
        ("a.csv", "Title,SJR,Year\nX,nan,2020\n", "is no number"),
        ("a.csv", "Title;SJR;Year\nX;1,5;2020\nY;1.5;2020\n", r"a\.csv:3: .*line 2.*decimal"),
        ("a.csv", "Title,SJR,Year,Quartile\nX,1.5,2020,Q7\n", "no quartile"),
        ("a.csv", "Title,SJR,SJR,Year\nX,1.5,1.5,2020\n", "twice"),
        ("a.csv", "Title,Issn,SJR,Year\n,12345678,1.5,2020\n", "neither"),
        ("a.csv", "Title,SJR,Year\nX\x00,1.5,2020\n", "NUL"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(tmp_path, name, text, message):
    with pytest.raises(SourceError, match=message) as caught:
        load_sjr([write(tmp_path, name, text)])
    assert caught.value.hint


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"Title,SJR,Year\nX\x81,1.5,2020\n")
    with pytest.raises(SourceError, match="not text"):
        read_sjr(path)


def test_no_file_and_missing_file_are_refused(tmp_path):
    with pytest.raises(SourceError, match="no journal table"):
        load_sjr([])
    with pytest.raises(SourceError, match=r"absent\.csv"):
        load_sjr([tmp_path / "absent.csv"])


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["145,004", "0,1", "-", ""], [145.004, 0.1, None, None]),
        (["1.234,5", "2,0"], [1234.5, 2.0]),
        (["1,234.5", "2.0", "7"], [1234.5, 2.0, 7.0]),
        (["1.234.567"], [1234567.0]),
        (["12", "7"], [12.0, 7.0]),
    ],
)
def test_the_decimal_sign_is_found_for_the_column(cells, numbers):
    assert parse_decimals(Path("x.csv"), list(enumerate(cells, 2))) == numbers


@given(
    st.lists(st.integers(0, 999_999).map(lambda n: n / 1000), min_size=1),
    st.sampled_from([",", "."]),
)
def test_decimals_survive_either_sign(values, sign):
    cells = [(line, f"{value:.3f}".replace(".", sign)) for line, value in enumerate(values)]
    assert parse_decimals(Path("x.csv"), cells) == values


@pytest.mark.parametrize(
    "text", ["1542-4863", "ISSN 15424863", "'15424863'", "eISSN: 1542–4863", " 15424863 "]
)
def test_issn_notations(text):
    assert normalise_issn(text) == "15424863"


def test_issn_check_digit_and_x():
    assert normalise_issn("0013-936x") == "0013936X"
    assert normalise_issn("1542-4864") is None
    assert normalise_issn(None) is None
    issns, counts = find_issns('"15424863, 00079235; 12345678, 0123"')
    assert issns == ("00079235", "15424863")
    assert counts["bad_check_digit"] == 1 and counts["malformed"] == 1


def test_categories_split_on_semicolons_only():
    names, quartiles = split_categories("Medicine (miscellaneous)  (Q4); Nursing, other (Q2); -")
    assert names == ("Medicine (miscellaneous)", "Nursing, other")
    assert quartiles == ["Q4", "Q2"]


def test_title_forms():
    assert title_forms("Lancet, The")[0] == title_forms("The Lancet")[0] == "lancet"
    assert title_forms("Lancet Respiratory Medicine,The")[0] == "lancet respiratory medicine"
    assert title_forms("Psychiatrike&#x0304; = Psychiatriki") == (
        "psychiatrike psychiatriki",
        "psychiatrike",
    )
    assert title_forms("Cell Death &amp; Disease")[0] == "cell death and disease"
    assert title_forms("Development (Cambridge (UK))")[1] == "development"
    assert title_forms("The") == ("the", "the")


def test_match_by_any_issn_with_year_rules(tmp_path):
    table = own(
        tmp_path,
        [
            'Heart,"0007-9235, 1542-4863",2018,2.5,Q1,Cardiology (Q1)',
            "Heart,1542-4863,2020,3.5,Q2,Cardiology (Q2)",
            "Heart,1542-4863,2021,,Q2,Cardiology (Q2)",
        ],
    )
    assert table.years == (2018, 2020, 2021)
    same = table.match([None, "15424863"], None, 2020)
    assert (same.sjr, same.sjr_year, same.sjr_year_gap, same.sjr_match) == (3.5, 2020, 0, "issn")
    assert (same.sjr_quartile, same.categories) == ("Q2", ("Cardiology",))
    earlier = table.match(["1542-4863"], None, 2019)
    assert (earlier.sjr, earlier.sjr_year, earlier.sjr_year_gap) == (2.5, 2018, 1)
    empty = table.match(["1542-4863"], None, 2022)
    assert (empty.sjr, empty.sjr_year, empty.sjr_year_gap) == (3.5, 2020, 2)
    for year in (2017, None):
        later = table.match(["1542-4863"], None, year)
        assert (later.sjr, later.sjr_year, later.sjr_quartile) == (None, None, None)
        assert later.categories == ("Cardiology",)
        assert later.categories_year == (2018 if year else 2021)
        assert later.sjr_match == "issn"


@given(
    st.sets(st.integers(1999, 2024), min_size=1),
    st.integers(1990, 2030),
)
def test_the_sjr_is_the_nearest_that_is_not_later(tmp_path_factory, years, article):
    folder = tmp_path_factory.mktemp("years")
    table = own(folder, [f"Heart,1542-4863,{year},{year}.5,," for year in sorted(years)])
    match = table.match(["15424863"], None, article)
    earlier = [year for year in years if year <= article]
    assert match.sjr_year == max(earlier, default=None)
    assert match.sjr == (max(earlier) + 0.5 if earlier else None)


def test_two_rows_with_one_issn_follow_one_rule(tmp_path):
    rows = [
        "Heart,1542-4863,2020,1.5,,",
        "Heart and Lung,1542-4863,2020,2.5,,",
        'Kidney,"1542-4863, 0007-9235",2020,0.5,,',
    ]
    for order in (rows, rows[::-1]):
        table = own(tmp_path, order)
        assert table.match(["15424863"], "Heart", 2020).sjr == 1.5, "an equal title"
        assert table.match(["15424863"], "Other", 2020).sjr == 2.5, "the higher SJR"
        assert table.match(["15424863", "00079235"], "Heart", 2020).sjr == 0.5, "more ISSNs"
        assert table.match(["15424863"], "Heart", 2020).rows_of_year == 3


def test_titles_match_only_where_unmistakable(tmp_path):
    table = own(
        tmp_path,
        [
            "Virology,,2020,1.5,,",
            '"Lancet, The",,2020,2.5,,',
            "Nutrition,,2020,3.5,,",
            "Nutrition,,2020,4.5,,",
            "Annals of Care : official journal,,2020,5.5,,",
        ],
    )
    assert table.match([], "The Lancet", 2020).sjr_match == "title"
    assert table.match([], "Virology", 2020).sjr == 1.5
    assert table.match([], "Virology : research and treatment", 2020).sjr_match is None
    ambiguous = table.match([], "Nutrition", 2020)
    assert (ambiguous.sjr_match, ambiguous.ambiguous) == (None, "nutrition")
    assert table.match([], "Annals of care (London)", 2020).sjr == 5.5
    assert table.match([], "", 2020).sjr_match is None
    assert table.match(["0140-6736"], "The Lancet", 2020).sjr_match == "title"


def test_titles_that_two_journals_of_the_corpus_share_are_refused(tmp_path):
    table = own(tmp_path, ["Annals of Care,,2020,5.5,,", "Heart,1542-4863,2020,1.5,,"])
    journals = [("1", "Annals of Care"), ("2", "Annals of care."), ("2", "Annals of care."),
                ("3", "Heart"), ("4", "Heart")]  # fmt: skip
    refusing = table.refusing(shared_titles(journals))
    assert table.match([], "Annals of Care", 2020).sjr == 5.5
    assert refusing.match([], "Annals of Care", 2020).ambiguous == "annals of care"
    assert refusing.match(["15424863"], "Heart", 2020).sjr == 1.5, "an ISSN is never refused"


def test_source_ids_keep_journals_of_one_title_apart(tmp_path):
    header = "Sourceid;Title;Issn;SJR;Year\n"
    paths = [
        write(tmp_path, "a.csv", header + "1;Heart;;1,5;2019\n"),
        write(tmp_path, "b.csv", header + "2;Heart;;2,5;2020\n"),
    ]
    assert load_sjr(paths).match([], "Heart", 2021).ambiguous == "heart"


def test_files_in_any_order_make_one_table_and_repeats_count_once(tmp_path):
    paths = [
        write(tmp_path, f"scimagojr {year}.csv", NEW.format(year=year) + CANCER + MICRO)
        for year in (2020, 2021, 2022)
    ]
    subset = write(tmp_path, "scimagojr 2021 Medicine.csv", NEW.format(year=2021) + CANCER)
    table = load_sjr([*paths, subset])
    assert len(table) == 6
    shuffled = [subset, *paths]
    random.Random(3).shuffle(shuffled)
    assert load_sjr(shuffled) == table
    assert pickle.loads(pickle.dumps(table)) == table


def test_two_files_that_contradict_each_other_are_refused(tmp_path):
    one = write(tmp_path, "2021 a.csv", NEW.format(year=2021) + CANCER)
    two = write(tmp_path, "2021 b.csv", NEW.format(year=2021) + CANCER.replace("145,004", "9,9"))
    with pytest.raises(SourceError, match=r"2021 a\.csv and 2021 b\.csv disagree.*Ca-A"):
        load_sjr([one, two])


def articles() -> pa.Table:
    return pa.table(
        {
            "item_id": ["1", "2", "3", "4"],
            "issn_print": ["1542-4863", None, None, None],
            "issn_linking": [None, None, None, None],
            "journal": ["Heart", "Lancet", "Nobody's Journal", "Nobody's Journal"],
            "year": [2021, 2018, 2020, None],
        }
    )


def test_join_adds_the_declared_columns_and_reports(tmp_path):
    table = own(tmp_path, ["Heart,1542-4863,2020,1.5,Q3,Cardiology", "Lancet,,2020,9.5,Q1,A;B"])
    joined, report = join_journals(articles(), table)
    names = [column.name for column in JOURNAL]
    assert joined.column_names[-len(names) :] == names
    assert joined["item_id"].to_pylist() == ["1", "2", "3", "4"]
    assert joined["sjr"].to_pylist() == [1.5, None, None, None]
    assert joined["sjr_year_gap"].to_pylist() == [1, None, None, None]
    assert joined["categories"].to_pylist() == [["Cardiology"], ["A", "B"], None, None]
    assert report.to_dict() == {
        "articles": {"issn": 1, "title": 1, "unmatched": 2},
        "journals": {"issn": 1, "title": 1, "unmatched": 1},
        "without_sjr": 1,
        "shared_issn": 0,
        "year_gaps": {"1": 1},
        "ambiguous_titles": {},
        "unmatched_journals": {"Nobody's Journal": 2},
    }
    again, _ = join_journals(joined, table)
    assert again.equals(joined)


def test_reports_of_shards_add_up_in_any_order(tmp_path):
    table = own(tmp_path, ["Heart,1542-4863,2020,1.5,Q3,Cardiology", "Lancet,,2020,9.5,Q1,A;B"])
    _, whole = join_journals(articles(), table)
    parts = [join_journals(articles().slice(at, 1), table)[1] for at in range(4)]
    assert JournalReport.merge(parts).to_dict() == whole.to_dict()
    assert JournalReport.merge(parts[::-1]).to_dict() == whole.to_dict()


def test_items_without_journal_columns_are_refused(tmp_path):
    table = own(tmp_path, ["Heart,1542-4863,2020,1.5,,"])
    with pytest.raises(UserError, match="item_id") as caught:
        join_journals(pa.table({"item_id": ["1"]}), table)
    assert "journal" in caught.value.hint


def shared(name: str) -> Path:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not beside the project")
    return path


def test_the_real_2013_export():
    table = load_sjr([shared("sjr_Jlabarca_scimagojr.csv.gz")])
    assert len(table) == 29_385
    assert table.years == (2013,)
    assert table.issn_counts == {
        "bad_check_digit": 15,
        "malformed": 1,
        "none": 7_020,
        "valid": 22_349,
    }
    assert table.match(["0028-0836", "1476-4687"], None, 2015).sjr == 21.323
    assert "lancet" not in table.ambiguous


def test_the_real_2023_export_takes_its_year_from_the_name(tmp_path):
    data = shared("sjr_jihaibiao_scimagojr.csv.gz").read_bytes()
    (tmp_path / "scimagojr 2023.csv").write_bytes(data)
    table = load_sjr([tmp_path / "scimagojr 2023.csv"])
    assert len(table) > 29_000
    match = table.match([], "Ca-A Cancer Journal for Clinicians", 2024)
    assert (match.sjr, match.sjr_year, match.sjr_quartile) == (106.094, 2023, "Q1")


def test_match_rates_on_real_journals():
    from lxml import etree

    rows = []
    with gzip.open(shared("pubmed21n1298.subset.xml.gz")) as stream:
        for _, record in etree.iterparse(stream, tag="MedlineCitation"):
            journal = record.find("Article/Journal")
            info = record.find("MedlineJournalInfo")
            rows.append((info.findtext("NlmUniqueID"), journal.findtext("ISSN"),
                         info.findtext("ISSNLinking"), journal.findtext("Title")))  # fmt: skip
            record.clear()
    table = load_sjr([shared("sjr_Jlabarca_scimagojr.csv.gz")])
    table = table.refusing(shared_titles((row[0], row[3]) for row in rows))
    found = {row: table.match(row[1:3], row[3], 2021) for row in set(rows)}
    journals = {row[0]: found[row].sjr_match for row in sorted(set(rows), key=str)}
    by_issn = sum(found[row].sjr_match == "issn" for row in rows) / len(rows)
    articles_found = sum(found[row].sjr_match is not None for row in rows) / len(rows)
    journals_found = sum(how is not None for how in journals.values()) / len(journals)
    assert by_issn > 0.84
    assert articles_found > 0.88
    assert journals_found > 0.81


def test_the_report_counts_refused_titles_and_shared_issns(tmp_path):
    rows = [
        "Nutrition,,2020,3.5,,",
        "Nutrition,,2020,4.5,,",
        "Heart,1542-4863,2020,1.5,,",
        "Heart B,1542-4863,2020,2.5,,",
    ]
    report = JournalReport()
    for title in ("Nutrition", "Nutrition", "Heart"):
        issns = ["1542-4863"] if title == "Heart" else [None, "no ISSN"]
        report.add(own(tmp_path, rows).match(issns, title, 2020), title)
    found = report.to_dict()
    assert found["ambiguous_titles"] == {"nutrition": 2}
    assert found["shared_issn"] == 1
    assert found["articles"] == {"issn": 1, "title": 0, "unmatched": 2}


def test_issn_cells_of_nonsense_are_counted_and_not_used():
    issns, counts = find_issns("12, 1234567890, 2049-3630")
    assert issns == ("20493630",)
    assert counts == {"malformed": 2, "valid": 1}
