"""An entailment model as a judge: does one text support the other?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.judges.base import JudgeSource, Target
from toolkit.metrics.base import ScoreDefinition
from toolkit.recipe.params import canonical_params

if TYPE_CHECKING:
    from toolkit.models.entailment import Entailment

__all__ = ["SCORE_PAIRS", "Nli", "NliParams"]

Text = Literal["reference", "output", "input"]

SCORE_PAIRS: Final[Mapping[str, tuple[str, str]]] = {
    "entailed_by_reference": ("reference", "output"),
    "entails_reference": ("output", "reference"),
    "entailed_by_input": ("input", "output"),
}
"""Premise and hypothesis of each score: is the answer supported, does it support the reference?"""

_TITLES: Final = {
    "entailed_by_reference": "supported by the reference",
    "entails_reference": "supports the reference",
    "entailed_by_input": "supported by the input",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NliParams:
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
        metadata={
            "about": "texts (the scores below), judge whose claims are paired, or from_claims for "
            "what metrics ask"
        },
    )
    scores: tuple[
        Literal["entailed_by_reference", "entails_reference", "entailed_by_input"], ...
    ] = field(
        default=("entailed_by_reference", "entails_reference"),
        metadata={"about": "what pairs: texts computes", "scalar": True},
    )
    as_: Literal["probability", "verdict"] = field(
        default="probability",
        metadata={"about": "a score is the probability of support, or 1 from the threshold on"},
    )
    prompts: tuple[str, ...] = field(
        default=(), metadata={"about": "prompts whose answers are judged; all by default"}
    )
    models: tuple[str, ...] = field(
        default=(), metadata={"about": "models whose answers are judged; all by default"}
    )
    threshold: float = field(
        default=0.5, metadata={"about": "probability of support", "minimum": 0, "maximum": 1}
    )
    max_tokens: int = field(default=1024, metadata={"about": "longest pair", "minimum": 16})
    batch_size: int = field(default=16, metadata={"about": "pairs in a batch", "minimum": 1})
    dtype: Literal["bfloat16", "float16", "float32"] = field(
        default="float32", metadata={"about": "number format of the weights"}
    )
    threads: int = field(
        default=1, metadata={"about": "CPU threads; part of the fingerprint", "minimum": 1}
    )


class Nli:
    """Scores pairs of texts; a pair that occurs often is looked at once."""

    name: ClassVar[str] = "nli"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = NliParams
    source: ClassVar[JudgeSource] = "entails"

    def __init__(self, params: NliParams) -> None:
        self.params = params

    def score_names(self) -> tuple[str, ...]:
        """Return its scores; a judge whose pairs are asked for by metrics has none of its own."""
        return self.params.scores if self.params.pairs == "texts" else ()

    def definitions(self, columns: Mapping[str, str]) -> tuple[ScoreDefinition, ...]:
        """Return what each score means."""
        return tuple(
            ScoreDefinition(name=columns[name], title=_TITLES[name]) for name in self.score_names()
        )

    def fingerprint(self) -> dict[str, Any]:
        """Return its parameters and the identity of its weights.

        Raises:
            MissingError: runtime or weights are not installed.
        """
        values = canonical_params(self.params)
        for key in ("model", "revision", "prompts", "models"):
            values.pop(key)
        return {"version": self.version, **values, "weights": self.entailment().fingerprint()}

    def entailment(self) -> Entailment:
        """Return the model behind it; nothing is loaded yet."""
        from toolkit.models.entailment import Entailment, EntailmentSettings

        p = self.params
        return Entailment(
            EntailmentSettings(
                model=p.model,
                revision=p.revision,
                backend=p.backend,
                label=p.label,
                max_tokens=p.max_tokens,
                batch_size=p.batch_size,
                dtype=p.dtype,
                threads=p.threads,
            )
        )

    def pair(self, score: str, target: Target) -> tuple[str, str] | str:
        """Return premise and hypothesis of a score, or why there is no such pair."""
        texts = {
            "reference": target.reference,
            "output": target.output,
            "input": target.item.get("input"),
        }
        premise, hypothesis = SCORE_PAIRS[score]
        for name in (premise, hypothesis):
            text = texts[name]
            if not isinstance(text, str) or not text.strip():
                return target.missing or f"no {name}"
        return str(texts[premise]), str(texts[hypothesis])

    def value(self, probability: float) -> float:
        """Return a score from a probability."""
        if self.params.as_ == "verdict":
            return float(probability >= self.params.threshold)
        return probability
