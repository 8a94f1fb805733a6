import random

import pytest

from toolkit.analyses.near_index import Match, NearIndex
from toolkit.analyses.training_texts import TrainingText
from toolkit.recipe.splits_section import NearDuplicates
from toolkit.splits.near_duplicates import shingles

WORDS = [f"w{at}" for at in range(400)]
PARAMS = NearDuplicates(threshold=0.6, shingle=3)


def sentence(rng, length=60):
    return [rng.choice(WORDS) for _ in range(length)]


def changed(rng, words, edits):
    found = list(words)
    for at in rng.sample(range(len(found)), edits):
        found[at] = rng.choice(WORDS)
    return found


def matches(texts, stream, params=PARAMS):
    index = NearIndex(texts, params)
    for at, text in enumerate(stream):
        index.pass_by(TrainingText("t", at, text))
    return index.matches()


def jaccard(one, other):
    a, b = shingles(one, 3), shingles(other, 3)
    return len(a & b) / len(a | b) if a | b else 0


def test_the_likest_text_is_found_as_comparing_all_pairs_does():
    rng = random.Random(1)
    texts = [" ".join(sentence(rng)) for _ in range(30)]
    stream = [
        " ".join(changed(rng, rng.choice(texts).split(), rng.randrange(12))) for _ in range(600)
    ] + [" ".join(sentence(rng)) for _ in range(200)]
    rng.shuffle(stream)
    found = matches(texts, stream)
    for text, match in zip(texts, found, strict=True):
        best = max(jaccard(text, other) for other in stream)
        if best < 0.6:
            assert match is None
        else:
            assert match.jaccard == pytest.approx(best)
            assert jaccard(text, stream[match.position]) == match.jaccard
    assert sum(match is not None for match in found) > 20


def test_copies_are_equal_words():
    texts = ["The cat sat.", "Another text here", "", None]
    stream = ["the CAT sat", "the cat sat on", "the cat sat"]
    assert matches(texts, stream) == [Match(1.0, True, "t", 0), None, None, None]
    assert matches(texts, stream, None) == [Match(1.0, True, "t", 0), None, None, None]


def test_a_text_of_the_same_shingles_in_another_order_is_no_copy():
    # The same two-word shingles, though not the same words in order.
    params = NearDuplicates(threshold=0.9, shingle=1)
    (match,) = matches(["a b c"], ["c b a"], params)
    assert (match.jaccard, match.exact) == (1.0, False)
    (match,) = matches(["a b c"], ["c b a", "A b C"], params)
    assert (match.exact, match.position) == (True, 1)


def test_texts_without_words_are_like_nothing():
    assert matches(["...", "a b"], ["!!!", ""]) == [None, None]


def test_equal_items_have_the_same_match():
    found = matches(["a b c d"] * 2, ["x", "a b c d"])
    assert found == [Match(1.0, True, "t", 1)] * 2
