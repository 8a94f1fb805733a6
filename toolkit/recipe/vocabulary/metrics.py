"""Parameters of metrics that are not built yet, and the scores each will give."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

__all__ = [
    "Attribution",
    "Citations",
    "Claims",
    "Compliance",
    "Phrases",
]

F1 = Literal["f1_of_means", "mean_f1"]

_F1 = {"about": "F1 on the leaderboard; the report holds both"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Recall and precision of claims, by entailment."""

    SCORES: ClassVar[tuple[str, ...]] = ("claim_recall", "claim_precision", "claim_f1")

    nli: str = field(metadata={"about": "name of the entailment judge"})
    decomposer: str = field(
        default="claims", metadata={"about": "name of the judge that splits texts into claims"}
    )
    f1: F1 = field(default="f1_of_means", metadata=_F1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Citations:
    """Recall and precision of cited sentences."""

    SCORES: ClassVar[tuple[str, ...]] = ("citation_recall", "citation_precision", "citation_f1")

    nli: str = field(metadata={"about": "name of the entailment judge"})
    part: str = field(
        default="citations", metadata={"about": "part of the answer with sentence numbers"}
    )
    reference: str = field(
        default="citations", metadata={"about": "column with the numbers of the right sentences"}
    )
    sentences: str = field(default="sentences", metadata={"about": "column with the sentences"})
    strict: bool = field(default=True, metadata={"about": "each sentence must support alone"})
    f1: F1 = field(default="f1_of_means", metadata=_F1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """Recall and precision of key phrases."""

    SCORES: ClassVar[tuple[str, ...]] = ("phrase_recall", "phrase_precision", "phrase_f1")

    part: str = field(default="phrases", metadata={"about": "part of the answer with phrases"})
    reference: str = field(default="phrases", metadata={"about": "column with the right phrases"})
    match: Literal["lexical", "embedding", "nli"] = field(
        default="lexical", metadata={"about": "when two phrases are the same"}
    )
    unit: Literal["token", "phrase"] = field(default="token", metadata={"about": "what is counted"})
    count: Literal["set", "multiset"] = field(
        default="set", metadata={"about": "how it is counted"}
    )
    normalise: tuple[Literal["lower", "punct", "stem"], ...] = field(
        default=("lower", "punct"), metadata={"about": "applied before comparing"}
    )
    nli: str | None = field(
        default=None, metadata={"about": "name of the entailment judge, for match: nli"}
    )
    f1: F1 = field(default="f1_of_means", metadata=_F1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """Cited sentences that support a claim, claims that a cited sentence supports, phrases used."""

    SCORES: ClassVar[tuple[str, ...]] = (
        "supportive_ratio",
        "claim_attribution",
        "phrase_rouge1_recall",
    )

    nli: str = field(metadata={"about": "name of the entailment judge"})
    decomposer: str = field(
        default="claims", metadata={"about": "name of the judge that splits texts into claims"}
    )
    on: tuple[Literal["reference", "output"], ...] = field(
        default=("output",), metadata={"about": "texts", "scalar": True}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Compliance:
    """Share of answers that keep to the format, as they come and after repair."""

    SCORES: ClassVar[tuple[str, ...]] = ("compliance", "compliance_repaired")
