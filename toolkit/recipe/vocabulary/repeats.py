"""Parameters of analyses that are not built yet: rankings, ratings and repeated answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = [
    "Copeland",
    "DeviationFrom",
    "GroupSubjects",
    "ScoreShape",
    "SemanticEntropy",
    "Shrinkage",
    "WordUse",
]


def _about(text: str, **more: Any) -> dict[str, Any]:
    return {"about": text, **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class Copeland:
    """Copeland scores of pairwise answers and the error rate that explains their ties."""

    prompt: str = field(metadata=_about("prompt that compares two items"))
    within: str | None = field(default=None, metadata=_about("column whose groups are ranked"))
    subsets: int = field(default=500, metadata=_about("random subsets", minimum=1))
    fit: Literal["epsilon", "none"] = field(default="epsilon", metadata=_about("error model"))
    step: float = field(
        default=0.01, metadata=_about("step of the error rate's grid", minimum=0.0001, maximum=0.5)
    )
    formula: Literal["exact", "paper"] = field(
        default="exact", metadata=_about("probability of the true score")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreShape:
    """Mean, median, mode, spread, skewness and kurtosis of numeric answers."""

    prompt: str = field(metadata=_about("prompt that gives a number"))
    by: str | None = field(default=None, metadata=_about("column for subgroups"))
    fit: Literal["gaussian", "none"] = field(
        default="gaussian", metadata=_about("curve in the figure")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrinkage:
    """How far answers shrink towards the middle of their scale."""

    prompt: str = field(metadata=_about("prompt that gives a number"))
    step: float = field(default=0.1, metadata=_about("smallest difference of answers", minimum=0))
    average: tuple[float, float] = field(default=(8.0, 9.0), metadata=_about("true mean, from-to"))
    lowest: tuple[float, float] = field(
        default=(5.0, 7.0), metadata=_about("true minimum, from-to")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviationFrom:
    """Deviation of variants of a prompt from their base in per cent, signed and absolute."""

    base: str = field(metadata=_about("base prompt"))
    variants: tuple[str, ...] = field(metadata=_about("prompts compared with it"))
    split: str | None = field(default=None, metadata=_about("split or view compared"))
    measures: tuple[str, ...] = field(
        default=(),
        metadata=_about("scores, `answer` for a number, `copeland` for a ranking; all scores"),
    )
    within: float = field(default=5.0, metadata=_about("per cent that counts as the same"))


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSubjects:
    """Groups the subjects of critiques by an editable synonym map; the first match counts."""

    prompt: str = field(metadata=_about("prompt that gives bullets"))
    synonyms: str = field(metadata=_about("table of groups and synonyms", path=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class WordUse:
    """Tokens, types, Gini index and most frequent words of texts, and what they share."""

    texts: tuple[str, ...] = field(metadata=_about("columns, or run:PROMPT for its answers"))
    top: int = field(default=30, metadata=_about("words listed", minimum=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticEntropy:
    """Entropy over the meanings of repeated answers."""

    prompts: tuple[str, ...] = field(metadata=_about("prompts answered several times"))
    nli: str | None = field(
        default=None, metadata=_about("judge that says when meanings agree; cosine by default")
    )
    threshold: float = field(
        default=0.8, metadata=_about("cosine of the same meaning", minimum=0, maximum=1)
    )
