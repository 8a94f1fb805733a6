"""Terms that stand in a text, overlapping ones too, as a search for each alone finds them."""

from hypothesis import given
from hypothesis import strategies as st

from toolkit.perturb.standing_terms import StandingTerms
from toolkit.perturb.term_finder import TermFinder, term_key

WORDS = st.sampled_from(["a", "b", "ab", "a  B", "b a", "w/o", "w", "(a)", "_", "-", "İ", "µ"])


@given(st.lists(WORDS, max_size=6), st.lists(WORDS, max_size=10), st.sampled_from([" ", "", "\n"]))
def test_equals_a_search_for_each_term_alone(terms, words, between):
    text = between.join(words)
    alone = {term_key(term) for term in terms if TermFinder([term]).find(text)}
    assert StandingTerms(terms).keys(text) == alone


def test_terms_inside_and_across_others_stand_there():
    terms = ["right lower lobe", "Lower", "lobe nodule", "lob", ""]
    found = StandingTerms(terms).keys("RIGHT lower\n lobe  nodule")
    assert found == {"right lower lobe", "lower", "lobe nodule"}
