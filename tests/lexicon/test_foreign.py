"""Tables of others in the columns of a dictionary."""

import json

import pytest
from click.testing import CliRunner
from lexicon_data import write

from toolkit.cli.main import cli
from toolkit.errors import UserError
from toolkit.lexicon.foreign import Layout, import_table
from toolkit.perturb.dictionary import read_dictionary

WIDE = (
    "Term,Type,Replacement_1,Replacement_2,Replacement_3\n"
    "mild,Descriptors,severe,marked,\n"
    "nodule,Findings,cyst,,cyst\n"
)
LAYOUT = Layout(
    term="Term",
    category="Type",
    alternatives=["Replacement_1", "Replacement_2", "Replacement_3"],
    categories={"Descriptors": "descriptors"},
    source="table 1",
)


def found(file, layout=LAYOUT):
    return {
        entry.term: (entry.category, entry.alternatives)
        for entry in import_table(file, layout).entries.values()
    }


def test_a_column_for_each_alternative(tmp_path):
    assert found(write(tmp_path, WIDE)) == {
        "mild": ("descriptors", ("severe", "marked")),
        "nodule": ("Findings", ("cyst",)),
    }


@pytest.mark.parametrize(
    "cell", [["cyst", "scar"], '["cyst", "scar"]', "['cyst', 'scar']", "cyst; scar ;", "cyst;scar"]
)
def test_a_list_in_one_cell(tmp_path, cell):
    file = write(tmp_path, json.dumps({"t": "nodule", "c": "f", "r": cell}), "t.jsonl")
    layout = Layout(term="t", category="c", alternatives=["r"])
    assert found(file, layout) == {"nodule": ("f", ("cyst", "scar"))}


def test_a_row_for_each_alternative(tmp_path):
    file = write(tmp_path, "t,c,r\nnodule,f,cyst\nmass,f,scar\nNodule,f,scar\n")
    layout = Layout(term="t", category="c", alternatives=["r"])
    assert found(file, layout) == {"nodule": ("f", ("cyst", "scar")), "mass": ("f", ("scar",))}


def test_every_wrong_row_is_named(tmp_path):
    file = write(
        tmp_path, "t,c,r\n,f,cyst\nmass,,scar\nnodule,f,\ncyst,f,scar\ncyst,g,scar\nbone,f,=1+1\n"
    )
    with pytest.raises(UserError) as caught:
        import_table(file, Layout(term="t", category="c", alternatives=["r"]))
    said = [line.split(".csv:")[1] for line in caught.value.message.splitlines()]
    assert said == [
        "2: no term",
        "3: 'mass' has no category",
        "4: 'nodule' has no alternative",
        "6: 'cyst' is of 'g' here, of 'f' in line 5",
        "7: '=1+1' does not begin with a letter or a digit; a spreadsheet may run it",
    ]


def run(tmp_path, *more):
    file = write(tmp_path, WIDE, "wide.csv")
    out = tmp_path / "dictionary.csv"
    columns = "Replacement_1,Replacement_2, Replacement_3"
    arguments = ["--term", "Term", "--category", "Type", "--alternatives", columns]
    result = CliRunner().invoke(
        cli, ["dictionary", "import", str(file), "--out", str(out), *arguments, *more]
    )
    return out, result


def test_the_command_writes_what_edits_read(tmp_path):
    out, result = run(
        tmp_path, "--rename", "Findings=findings",
        "--approved-by", "A. Reader", "--approved-on", "2026-01-02",
    )  # fmt: skip
    assert result.exit_code == 0
    assert "2 terms, 3 alternatives" in result.output
    read = read_dictionary(out)
    assert read.categories() == {"Descriptors": 1, "findings": 1}
    assert read.entries["mild"].source == "wide.csv"
    assert read.entries["mild"].approved_on == "2026-01-02"


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        (["--approved-by", "A. Reader"], "go together"),
        (["--approved-by", "A", "--approved-on", "May"], "is no day"),
        (["--rename", "Findings"], "not OLD=NEW"),
    ],
)
def test_wrong_options(tmp_path, more, fault):
    out, result = run(tmp_path, *more)
    assert isinstance(result.exception, UserError)
    assert fault in result.exception.message
    assert not out.exists()


def test_without_approval_the_entries_wait(tmp_path):
    out, result = run(tmp_path)
    assert result.exit_code == 0
    with pytest.raises(UserError, match="no term of it is approved"):
        read_dictionary(out)
    _, again = run(tmp_path)
    assert "there already" in again.exception.message
