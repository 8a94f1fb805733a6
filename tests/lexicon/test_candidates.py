"""Terms that texts offer."""

import pytest

from toolkit.lexicon.candidates import defined_abbreviations, extract
from toolkit.lexicon.synonyms import Synonyms

NONE = Synonyms()


def terms(*texts, synonyms=NONE, **how):
    return {one.term: (one.texts, one.found_by) for one in extract(texts, synonyms, **how)}


def test_phrases_need_two_texts_and_patterns_one():
    found = terms(
        "Crohn disease with a thickened ileum, grade 2.",
        "The ileum is thickened; moderate to severe steatosis, 3.5 cm.",
    )
    assert found["ileum"] == (2, "phrase")
    assert found["crohn disease"] == (1, "pattern")
    assert found["grade 2"] == (1, "pattern")
    assert found["moderate to severe"] == (1, "pattern")
    assert "steatosis" not in found
    assert not any("cm" in term or "3" in term for term in found)


def test_abbreviations_are_written_out_first():
    found = terms("CT w/o PE.", "No PE.", synonyms=Synonyms((), (("pe", "pulmonary embolism"),)))
    assert found["pulmonary embolism"] == (2, "phrase")
    assert "PE" not in found


def test_a_phrase_that_always_stands_in_a_longer_one_is_left_out():
    text = "Left renal vein thrombus."
    assert terms(text, text).keys() == {"left renal vein thrombus"}
    assert terms(text, text, "A renal vein.", "A renal vein.").keys() == {
        "left renal vein thrombus",
        "renal vein",
    }


def test_modifiers_make_no_new_term():
    text = "Small left renal vein thrombus."
    found = terms(text, text, known=["small", "left"], modifiers=["small", "left"])
    assert found == {
        "small": (2, "concept"),
        "left": (2, "concept"),
        "renal vein thrombus": (2, "phrase"),
    }


def test_known_terms_are_found_whatever_they_are():
    found = terms("No evidence of a mass.", known=["no evidence of", "Mass"])
    assert found == {"mass": (1, "concept"), "no evidence of": (1, "concept")}


def test_what_a_model_names_counts_from_one_text_on():
    found = terms("A tiny Meckel pouch.", recognizer=lambda text: ["the Meckel pouch.", ""])
    assert found == {"meckel pouch": (1, "entity")}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Acute pulmonary embolism (PE).", [("PE", "pulmonary embolism")]),
        ("Enlarged lymph nodes (LNs) in", [("LN", "lymph nodes")]),
        ("Seen on CT (MRI).", []),
        ("(PE)", []),
    ],
)
def test_abbreviations_that_texts_define(text, found):
    assert defined_abbreviations([text]) == found
