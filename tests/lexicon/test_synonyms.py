"""Synonyms and abbreviations."""

import pytest
from lexicon_data import write

from toolkit.errors import UserError
from toolkit.lexicon.synonyms import Synonyms, read_synonyms, shipped_synonyms

TABLE = (
    "kind,words\n"
    "abbreviation,without;w/o\n"
    "abbreviation,pulmonary embolism;PE\n"
    "synonym,hepatic;liver\n"
    "synonym,mild;slight\n"
)


@pytest.fixture
def table(tmp_path):
    return read_synonyms(write(tmp_path, TABLE))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("mild", "Slight", True),
        ("liver lesion", "hepatic  lesion", True),
        ("liver lesion", "hepatic mass", False),
        ("PE", "pulmonary embolism", True),
        ("SAH", "subarachnoid hemorrhage", False),
        ("BPH", "benign prostatic hyperplasia", True),
        ("CT", "cyst", False),
        ("mild", "severe", False),
    ],
)
def test_what_means_the_same(table, one, other, same):
    assert table.same(one, other) is same
    assert table.same(other, one) is same


def test_abbreviations_are_written_out_as_whole_words(table):
    assert table.expanded("CT w/o PE; PEs, SPE") == "CT without pulmonary embolism; PEs, SPE"


def test_what_texts_define_is_added_and_the_table_wins(table):
    more = table.with_short([("PE", "physical exam"), ("GGO", "ground glass opacity")])
    assert more.expanded("GGO, PE") == "ground glass opacity, pulmonary embolism"
    assert more.without_short(["ggo"]).expanded("GGO") == "GGO"


def test_every_wrong_row_is_named(tmp_path):
    text = "kind,words\nsynonym,mild;slight\nantonym,a;b\nsynonym,alone\nsynonym,slight;minor\n"
    with pytest.raises(UserError) as caught:
        read_synonyms(write(tmp_path, text))
    said = caught.value.message.splitlines()
    assert [line.split(".csv:")[1] for line in said] == [
        "3: kind is 'antonym'; write abbreviation or synonym",
        "4: fewer than two words",
        "5: 'slight' stands in line 2 too",
    ]


def test_the_shipped_table_is_good():
    shipped = read_synonyms(shipped_synonyms())
    assert shipped.same("renal", "kidney")
    assert shipped.expanded("w/o HCC") == "without hepatocellular carcinoma"
    assert isinstance(shipped, Synonyms)
