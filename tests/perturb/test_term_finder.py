"""Terms in texts: whole words, the longest first, as brute force finds them."""

import re

from hypothesis import given
from hypothesis import strategies as st

from toolkit.perturb.term_finder import TermFinder, folded


def found(text, *terms):
    return [(hit.term, text[hit.start : hit.end]) for hit in TermFinder(terms).find(text)]


def test_the_longest_term_wins_whatever_its_case_and_white_space():
    text = "Pleural  Effusion, effusion and effusions; no pleural thickening."
    assert found(text, "effusion", "pleural effusion", "pleural") == [
        ("pleural effusion", "Pleural  Effusion"),
        ("effusion", "effusion"),
        ("pleural", "pleural"),
    ]


def test_a_longer_term_that_runs_into_a_word_does_not_hide_the_shorter_one():
    assert found("left lungs", "left lung", "left") == [("left", "left")]


def test_terms_may_hold_signs_of_regular_expressions():
    assert found("w/o contrast (CT) C++", "w/o", "(ct)", "c++") == [
        ("w/o", "w/o"),
        ("(ct)", "(CT)"),
        ("c++", "C++"),
    ]


def test_no_terms_find_nothing():
    assert found("anything") == []


def test_terms_inside_longer_ones():
    text = "a right lower lobe nodule"
    finder = TermFinder(["right lower lobe nodule", "right", "lower lobe", "nodule", "lobe"])
    (whole,) = finder.find(text)
    assert sorted(hit.term for hit in finder.inside(text, whole)) == [
        "lobe",
        "lower lobe",
        "nodule",
        "right",
    ]


WORDS = st.sampled_from(["a", "b", "ab", "a b", "b a", "a b a", "c"])


@given(st.lists(WORDS, min_size=1, max_size=5, unique=True), st.lists(WORDS, max_size=12))
def test_equals_a_plain_alternation(terms, words):
    text = " ".join(words)
    longest_first = sorted(terms, key=lambda term: -len(term.split()))
    plain = re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)")
    assert [(h.start, h.end) for h in TermFinder(terms).find(text)] == [
        match.span() for match in plain.finditer(text)
    ]


LETTERS = st.text(st.sampled_from("iIİıſsSµμΜßẞςσΣKkÅåŉǰ\u0345\u0307 \u2003-"), max_size=6)
ANYTHING = st.text(max_size=12)


@given(
    st.lists(LETTERS | ANYTHING, max_size=6),
    st.lists(LETTERS | ANYTHING, max_size=8),
    st.booleans(),
)
def test_any_letters_keep_their_places(terms, words, upper):
    text = " ".join([*words, *(term.upper() if upper else term for term in terms)])
    assert len(folded(text)) == len(text)
    assert folded(folded(text)) == folded(text)
    finder = TermFinder(terms)
    hits = finder.find(text)
    last = 0
    for hit in hits:
        assert hit.term in terms
        assert last <= hit.start < hit.end
        assert folded(text[hit.start : hit.end]).split() == folded(hit.term).split()
        for inner in finder.inside(text, hit):
            assert hit.start <= inner.start < inner.end <= hit.end
        last = hit.end


def test_letters_with_an_odd_small_form_are_found_where_they_stand():
    assert found("İ: 5 µm, meaſles, IN ıt", "5 μm", "measles", "in it") == [
        ("5 μm", "5 µm"),
        ("measles", "meaſles"),
    ]
    assert found("a  b", "", " ") == []
