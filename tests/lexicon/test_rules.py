"""The rules of a dictionary, each broken once."""

import pytest

from toolkit.lexicon.rules import Rules, dictionary_faults, pair_faults
from toolkit.lexicon.synonyms import Synonyms
from toolkit.lexicon.table import Placed
from toolkit.perturb.dictionary import Entry

SYNONYMS = Synonyms((frozenset(("mild", "slight")),), (("pe", "pulmonary embolism"),))


def faults(*entries, closed=("study types",)):
    placed = [Placed(line, entry) for line, entry in enumerate(entries, start=2)]
    return dictionary_faults(placed, Rules(SYNONYMS, closed))


def entry(term, category, *alternatives, **more):
    return Entry(term=term, category=category, alternatives=alternatives, **more)


def test_a_good_dictionary_has_no_faults():
    assert not faults(
        entry("mild", "descriptors", "severe", "marked", mutual_opposite=True),
        entry("severe", "descriptors", "mild", mutual_opposite=True),
        entry("marked", "descriptors", "mild", mutual_opposite=True),
        entry("nodule", "findings", "cyst", "cavity"),
        *(
            entry(one, "study types", *(other for other in ("CT", "MRI", "PET") if other != one))
            for one in ("CT", "MRI", "PET")
        ),
    )


@pytest.mark.parametrize(
    ("entries", "fault"),
    [
        ([entry("mild", "d", "slight", "severe")], "'slight': means the same"),
        ([entry("PE", "d", "pneumonia", "pulmonary embolism")], "means the same as the term"),
        ([entry("cyst", "f", "cysts", "mass")], "'cysts': holds the term"),
        ([entry("nodule", "f", "masses", "cyst")], "'masses': is plural"),
        ([entry("mild", "d", "lesion", "severe")], "noun, the term an adjective"),
        ([entry("left", "l", "right")], "has 1 alternatives; 2 to 6"),
        ([entry("cyst", "f", "Mass", "mass")], "'mass': stands there twice"),
        ([entry("cyst", "f", "mass", "bone"), entry("bone", "a", "skin", "fat")],
         "'bone': is of another category, a"),
        ([entry("cyst", "f", "mass", "bone"), entry("Cyst", "f", "mass", "bone")],
         "'Cyst' stands in line 2 too"),
        ([entry("left", "l", "right", mutual_opposite=True)], "must be a term as well"),
        ([entry("left", "l", "right", mutual_opposite=True), entry("right", "l", "up", "low")],
         "does not name the term as its opposite"),
        ([entry("CT", "study types", "MRI"), entry("MRI", "study types", "CT"),
          entry("PET", "study types", "CT", "MRI")], "'CT' lacks pet of the closed set"),
        ([entry("CT", "study types", "MRI", "PET"), entry("MRI", "study types", "CT")],
         "'CT' has pet which are no terms of the set"),
        ([entry("5 cm", "measurements", "3 cm", "4 cm")], "the category 'measurements' stays"),
        ([entry("=HYPERLINK()", "f", "mass", "cyst")], "a spreadsheet may run it"),
        ([entry("cyst", "f", "mass", "bone", approved_by="A. Reader")], "say by whom"),
        ([entry("cyst", "f", "mass", "bone", approved_by="A", approved_on="1 May")], "by whom"),
        ([entry("cyst", "", "mass", "bone")], "'cyst' has no category"),
    ],
)  # fmt: skip
def test_each_rule(entries, fault):
    said = faults(*entries)
    assert any(fault in text for _, text in said), said
    assert all(2 <= line < 2 + len(entries) for line, _ in said)


def test_a_pair_that_breaks_two_rules_says_both():
    assert len(list(pair_faults("cyst", "cysts", SYNONYMS))) == 2
