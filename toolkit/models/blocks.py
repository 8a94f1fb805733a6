"""Read an item's input back into labelled blocks and sentences, for the baselines."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any, Final

__all__ = ["Block", "central", "read_blocks", "results_block"]

_LABEL: Final = re.compile(r"([^\Wa-z_](?:[^\W a-z_]|[ /,&'’()-]){1,79}):\s+")
"""A label by its looks: capitals, digits and joining marks up to a colon."""

_RESULTS: Final = re.compile(r"\b(?:RESULTS?|FINDINGS?)\b")
_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Block:
    """One labelled part of an abstract; ``label`` is empty where there is none."""

    label: str
    category: str
    text: str


def read_blocks(item: Mapping[str, Any]) -> list[Block]:
    """Split ``item["input"]`` into its ``LABEL: text`` lines.

    Labels are taken from ``item["sections"]`` where the item has them, so that a text that
    itself begins with capitals and a colon keeps them; else by their looks.
    """
    sections = item.get("sections") or []
    categories = {
        _folded(str(section["label"])): str(section.get("category") or "")
        for section in sections
        if section.get("label")
    }
    lines = (line.strip() for line in str(item.get("input") or "").split("\n"))
    return [_block(line, categories if sections else None) for line in lines if line]


def _block(line: str, categories: Mapping[str, str] | None) -> Block:
    if categories is None:
        match = _LABEL.match(line)
        return Block(match[1].strip(), "", line[match.end() :]) if match else Block("", "", line)
    # Last colon first: one label may begin with another.
    head, colon, _ = line.rpartition(": ")
    while colon:
        if (folded := _folded(head)) in categories:
            return Block(head, categories[folded], line[len(head) + 2 :].strip())
        head, colon, _ = head.rpartition(": ")
    return Block("", "", line)


def _folded(label: str) -> str:
    """Return a label as it is compared: the input shows it in capitals and tidied."""
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", label).casefold()))


def results_block(blocks: Sequence[Block]) -> Block | None:
    """Return the last block that reports results, by label first and category second.

    Where none is labelled so, it is the last block: results stand at the end of an abstract
    that lacks its conclusion.
    """
    labelled = [block for block in blocks if _RESULTS.search(block.label.upper())]
    by_category = [block for block in blocks if block.category.upper() == "RESULTS"]
    found = labelled or by_category or list(blocks)
    return found[-1] if found else None


def central(candidates: Sequence[str]) -> int:
    """Return the index of the sentence most similar to all others; the first of equals.

    Degree centrality of Erkan and Radev (2004, "LexRank"): sentences are TF-IDF vectors of
    unit length, with idf over these sentences; the score of one is the sum of its cosines.

    Args:
        candidates: at least one sentence.
    """
    counts = [Counter(_WORD.findall(text.casefold())) for text in candidates]
    frequency = Counter(word for count in counts for word in count)
    vectors = [_unit(count, frequency, len(counts)) for count in counts]
    total: dict[str, float] = {}
    for vector in vectors:
        for word, weight in vector.items():
            total[word] = total.get(word, 0.0) + weight
    # Rounded, so that equals are equal whatever the order their terms were added in.
    scores = [
        round(sum(weight * total[word] for word, weight in vector.items()), 10)
        for vector in vectors
    ]
    return scores.index(max(scores))


def _unit(count: Counter[str], frequency: Counter[str], n: int) -> dict[str, float]:
    # One is added, so that a word of every sentence still counts a little.
    weights = {word: times * (1.0 + log(n / frequency[word])) for word, times in count.items()}
    norm = sqrt(sum(weight * weight for weight in weights.values()))
    return {word: weight / norm for word, weight in weights.items()} if norm else {}
