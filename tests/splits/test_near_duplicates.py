"""Near-duplicates: what is proposed, what is decided, and that order decides nothing."""

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.recipe.splits_section import NearDuplicates
from toolkit.splits.near_duplicates import (
    bands,
    candidate_pairs,
    digests,
    document,
    find_pairs,
    near_duplicates,
    shingles,
    signatures,
)

PARAMS = NearDuplicates()


def long_text(seed: int, words: int = 120) -> str:
    rng = random.Random(seed)
    return " ".join(f"w{rng.randrange(5000)}" for _ in range(words))


def edited(text: str, at: int) -> str:
    words = text.split()
    words[at] = "changed"
    return " ".join(words)


def test_shingles_ignore_case_and_punctuation():
    assert shingles("One two, THREE four.", 3) == {"one two three", "two three four"}


def test_short_and_empty_texts_are_defined():
    assert shingles("Only three words", 5) == {"only three words"}
    assert shingles(" ... ", 5) == frozenset()
    ids, texts = ["a", "b", "c", "d", "e"], ["No data.", "no data", "", "?!", "No more data"]
    assert [tuple(pair) for pair in near_duplicates(ids, texts, PARAMS)] == [("a", "b", 1.0)]


def test_document_joins_what_is_there():
    assert document(["input", None, "conclusion"]) == "input\n\nconclusion"


def test_one_changed_word_is_found_and_another_text_is_not():
    texts = [long_text(1), edited(long_text(1), 60), long_text(2)]
    (pair,) = near_duplicates(["a", "b", "c"], texts, PARAMS)
    assert (pair.first, pair.second) == ("a", "b")
    one, two = (shingles(text, 5) for text in texts[:2])
    assert pair.jaccard == len(one & two) / len(one | two) < 1


def test_the_threshold_is_exact():
    texts = [long_text(1), edited(long_text(1), 60)]
    (pair,) = near_duplicates(["a", "b"], texts, PARAMS)
    at = NearDuplicates(threshold=pair.jaccard)
    above = NearDuplicates(threshold=pair.jaccard + 1e-9)
    assert len(near_duplicates(["a", "b"], texts, at)) == 1
    assert near_duplicates(["a", "b"], texts, above) == []


def test_copies_are_reported_once_each_with_the_smallest_id():
    ids = [f"{n:04d}" for n in range(1000)]
    pairs = near_duplicates(ids, ["The same five words here."] * 1000, PARAMS)
    assert len(pairs) == 999
    assert {pair.first for pair in pairs} == {"0000"}
    assert {pair.jaccard for pair in pairs} == {1.0}


def test_order_decides_nothing():
    texts = {f"{n:03d}": long_text(n // 3) for n in range(60)}
    texts = {item: edited(text, int(item) % 120) for item, text in texts.items()}
    expected = near_duplicates(list(texts), list(texts.values()), PARAMS)
    assert len(expected) == 60
    shuffled = list(texts)
    random.Random(5).shuffle(shuffled)
    assert near_duplicates(shuffled, [texts[item] for item in shuffled], PARAMS) == expected


def test_shards_may_be_worked_apart():
    texts = [long_text(n) for n in range(20)]
    whole = signatures(texts, PARAMS)
    assert whole.shape == (20, 128) and whole.dtype == np.uint32
    assert np.array_equal(np.vstack([signatures(texts[:7], PARAMS), signatures(texts[7:], PARAMS)]),
                          whole)  # fmt: skip
    assert digests(texts[:7]) + digests(texts[7:]) == digests(texts)
    assert signatures([], PARAMS).shape == (0, 128)


def test_texts_are_asked_for_only_where_proposed():
    texts = [long_text(1), edited(long_text(1), 3), *(long_text(n) for n in range(10, 40))]
    asked: set[int] = set()

    def text_of(at: int) -> str:
        asked.add(at)
        return texts[at]

    ids = [f"{n:03d}" for n in range(len(texts))]
    assert len(find_pairs(ids, digests(texts), signatures(texts, PARAMS), text_of, PARAMS)) == 1
    assert asked == {0, 1}


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8, 0.9, 1.0])
def test_bands_keep_the_recall_they_promise(threshold):
    b, r = bands(threshold, 128)
    assert b * r <= 128
    assert 1 - (1 - threshold**r) ** b >= 0.999


def test_proposals_equal_those_of_the_datasketch_index():
    from datasketch import MinHash, MinHashLSH

    rng = random.Random(7)
    words = [f"w{n}" for n in range(60)]
    texts = [" ".join(rng.choices(words, k=30)) for _ in range(40)]
    texts += [edited(text, 4) for text in texts]
    params = NearDuplicates(threshold=0.5, shingle=2)
    rows = signatures(texts, params)
    index = MinHashLSH(num_perm=128, params=bands(0.5, 128))
    sketches = [MinHash(hashvalues=row, scheme="affine32", seed=1) for row in rows]
    expected = set()
    for at, sketch in enumerate(sketches):
        expected |= {(other, at) for other in index.query(sketch)}
        index.insert(at, sketch)
    assert expected
    assert {tuple(pair) for pair in candidate_pairs(rows, params).tolist()} == expected


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from("abcdefgh"), min_size=0, max_size=8).map(" ".join),
        max_size=12,
    )
)
def test_every_pair_above_the_threshold_is_connected(texts):
    params = NearDuplicates(threshold=0.8, shingle=2)
    ids = [f"{n:02d}" for n in range(len(texts))]
    pairs = near_duplicates(ids, texts, params)
    sets = {item: shingles(text, 2) for item, text in zip(ids, texts, strict=True)}
    group = {item: item for item in ids}
    for pair in pairs:
        assert pair.first < pair.second
        one, two = sets[pair.first], sets[pair.second]
        assert pair.jaccard == len(one & two) / len(one | two) >= 0.8
        old, new = group[pair.second], group[pair.first]
        group = {item: new if mine == old else mine for item, mine in group.items()}
    for one, two in combinations(ids, 2):
        if sets[one] and sets[one] == sets[two]:
            assert group[one] == group[two]
