"""Take a sentence out of a text that has several."""

from __future__ import annotations

import random
from typing import Final

from toolkit.perturb.base import Edited, Unedited, edited
from toolkit.sentences import n_words, split_sentences

__all__ = ["removal", "sentence_spans"]

_WORDS: Final = 4
"""Words that a sentence has at least, to be worth missing."""


def removal(text: str, rng: random.Random) -> Edited | Unedited:
    """Take one sentence out, with the white space that parted it from its neighbour."""
    spans = sentence_spans(text)
    if len(spans) < 2:
        return Unedited("the text has a single sentence")
    worth = [at for at, (start, end) in enumerate(spans) if n_words(text[start:end]) >= _WORDS]
    if not worth:
        return Unedited("no sentence of the text says enough to be missed")
    at = rng.choice(worth)
    start, end = spans[at]
    if at + 1 < len(spans):
        end = spans[at + 1][0]
    else:
        start = spans[at - 1][1]
    return edited("removal", text, [(start, end, "")])


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where each sentence of a text begins and ends, in order."""
    spans: list[tuple[int, int]] = []
    at = 0
    for sentence in split_sentences(text):
        start = text.find(sentence, at)
        if start < 0:
            # The segmenter changed a character; a sentence that is not found is left alone.
            continue
        at = start + len(sentence)
        spans.append((start, at))
    return spans
