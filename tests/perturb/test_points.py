"""Numbered points and sentences of an impression."""

import pytest

from toolkit.perturb.points import find_points, find_sentences

THREE = (
    "1. No pulmonary embolism. 2. Mild bilateral pleural effusions. 3. 1.5 cm right lower lobe "
    "nodule, suspicious for malignancy."
)


def bodies(text):
    return [text[point.body : point.end] for point in find_points(text)]


def test_the_third_point_begins_with_a_size():
    assert bodies(THREE) == [
        "No pulmonary embolism.",
        "Mild bilateral pleural effusions.",
        "1.5 cm right lower lobe nodule, suspicious for malignancy.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Nodule measures 1.5 cm at L4. 5 mm cyst.",
        "2. Effusion. 3. Nodule.",
        "1. Only one point.",
        "Stable since 1. Unchanged.",
        "1.5 cm nodule. 2.5 cm mass.",
    ],
)
def test_what_is_no_list_is_one_point(text):
    assert len(find_points(text)) == 1


def test_numbers_that_a_word_asks_for_begin_no_point():
    text = "1. Gleason grade 2. Tumour in zone 3. 2) Enlarged nodes.\n3. Cyst, type 4. Simple."
    assert len(find_points(text)) == 3


def test_a_list_may_follow_a_heading_and_use_brackets():
    assert bodies("IMPRESSION:\n1) No mass\n2) Small cyst\n") == ["No mass", "Small cyst"]


def test_an_empty_text_has_no_points():
    assert find_points("") == find_points(" \n") == []


def test_sentences_survive_sizes_and_levels():
    text = "A 1.5 cm nodule lies at L4. There is no effusion."
    (point,) = find_points(text)
    assert [text[s.start : s.end] for s in find_sentences(text, point)] == [
        "A 1.5 cm nodule lies at L4.",
        "There is no effusion.",
    ]
