"""The spaCy plug-in: what it finds, and what it says when it is not there."""

from importlib.util import find_spec

import pytest

from toolkit.errors import MissingError
from toolkit.lexicon.entities import spacy_recognizer


@pytest.mark.skipif(find_spec("spacy") is not None, reason="spaCy is installed here")
def test_without_spacy_it_says_what_to_install():
    with pytest.raises(MissingError) as caught:
        spacy_recognizer("en_core_sci_sm")
    assert "--ner en_core_sci_sm needs spaCy" in caught.value.message
    assert "pip install" in caught.value.hint


def test_a_model_of_spacy_names_terms(tmp_path):
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    pipeline = spacy.blank("en")
    pipeline.to_disk(tmp_path / "empty")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "X", "pattern": "Meckel pouch"}])
    pipeline.to_disk(tmp_path / "ruled")
    assert spacy_recognizer(str(tmp_path / "ruled"))("A Meckel pouch.") == ["Meckel pouch"]
    with pytest.raises(MissingError, match="names nothing"):
        spacy_recognizer(str(tmp_path / "empty"))
    with pytest.raises(MissingError, match="cannot load the model 'no_such_model'"):
        spacy_recognizer("no_such_model")
