"""A language model that prefers one of two answers, asked in both orders."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Final, Literal

from toolkit.ask.dialogue import USABLE, Dialogue, Stage
from toolkit.ask.parser import Parser, make_parser
from toolkit.errors import UserError
from toolkit.judges.base import JudgeSource, Target
from toolkit.judges.llm import prompt_identity
from toolkit.metrics.base import ScoreDefinition, Value
from toolkit.models.base import Answer, ModelRequest
from toolkit.prompts.render import Given, Renderer, Turn
from toolkit.recipe.params import canonical_params
from toolkit.recipe.sections import Prompt

__all__ = ["PREFERENCE", "Pairwise", "PairwiseParams", "Verdict"]

PREFERENCE: Final = "preference"
"""The score: points over opponents, 1 for a win, 0.5 for a tie."""

Choice = Literal["first", "second", "tie"]

_STAGE: Final = "comparison"
_CHOICES: Final = ("first", "second", "tie")
_SCHEMA: Final = {
    "type": "object",
    "properties": {"preferred": {"type": "string", "enum": list(_CHOICES)}},
    "required": ["preferred"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseParams:
    """A language model that prefers one of two answers, asked in both orders."""

    model: str = field(metadata={"about": "name of a model of the recipe"})
    prompt: Prompt = field(metadata={"about": "the question to the judge"})
    both_orders: bool = field(default=True, metadata={"about": "ask in both orders"})
    opponents: str = field(
        default="all",
        metadata={"about": "all, or the one model (or baseline) that all others are compared with"},
    )
    prompts: tuple[str, ...] = field(
        default=(), metadata={"about": "prompts whose answers are compared; all by default"}
    )
    models: tuple[str, ...] = field(
        default=(), metadata={"about": "models whose answers are compared; all by default"}
    )
    split: str | None = field(
        default=None, metadata={"about": "split or view that is compared; all answers by default"}
    )
    reask: int = field(
        default=1,
        metadata={"about": "times a faulty reply is asked again", "minimum": 0, "maximum": 3},
    )
    retry_tokens: int | None = field(
        default=None,
        metadata={
            "about": "most new tokens of the one retry of a reply that was cut; none by default",
            "minimum": 1,
        },
    )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one pair.

    Attributes:
        points: of the first answer: 1, 0.5 or 0; None where there is no verdict.
        reason: why there is none, else empty.
        consistent: whether both orders agree; None where only one was asked or answered.
    """

    points: float | None
    reason: str = ""
    consistent: bool | None = None


class Pairwise:
    """Asks which of two answers is better; two orders that disagree are a tie."""

    name: ClassVar[str] = "pairwise"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = PairwiseParams
    source: ClassVar[JudgeSource] = "compares"

    def __init__(self, params: PairwiseParams) -> None:
        """Keep the parameters; files are read by the first dialogue.

        Raises:
            UserError: the parser cannot say which answer is preferred.
        """
        self.params = params
        declared = params.prompt.parser
        name = declared if isinstance(declared, str) else next(iter(declared))
        options = () if isinstance(declared, str) else (declared[name] or {}).get("options", ())
        schema = {} if isinstance(declared, str) else (declared[name] or {}).get("schema") or {}
        usable = (name == "choice" and {"first", "second"} <= set(options) <= set(_CHOICES)) or (
            name == "json" and "preferred" in schema.get("properties", {"preferred": {}})
        )
        if not usable:
            raise UserError(
                f"the parser '{name}' cannot say which answer is preferred",
                hint="write parser: json (a key 'preferred'), or "
                "{choice: {options: [first, second, tie]}}",
            )

    def score_names(self) -> tuple[str, ...]:
        """Return its only score."""
        return (PREFERENCE,)

    def definitions(self, columns: Mapping[str, str]) -> tuple[ScoreDefinition, ...]:
        """Return what the score means."""
        return (
            ScoreDefinition(name=columns[PREFERENCE], title="preferred to opponents", digits=3),
        )

    def fingerprint(self) -> dict[str, Any]:
        """Return its parameters, the prompt by its text."""
        values = canonical_params(self.params)
        for key in ("model", "prompt", "prompts", "models"):
            values.pop(key)
        return {
            "version": self.version,
            **values,
            "question": prompt_identity(self.params.prompt),
        }

    @property
    def orders(self) -> int:
        """How often a pair is asked."""
        return 2 if self.params.both_orders else 1

    def dialogue(self, first: Target, second: Target) -> Dialogue:
        """Return the question that shows two answers to the same item in this order."""
        params = self.params
        row = ModelRequest(str(first.answer["item_id"]), int(first.answer["repeat"]))
        judged = {
            "first": first.output,
            "second": second.output,
            "reference": first.reference,
        }

        def render(answers: Mapping[str, Answer]) -> Sequence[Turn]:
            return self._renderer.turns(first.item, given=Given(judged=judged))

        stage = Stage(
            _STAGE,
            render,
            self._parser,
            reask=params.reask if params.prompt.reask is None else params.prompt.reask,
            retry_tokens=params.prompt.retry_tokens or params.retry_tokens,
            check=_fault,
        )
        return Dialogue(row, [stage])

    def reply(self, dialogue: Dialogue) -> Answer:
        """Return the reply of a dialogue that is over."""
        return dialogue.answers[_STAGE]

    def preferred(self, reply: Answer) -> Choice | None:
        """Return which of the two was preferred; None where the reply does not say."""
        return _choice(reply) if reply.status in USABLE else None

    def verdict(self, forth: Answer, back: Answer | None) -> Verdict:
        """Return what one pair came to.

        Args:
            forth: the reply that saw the pair in its order.
            back: the reply that saw it the other way round; None where that was not asked.
        """
        one = self.preferred(forth)
        if one is None:
            return Verdict(None, f"judge {forth.status}: {forth.reason}")
        if back is None:
            return Verdict(_POINTS[one])
        other = self.preferred(back)
        if other is None:
            return Verdict(None, f"judge {back.status}: {back.reason}")
        if _POINTS[one] + _POINTS[other] == 1.0:
            return Verdict(_POINTS[one], consistent=True)
        # The position decided, or one order was called a tie: nobody won.
        return Verdict(0.5, consistent=False)

    def mean(self, points: Sequence[float], missing: Sequence[str]) -> Value:
        """Return an answer's score: its mean points over opponents with a verdict.

        Args:
            points: points against each such opponent.
            missing: why the others have none.
        """
        if not points:
            return Value(None, reason=missing[0] if missing else "no opponent")
        note = f"{len(missing)} of {len(missing) + len(points)} pairs have no verdict"
        return Value(sum(points) / len(points), note=note if missing else "")

    @cached_property
    def _parser(self) -> Parser:
        return make_parser(self.params.prompt.parser, schema=_SCHEMA)

    @cached_property
    def _renderer(self) -> Renderer:
        return Renderer(_STAGE, self.params.prompt, fenced=True)


_POINTS: Final[Mapping[str, float]] = {"first": 1.0, "second": 0.0, "tie": 0.5}


def _choice(answer: Answer) -> Choice | None:
    value = json.loads(answer.parsed) if answer.parsed is not None else answer.answer
    said = value.get("preferred") if isinstance(value, Mapping) else value
    return next((choice for choice in _CHOICES if choice == said), None)


def _fault(answer: Answer) -> str:
    return "" if _choice(answer) else f"it must name one of {', '.join(_CHOICES)}"
