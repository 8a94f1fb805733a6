"""Terms that share their letters or are forms of the same words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.lexicon.overlap import overlap_fault, same_word


@pytest.mark.parametrize(
    ("term", "alternative", "fault"),
    [
        ("effusion", "pleural effusion", "holds the term"),
        ("pleural effusion", "effusion", "is a part of the term"),
        ("normal", "abnormal", "holds the term"),
        ("complete", "incomplete", "holds the term"),
        ("cyst", "cysts", "holds the term"),
        ("diagnosis", "diagnoses", "is another form of the term"),
        ("metastasis", "metastatic", "is another form of the term"),
        ("stenosis", "stenotic", "is another form of the term"),
        ("dilated", "dilatation", "is another form of the term"),
        ("pancreas", "pancreatic", "is another form of the term"),
        ("opacity", "ground-glass opacities", "holds the term in another form"),
        ("Left", "left", "is the term itself"),
        ("fluid-filled", "fluid filled", "is the term itself"),
        ("CT", "PET/CT", "holds the term"),
    ],
)
def test_overlaps(term, alternative, fault):
    assert overlap_fault(term, alternative) == fault


@pytest.mark.parametrize(
    ("term", "alternative"),
    [
        ("adenoma", "adenocarcinoma"),
        ("unilateral", "bilateral"),
        ("hyperintense", "hypointense"),
        ("pleural effusion", "pleural thickening"),
        ("colitis", "diverticulitis"),
        ("infarct", "infection"),
        ("CT", "tractography"),
        ("increased", "decreased"),
        ("grade 2", "grade 3"),
    ],
)
def test_what_shares_letters_and_is_another_term(term, alternative):
    assert overlap_fault(term, alternative) == ""
    assert overlap_fault(alternative, term) == ""


WORDS = st.text("abcdefgilnorst", min_size=1, max_size=9)


@given(WORDS, WORDS)
def test_overlap_and_forms_go_both_ways(one, other):
    assert bool(overlap_fault(one, other)) == bool(overlap_fault(other, one))
    assert same_word(one, other) == same_word(other, one)
    assert same_word(one, one)
