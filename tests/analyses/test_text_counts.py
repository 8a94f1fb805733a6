"""Words, sentences and numbered points."""

import pytest

from toolkit.analyses.text_counts import count_units, n_points


@pytest.mark.parametrize(
    ("text", "points"),
    [
        (
            "1. No pulmonary embolism. 2. Mild bilateral pleural effusions. 3. 1.5 cm right lower "
            "lobe nodule, suspicious for malignancy.",
            3,
        ),
        ("Nodule measures 1.5 cm at L4. 5 mm cyst.", 1),
        ("1) One\n2) Two", 2),
        ("1. Only one", 1),
        ("2. Starts at two. 3. Goes on.", 1),
        ("No list at all.", 1),
        ("1. a 2. b 2. c 3. d", 3),
        (" \n", 0),
        ("", 0),
    ],
)
def test_points(text, points):
    assert n_points(text) == points
    assert count_units(text, "points") == points


def test_words_and_sentences_are_those_of_the_prompts():
    text = "The risk fell (p < 0.05). It was 1.5 mg/kg."
    assert count_units(text, "words") == 9
    assert count_units(text, "sentences") == 2
