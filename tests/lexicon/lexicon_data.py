"""Small tables that the tests of dictionaries share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from toolkit.metrics.embedder import Embedding

HEAD = "term,category,alternatives,source,mutual_opposite,approved,approved_by,approved_on\n"


def write(folder: Path, text: str, name: str = "dictionary.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


class Letters:
    """An encoder of its own kind: a term's direction is how often it has each pair of letters."""

    def measure(self, texts: Sequence[str], /) -> list[Embedding]:
        import numpy as np

        found = []
        for text in texts:
            vector = np.zeros((1, 27 * 27), dtype=np.float32)
            places = [ord(c) - 96 if "a" <= c <= "z" else 0 for c in f" {text.lower()} "]
            for one, other in pairwise(places):
                vector[0, 27 * one + other] += 1
            found.append(Embedding(parts=vector, tokens=(len(text),), cut=0))
        return found
