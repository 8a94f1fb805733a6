"""Names of things found by a spaCy or scispaCy model: a plug-in that nothing else needs."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from toolkit.errors import MissingError
from toolkit.lexicon.candidates import Recognizer

__all__ = ["spacy_recognizer"]


def spacy_recognizer(model: str) -> Recognizer:
    """Return what a spaCy model finds in a text.

    Args:
        model: name of an installed model, such as ``en_core_sci_sm`` of scispaCy, or a folder.

    Raises:
        MissingError: spaCy is not installed, or it has no such model with a part that names
            things.
    """
    try:
        # Named at run time: spaCy is no dependency of any extra.
        spacy: Any = import_module("spacy")
    except ImportError as error:
        raise MissingError(
            f"--ner {model} needs spaCy, which is not installed",
            hint="pip install spacy and the model; without --ner, patterns and phrases are used",
        ) from error
    try:
        pipeline = spacy.load(model)
    except (OSError, ValueError, ImportError) as error:
        raise MissingError(
            f"spaCy cannot load the model '{model}': {str(error).splitlines()[0]}",
            hint="install the model, or give the folder in which it lies",
        ) from error
    if not {"ner", "entity_ruler"} & set(pipeline.pipe_names):
        raise MissingError(
            f"the model '{model}' names nothing: it has no part called ner or entity_ruler",
            hint="choose a model with one, such as en_core_sci_sm",
        )

    def recognize(text: str) -> Sequence[str]:
        return [entity.text for entity in pipeline(text).ents]

    return recognize
