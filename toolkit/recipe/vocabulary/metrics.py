"""Parameters of metrics that are not built yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = [
    "Citations",
    "Claims",
    "Compliance",
    "EditMisses",
    "Keywords",
    "Linguistic",
    "NumericSupport",
    "Perplexity",
    "Phrases",
    "Readability",
    "TfidfCosine",
]

Text = Literal["reference", "output", "input"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Perplexity:
    """exp of the mean negative log-likelihood under a causal language model."""

    model: str = field(metadata={"about": "path or name of the scoring model"})
    on: tuple[Text, ...] = field(default=("output",), metadata={"about": "texts", "scalar": True})
    bos: bool = field(default=True, metadata={"about": "put the start token first"})
    stride: int = field(default=512, metadata={"about": "step of long texts", "minimum": 1})


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Recall and precision of claims, by entailment."""

    nli: str = field(metadata={"about": "name of the entailment judge"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Citations:
    """Recall and precision of cited sentences."""

    nli: str = field(metadata={"about": "name of the entailment judge"})
    strict: bool = field(default=True, metadata={"about": "each sentence must support alone"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """Recall and precision of key phrases."""

    unit: Literal["token", "phrase"] = field(default="token", metadata={"about": "what is counted"})
    count: Literal["set", "multiset"] = field(
        default="set", metadata={"about": "how it is counted"}
    )
    normalise: tuple[Literal["lower", "punct", "stem"], ...] = field(
        default=("lower", "punct"), metadata={"about": "applied before comparing"}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Compliance:
    """Share of answers that keep to the format, as they come and after repair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linguistic:
    """Words per finite verb, word entropy, type-token ratio, Flesch reading ease."""

    on: tuple[Text, ...] = field(default=("output",), metadata={"about": "texts", "scalar": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class Keywords:
    """Jaccard similarity of keyword lists."""

    unit: Literal["word", "phrase"] = field(
        default="phrase", metadata={"about": "what is compared"}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TfidfCosine:
    """Cosine of TF-IDF vectors."""

    idf: Literal["corpus", "pair", "file"] = field(
        default="corpus", metadata={"about": "where document frequencies come from"}
    )
    file: str | None = field(default=None, metadata={"about": "background corpus", "path": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericSupport:
    """Numbers of the output that the input lacks, and directions that changed."""

    tolerance: float = field(default=0.0, metadata={"about": "relative difference", "minimum": 0})


@dataclass(frozen=True, slots=True, kw_only=True)
class Readability:
    """Reading ease of the output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditMisses:
    """Edits of the input that the output carries on without a sign."""

    inflections: bool = field(default=True, metadata={"about": "match inflected forms too"})
