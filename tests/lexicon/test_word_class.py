"""What a term can be in a sentence."""

import pytest

from toolkit.lexicon.word_class import class_fault, term_class


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        ("mild", "adjective"),
        ("enlarged", "adjective"),
        ("fluid-filled", "adjective"),
        ("hyperintense", "adjective"),
        ("perihilar", "adjective"),
        ("subarachnoid", "adjective"),
        ("nodule", "singular noun"),
        ("metastases", "plural noun"),
        ("sulci", "plural noun"),
        ("basal ganglia", "plural noun"),
        ("ascites", "singular noun"),
        ("atelectasis", "singular noun"),
        ("white matter", "singular noun"),
        ("CT", "singular noun"),
        ("grade 2", "singular noun"),
        ("definitely", "adverb"),
        ("suspicious for", "adjective with a preposition"),
        ("may represent", "verb phrase"),
        ("cannot be excluded", "verb phrase"),
        ("without contrast", "prepositional phrase"),
    ],
)
def test_parts_of_speech(term, shown):
    assert str(term_class(term)) == shown


@pytest.mark.parametrize(
    ("term", "alternative", "fault"),
    [
        ("nodule", "cysts", "is plural, the term singular"),
        ("cysts", "mass", "is singular, the term plural"),
        ("mild", "hematoma", "is a singular noun, the term an adjective"),
        ("suspicious for", "benign", "is an adjective, the term an adjective with a preposition"),
        ("definitely", "doubtful", "is an adjective, the term an adverb"),
        ("may represent", "definitely", "is an adverb, the term a verb phrase"),
    ],
)
def test_what_does_not_fit_is_said(term, alternative, fault):
    assert class_fault(term, alternative) == fault


@pytest.mark.parametrize(
    ("term", "alternative"),
    [
        ("calcified", "cystic"),
        ("enhancing", "necrotic"),
        ("hila", "axillae"),
        ("thickening", "perforation"),
        ("concerning for", "negative for"),
        ("no evidence of", "clear evidence of"),
    ],
)
def test_what_fits(term, alternative):
    assert class_fault(term, alternative) == ""
