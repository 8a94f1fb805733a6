"""Cosines: nearest concepts and the middle band."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from lexicon_data import Letters

from toolkit.lexicon.similarity import Space

TERMS = st.lists(st.text("abcdef", min_size=2, max_size=6), min_size=3, max_size=12, unique=True)


@given(TERMS)
def test_the_band_is_the_third_quarter_of_a_terms_own_cosines(terms):
    space = Space(terms, Letters())
    vectors = {t: e.vector / np.linalg.norm(e.vector)
               for t, e in zip(terms, Letters().measure(terms), strict=True)}  # fmt: skip
    first, *others = terms
    cosines = {other: float(vectors[first] @ vectors[other]) for other in others}
    low, high = np.percentile(list(cosines.values()), (50, 75))
    band = list(space.band(first))
    assert {term for term, _ in band} >= {
        t for t, c in cosines.items() if low + 1e-9 < c < high - 1e-9
    }
    assert all(low - 1e-9 <= cosines[term] <= high + 1e-9 for term, _ in band)
    assert [cosine for _, cosine in band] == sorted((c for _, c in band), reverse=True)
    assert first not in dict(band)
    nearest, cosine = space.nearest(first, others)
    assert abs(cosine - max(cosines.values())) < 1e-9
    assert abs(cosines[nearest] - cosine) < 1e-9


def test_a_term_alone_has_no_band():
    assert list(Space(["left"], Letters()).band("left")) == []


@given(TERMS)
def test_a_part_of_a_space_is_the_space_of_the_part(terms):
    part = Space(terms, Letters()).among(terms[1:])
    whole = Space(terms[1:], Letters())
    assert part.terms == whole.terms
    assert list(part.band(terms[1])) == list(whole.band(terms[1]))
