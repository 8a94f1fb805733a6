import pytest

from toolkit.readers.rated import read_rated

QUESTIONS = {"faithful": (0, 1), "sensitivity": (0, 2)}


def read(folder, text, encoding="utf-8", private=False):
    file = folder / "anna.csv"
    file.write_bytes(text.encode(encoding))
    found = read_rated(file, QUESTIONS, ["1", "2"], private=private)
    return found.values, [fault.replace(str(folder) + "/", "") for fault in found.faults]


@pytest.mark.parametrize("divider", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_what_spreadsheets_save_is_read(tmp_path, divider, encoding):
    text = 'case,"text",faithful,sensitivity\r\n1,"two\r\nlines",1,2.0\r\n,,,\r\n2,x, 0 ,\r\n'
    values, faults = read(tmp_path, text.replace(",", divider), encoding)
    assert faults == []
    assert values == {"1": {"faithful": 1, "sensitivity": 2}, "2": {"faithful": 0}}


def test_every_fault_is_named_with_the_line_its_row_begins_in(tmp_path):
    _, faults = read(
        tmp_path,
        'case,text,faithful,sensitivity\n1,"two\nlines",2,0.5\n1,x,1,1\n7,x,1,1\n1,1\n',
    )
    assert faults == [
        "anna.csv:2: case 1: faithful is '2', it must be a whole number from 0 to 1",
        "anna.csv:2: case 1: sensitivity is '0.5', it must be a whole number from 0 to 2",
        "anna.csv:4: case 1 stands in line 2 already",
        "anna.csv:5: there is no case '7'",
        "anna.csv:6: 2 values, but the header names 4 columns",
        "anna.csv: no row for 1 cases: 2",
    ]


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1,0", 1), ("1.00", 1), ("+1", 1), ("1,000", None), ("1.000", None), ("1,0000", None)],
)
def test_what_may_be_a_thousand_is_not_read_as_one(tmp_path, cell, value):
    text = f'case,faithful,sensitivity\n1,"{cell}",\n2,,\n'
    values, faults = read(tmp_path, text)
    assert values["1"].get("faithful") == value
    assert [f"faithful is '{cell}'" in fault for fault in faults] == ([] if value else [True])


def test_faults_of_private_texts_name_the_place_and_repeat_nothing(tmp_path):
    _, faults = read(
        tmp_path,
        "case,faithful,sensitivity\n1,left effusion,0\n2,1,1\nright lung,1,1\n",
        private=True,
    )
    assert faults == [
        "anna.csv:2: case 1: faithful must be a whole number from 0 to 1",
        "anna.csv:4: case names none",
    ]


@pytest.mark.parametrize(
    ("text", "encoding", "why"),
    [
        ("case,faithful\n1,1\n", "utf-8", "not so: sensitivity"),
        ("case,faithful,faithful,sensitivity\n", "utf-8", "not so: faithful"),
        ("", "utf-8", "it is empty"),
        ("case,faithful,sensitivity\n1,é,1\n", "latin-1", "not UTF-8"),
        ('case,faithful,sensitivity\n1,"1,1\n', "utf-8", "no table"),
    ],
)
def test_a_file_that_is_no_table_of_ratings_is_one_fault(tmp_path, text, encoding, why):
    values, faults = read(tmp_path, text, encoding)
    assert not values
    assert len(faults) == 1
    assert why in faults[0]
