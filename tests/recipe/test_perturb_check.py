"""What is edited: every level and number that edits nothing, or cannot be, has its place."""

import pytest
import small_recipe

PERTURB = {
    "column": "question",
    "dictionary": "d.csv",
    "substitution": {"levels": {"TS-1.a_B": [1, 1]}},
    "removal": {"levels": {"IR": 1}},
    "measurements": {"factor": [0.5, 0.5]},
}


def faults(folder, **changes):
    folder.joinpath("d.csv").write_text("term,category,alternatives\na,b,c\n", encoding="utf-8")
    file = small_recipe.write(folder, perturb=PERTURB | changes)
    return small_recipe.faults(file)


def test_good_levels_have_no_faults(tmp_path):
    assert faults(tmp_path) == []


CASES = {
    "no category": ({"substitution": {"levels": {"A": [0, 1]}}}, "substitution.levels.A[0]"),
    "no term": ({"substitution": {"levels": {"A": [1, -1]}}}, "substitution.levels.A[1]"),
    "no point": ({"removal": {"levels": {"IR": 0}}}, "removal.levels.IR"),
    "a factor of nothing": ({"measurements": {"factor": [0, 3]}}, "measurements.factor"),
    "a negative factor": ({"measurements": {"factor": [-1, 3]}}, "measurements.factor"),
    "a range upside down": ({"measurements": {"factor": [3, 0.3]}}, "measurements.factor"),
    "a colon": ({"substitution": {"levels": {"A:B": [1, 1]}}}, "substitution.levels.A:B"),
    "a space": ({"removal": {"levels": {"I R": 1}}}, "removal.levels.I R"),
    "a line end": ({"removal": {"levels": {"IR\n": 1}}}, "removal.levels.IR\n"),
    "no name": ({"removal": {"levels": {"": 1}}}, "removal.levels."),
    "lists of nothing": (
        {"removal": {"levels": {"IR": 1}, "keywords_by": "dataset"}},
        "removal.keywords_by",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_edits_nothing_or_cannot_be_an_id_is_refused_where_it_stands(tmp_path, case):
    changes, path = CASES[case]
    (fault,) = faults(tmp_path, **changes)
    assert fault.path == f"perturb.{path}"
    assert fault.line > 1
    assert fault.suggestion


def test_all_faults_are_said_at_once(tmp_path):
    found = faults(
        tmp_path,
        substitution={"levels": {"A:B": [0, 0]}},
        removal={"levels": {"C": 0}},
        measurements={"factor": [0, 0]},
    )
    assert len(found) == 5
