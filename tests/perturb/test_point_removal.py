"""Points with the most keywords go first, one always stays, and every removal can be undone."""

import random

from hypothesis import given
from hypothesis import strategies as st

from tests.perturb.test_points import THREE
from toolkit.perturb.alteration import original_text
from toolkit.perturb.point_removal import keyword_counts, remove_points
from toolkit.perturb.points import find_points
from toolkit.perturb.term_finder import TermFinder

KEYWORDS = TermFinder(
    [
        "pulmonary embolism",
        "mild",
        "bilateral",
        "pleural effusions",
        "1.5 cm",
        "right lower lobe nodule",
        "suspicious",
        "malignancy",
    ]
)


def removed(text, most, keep=1, seed=0):
    return remove_points(text, KEYWORDS, most=most, keep=keep, rng=random.Random(seed))


def test_keywords_are_counted_by_point():
    assert keyword_counts(THREE, find_points(THREE), KEYWORDS) == [1, 3, 4]


def test_the_levels_of_the_worked_example():
    assert removed(THREE, 1).text == (
        "1. No pulmonary embolism. 2. Mild bilateral pleural effusions."
    )
    both = removed(THREE, 3)
    assert both.text == "1. No pulmonary embolism."
    assert both.done == 2
    assert both.target == 3
    assert both.reason == "1 of 3 are kept"
    assert [made.original[:4] for made in both.alterations] == ["1.5 ", "Mild"]


def test_later_points_get_new_numbers():
    text = "1. Suspicious mild mass.\n2. No change.\n3. Bilateral mild effusion.\n4. Normal."
    assert removed(text, 2).text == "1. No change.\n2. Normal."


def test_a_tie_is_broken_by_position():
    text = "1. Mild cyst. 2. Mild effusion. 3. Normal."
    assert removed(text, 1).text == "1. Mild effusion. 2. Normal."


def test_a_single_point_loses_sentences_and_a_single_sentence_a_keyword():
    text = "There is mild bilateral oedema. The heart is normal."
    assert removed(text, 1).text == "The heart is normal."
    assert removed(text, 1).alterations[0].kind == "sentence"
    one = "There is mild oedema."
    assert removed(one, 3).text == "There is oedema."
    assert removed(one, 3).alterations[0].kind == "keyword"
    nothing = removed("All is well.", 1)
    assert (nothing.text, nothing.done) == ("All is well.", 0)
    assert nothing.reason


WORDS = st.sampled_from(["mild", "bilateral", "suspicious", "cyst", "1.5 cm", "L4.", "No mass."])
POINTS = st.lists(st.lists(WORDS, min_size=1, max_size=5).map(" ".join), min_size=0, max_size=6)


@given(POINTS, st.sampled_from([" ", "\n"]), st.integers(1, 4), st.integers(1, 2), st.booleans())
def test_every_removal_is_undone_exactly(points, between, most, keep, numbered):
    lines = [f"{at}. {text}." if numbered else f"{text}." for at, text in enumerate(points, 1)]
    text = between.join(lines)
    found = removed(text, most, keep)
    assert original_text(found) == text
    assert found.done <= most
    if text:
        assert found.text.strip()
    left = [point.number for point in find_points(found.text)]
    assert left in ([None], list(range(1, len(left) + 1))) or not text
