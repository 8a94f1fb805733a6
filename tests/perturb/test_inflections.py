"""Forms of one word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.perturb.inflections import same_word

WORDS = st.text("abcdefghilmnorstuvxy", min_size=1, max_size=12)

SAME = """
effusion effusions; mass masses; opacity opacities; abscess abscesses; calf calves; valve valves
echo echoes; foot feet; plexus plexuses; lens lenses; kidney kidneys; biopsy biopsies
metastasis metastases; diagnosis diagnoses; vertebra vertebrae; thrombus thrombi; radius radii
diverticulum diverticula; ganglion ganglia; foramen foramina; foramens foramina; apex apices
appendix appendices; cortex cortices; phalanx phalanges; calyx calyces; thorax thoraces
carcinoma carcinomata; carcinomas carcinomata; arthritis arthritides; femur femora; corpus corpora
viscus viscera; crus crura; pons pontes; suggests suggesting; dilated dilates; enhancing enhances
calcified calcify; scarring scarred; swelling swells; rated rates
"""

APART = """
large larger; low lower; mild mildly; calcified calcification; left leave; stable unstable
ileum ilium; scar scared; rat rated; mass mast; benign being; base basis; need needle; pus pi
sinus sinusitis; adenoma adenocarcinoma; bacterium bacteriology
"""


def pairs(text: str) -> list[tuple[str, ...]]:
    return [tuple(pair.split()) for line in text.strip().splitlines() for pair in line.split(";")]


@pytest.mark.parametrize(("one", "other"), pairs(SAME))
def test_forms_of_one_word(one: str, other: str) -> None:
    assert same_word(one, other)
    assert same_word(other, one)


@pytest.mark.parametrize(("one", "other"), pairs(APART))
def test_other_words_are_none(one: str, other: str) -> None:
    assert not same_word(one, other)


@given(WORDS, WORDS)
def test_it_holds_both_ways_and_of_a_word_with_itself(one: str, other: str) -> None:
    assert same_word(one, one)
    assert same_word(one, other) == same_word(other, one)


@given(WORDS)
def test_a_regular_plural_is_a_form_of_the_word(word: str) -> None:
    if len(word) >= 3 and word[-1] not in "sxziuoyh":
        assert same_word(word, f"{word}s")
