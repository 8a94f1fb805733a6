"""Checking a file: the starter dictionary is good, and a bad file is told all its faults."""

import pytest
from click.testing import CliRunner
from lexicon_data import HEAD, write

from toolkit.cli.main import cli
from toolkit.errors import UserError
from toolkit.lexicon.check import check_dictionary
from toolkit.lexicon.table import shipped_dictionary, table
from toolkit.perturb.dictionary import read_dictionary


def test_the_starter_dictionary_keeps_the_rules_and_is_used():
    checked = check_dictionary(shipped_dictionary())
    assert sum(checked.terms.values()) == checked.approved >= 140
    assert set(checked.terms) == {
        "pathology", "descriptors", "anatomy", "location", "findings", "confidence", "study types",
    }  # fmt: skip
    assert all(2 <= len(one.entry.alternatives) <= 6 for one in table(shipped_dictionary()))
    read = read_dictionary(shipped_dictionary())
    assert read.categories() == checked.terms
    assert {entry.approved_by for entry in read.usable()} == {"toolkit authors (not radiologists)"}


def test_every_fault_of_a_file_is_named_with_its_line(tmp_path):
    file = write(
        tmp_path,
        HEAD + "mild,descriptors,slight; severe,,no,no,,\n"
        "cyst,findings,cysts,,no,no,,\n"
        "left,location,right,,yes,no,,\n",
    )
    with pytest.raises(UserError) as caught:
        check_dictionary(file)
    said = caught.value.message.splitlines()
    assert said[0] == "5 faults"
    lines = [line.removeprefix(f"{file}:").split(":")[0] for line in said[1:]]
    assert lines == ["2", "3", "3", "3", "4"]
    result = CliRunner().invoke(cli, ["dictionary", "check", str(file)], catch_exceptions=True)
    assert isinstance(result.exception, UserError)


def test_a_file_that_nobody_approved_can_be_checked(tmp_path):
    file = write(tmp_path, HEAD + "nodule,findings,cyst; cavity,,no,no,,\n")
    assert check_dictionary(file).approved == 0
    result = CliRunner().invoke(cli, ["dictionary", "check", str(file)])
    assert result.exit_code == 0
    assert "1  terms, 0 approved; 2 alternatives, 2.00 a term" in result.output


def test_another_category_can_be_closed(tmp_path):
    file = write(tmp_path, HEAD + "left,side,right,,no,no,,\nright,side,left,,no,no,,\n")
    with pytest.raises(UserError, match="1 alternatives"):
        check_dictionary(file)
    assert check_dictionary(file, closed=["side"]).terms == {"side": 2}


def test_no_rows_are_no_dictionary(tmp_path):
    with pytest.raises(UserError, match="no column"):
        check_dictionary(write(tmp_path, HEAD))
