"""Dictionaries: read back as written, every wrong row named with its line."""

import pytest

from toolkit.errors import UserError
from toolkit.perturb.dictionary import dictionary_text, read_dictionary
from toolkit.perturb.rules import read_keywords

GOOD = (
    "term,category,alternatives,source,mutual_opposite,approved,approved_by,approved_on\n"
    "mild,descriptors,severe; marked,helper,yes,yes,A. Reader,2026-01-02\n"
    "left,location,right,helper,yes,no,,\n"
)


def read(tmp_path, text):
    file = tmp_path / "dictionary.csv"
    file.write_text(text, encoding="utf-8")
    return read_dictionary(file)


def test_what_was_read_is_written_back(tmp_path):
    found = read(tmp_path, GOOD)
    assert dictionary_text(found) == GOOD
    assert [entry.term for entry in found.usable()] == ["mild"]
    assert found.entries["mild"].alternatives == ("severe", "marked")


def test_three_columns_are_enough_and_tabs_are_read(tmp_path):
    found = read(tmp_path, "term\tcategory\talternatives\nmild\tdescriptors\tsevere\n")
    assert found.categories() == {"descriptors": 1}


def test_every_wrong_row_is_named(tmp_path):
    text = (
        "term,category,alternatives,approved\n"
        "mild,,severe,yes\n"
        "left,location,Left; right; right,perhaps\n"
        "LEFT,location,right,yes\n"
        "1 cm,measurements,2 cm,yes\n"
    )
    with pytest.raises(UserError) as caught:
        read(tmp_path, text)
    said = str(caught.value)
    for line, fault in (
        (2, "no category"),
        (3, "its own alternative"),
        (3, "stands there twice"),
        (3, "approved is 'perhaps'"),
        (4, "the term 'LEFT' stands there twice"),
        (5, "'measurements' is the category of sizes"),
    ):
        assert any(f".csv:{line}:" in row and fault in row for row in said.splitlines()), fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("word,category\nmild,x\n", "no column term, alternatives"),
        ("term,category,alternatives,approved\nmild,x,severe,no\n", "no term of it is approved"),
        ("term,category,alternatives\nmild,x,\n", "no term of it is approved"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path, text, fault):
    with pytest.raises(UserError, match=fault):
        read(tmp_path, text)


def test_another_encoding_is_refused_by_name(tmp_path):
    file = tmp_path / "dictionary.csv"
    file.write_bytes("term,category,alternatives\n\xf6dem,x,y\n".encode("latin-1"))
    with pytest.raises(UserError, match="cannot be read"):
        read_dictionary(file)


BROKEN = {
    "a value too many": ("{}\n{}\n{},more, than\n", 3, "'more', 'than' stands after the last"),
    "an open quote": ('{}\n{}\n"{}\n\n\n', 3, "is no CSV from here on"),
    "a quote inside": ('{}\n{}\n"a"b,{}\n', 3, "is no CSV from here on"),
    "a huge value": ("{}\n" + "w" * 140_000 + "{}\n{}", 2, "is no CSV from here on"),
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize(
    ("read_file", "rows"),
    [
        (read_dictionary, ("term,category,alternatives", "mild,x,severe", "left,x,right")),
        (lambda file: read_keywords(file, "dataset"), ("keyword,dataset", "mild,x", "left,x")),
    ],
)
def test_no_value_of_a_broken_row_is_lost_in_silence(tmp_path, case, read_file, rows):
    text, line, fault = BROKEN[case]
    file = tmp_path / "words.csv"
    file.write_text(text.format(*rows), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_file(file)
    (said,) = [row for row in str(caught.value).splitlines() if fault in row]
    assert f"words.csv:{line}: " in said


def test_empty_cells_and_lines_at_the_end_are_no_faults(tmp_path):
    text = GOOD.replace("\n", ",,\n") + "\n,,\n"
    assert dictionary_text(read(tmp_path, text)) == GOOD


def test_a_keyword_of_no_list_is_a_fault(tmp_path):
    file = tmp_path / "keywords.csv"
    file.write_text("dataset,keyword\nd1,mild\n ,left\n", encoding="utf-8")
    with pytest.raises(UserError, match="csv:3: the keyword 'left' has no dataset"):
        read_keywords(file, "dataset")
    assert read_keywords(file, None) == {"": ["mild", "left"]}
