from hypothesis import given
from hypothesis import strategies as st

from toolkit.analyses.ngram_index import Coverage, NgramIndex

TEXT = st.lists(st.sampled_from("abcd"), max_size=14).map(" ".join)


def grams(text, n):
    words = text.split()
    return [tuple(words[at : at + n]) for at in range(len(words) - n + 1)]


def by_hand(text, stream, n):
    """Coverage by sets of tuples."""
    known = {gram for other in stream for gram in grams(other, n)}
    met = [gram in known for gram in grams(text, n)]
    longest = run = 0
    for each in met:
        run = run + 1 if each else 0
        longest = max(longest, run)
    return Coverage(len(met), sum(met), longest + n - 1 if longest else 0)


@given(st.lists(TEXT, max_size=4), st.lists(TEXT, max_size=4), st.integers(2, 4))
def test_coverage_is_that_of_sets(texts, stream, n):
    index = NgramIndex(texts, n)
    for text in stream:
        index.pass_by(text)
    assert index.coverage() == [by_hand(text, stream, n) for text in texts]


def test_a_worked_example():
    index = NgramIndex(["The cat sat on the mat today.", "too short", None], 3)
    index.pass_by("Yesterday THE CAT, sat on a mat")
    index.pass_by("on the mat today")
    # the-cat-sat, cat-sat-on, on-the-mat, the-mat-today of five; sat-on-the stands nowhere.
    assert index.coverage() == [Coverage(5, 4, 4), Coverage(0, 0, 0), Coverage(0, 0, 0)]


def test_the_order_of_the_stream_changes_nothing():
    texts = ["a b c d e f", "d e f g"]
    found = []
    for stream in (["a b c", "e f g", "d e f"], ["d e f", "e f g", "a b c"]):
        index = NgramIndex(texts, 3)
        for text in stream:
            index.pass_by(text)
        found.append(index.coverage())
    assert found[0] == found[1]
