"""Parameters of judges: anything that emits scores on a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from toolkit.recipe.sections import Prompt

__all__ = ["Human", "Llm", "Nli", "Pairwise", "Panel", "Score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One number a judge gives."""

    range: tuple[float, float] = field(metadata={"about": "lowest and highest value"})
    step: float | None = field(
        default=None,
        metadata={"about": "smallest difference; 1 for whole numbers", "minimum": 0},
    )
    key: str | None = field(default=None, metadata={"about": "its key in the judge's reply"})
    title: str | None = field(default=None, metadata={"about": "name shown in tables"})
    invert: bool = field(default=False, metadata={"about": "report lowest + highest - value"})
    direction: Literal["higher", "lower", "none"] = field(
        default="higher", metadata={"about": "which way is better"}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Llm:
    """A language model as a judge, in one call or in stages, or as a decomposer of claims."""

    model: str | None = field(default=None, metadata={"about": "name of a model of the recipe"})
    prompt: Prompt | None = field(default=None, metadata={"about": "the question to the judge"})
    stages: Mapping[str, Prompt] = field(
        default_factory=dict,
        metadata={"about": "prompts asked one after the other; no prompt then"},
    )
    task: Literal["score", "decompose", "entail"] = field(
        default="score",
        metadata={"about": "give scores, split a text into claims, or say what supports a claim"},
    )
    on: tuple[Literal["reference", "output"], ...] = field(
        default=("output",), metadata={"about": "texts that are judged", "scalar": True}
    )
    prompts: tuple[str, ...] = field(
        default=(), metadata={"about": "prompts whose answers are judged; all by default"}
    )
    split: str | None = field(
        default=None, metadata={"about": "split or view that is judged; all answers by default"}
    )
    levels: tuple[str, ...] = field(
        default=(),
        metadata={"about": "perturbation levels judged, `unedited` the control; all edited ones"},
    )
    scores: Mapping[str, Score] = field(default_factory=dict, metadata={"about": "scores by name"})
    reveal_edits: bool = field(
        default=False, metadata={"about": "show the judge which edits were made"}
    )
    repeats: int = field(default=1, metadata={"about": "judgements of each answer", "minimum": 1})
    reask: int = field(
        default=1,
        metadata={"about": "times a faulty reply is asked again", "minimum": 0, "maximum": 3},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Nli:
    """An entailment model: does the premise support the hypothesis?"""

    model: str = field(metadata={"about": "path or name of the entailment model"})
    revision: str | None = field(default=None, metadata={"about": "commit of the model"})
    backend: Literal["classifier", "text2text"] = field(
        default="classifier",
        metadata={"about": "a classifier of pairs, or a model that writes its verdict"},
    )
    label: str = field(default="entailment", metadata={"about": "label or text that means support"})
    pairs: str = field(
        default="from_claims",
        metadata={"about": "judge whose claims are paired, or from_claims for what metrics ask"},
    )
    threshold: float = field(
        default=0.5, metadata={"about": "probability of support", "minimum": 0, "maximum": 1}
    )
    max_tokens: int = field(default=1024, metadata={"about": "longest pair", "minimum": 16})


@dataclass(frozen=True, slots=True, kw_only=True)
class Human:
    """Ratings by people, from a file or a form of the rating page."""

    file: str | None = field(default=None, metadata={"about": "table of ratings", "path": True})
    form: str | None = field(default=None, metadata={"about": "form of the rating page"})
    scores: Mapping[str, Score] = field(default_factory=dict, metadata={"about": "scores by name"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairwise:
    """A language model that prefers one of two answers, asked in both orders."""

    model: str = field(metadata={"about": "name of a model of the recipe"})
    prompt: Prompt = field(metadata={"about": "the question to the judge"})
    both_orders: bool = field(default=True, metadata={"about": "ask in both orders"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Several judges as one."""

    judges: tuple[str, ...] = field(metadata={"about": "names of judges of the recipe"})
    reduce: Literal["mean", "median", "majority"] = field(
        default="mean", metadata={"about": "how their scores become one"}
    )
