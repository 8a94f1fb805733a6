"""A language model as a judge: a rubric of scores, in one call or in stages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from toolkit.ask.dialogue import USABLE, Dialogue, Stage
from toolkit.ask.parser import Parser, make_parser
from toolkit.errors import UserError
from toolkit.judges.base import JudgeSource, Target
from toolkit.judges.score import Score, score_definition, score_fault, score_schema
from toolkit.metrics.base import ScoreDefinition, Value
from toolkit.models.base import Answer, ModelRequest
from toolkit.prompts.render import Given, Renderer, Turn
from toolkit.recipe.params import canonical_params
from toolkit.recipe.sections import Prompt
from toolkit.store.canonical import text_digest

__all__ = ["Llm", "LlmParams", "prompt_identity"]

_SINGLE: Final = "judgement"
"""What the only stage of a judge without stages is called inside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmParams:
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
    models: tuple[str, ...] = field(
        default=(), metadata={"about": "models whose answers are judged; all by default"}
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
    repeats: int = field(
        default=1, metadata={"about": "judgements of each answer", "minimum": 1, "maximum": 100}
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
    canaries: int = field(
        default=10,
        metadata={
            "about": "answers on which planted instructions to the judge are tried; 0 for none",
            "minimum": 0,
        },
    )


class Llm:
    """Asks a model and reads its scores from the last reply, strictly."""

    name: ClassVar[str] = "llm"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = LlmParams
    source: ClassVar[JudgeSource] = "asks"

    def __init__(self, params: LlmParams) -> None:
        """Keep the parameters; files are read by the first dialogue.

        Raises:
            UserError: a parser cannot give the scores.
        """
        self.params = params
        self._prompts = dict(params.stages) or ({_SINGLE: params.prompt} if params.prompt else {})
        if params.task == "score" and self._prompts and params.scores:
            _check_parser(list(self._prompts.values())[-1], params.scores)

    @property
    def rubric(self) -> Mapping[str, Score]:
        """Its scores by name."""
        return self.params.scores

    def score_names(self) -> tuple[str, ...]:
        """Return the names of its scores."""
        return tuple(self.params.scores)

    def stage_names(self) -> tuple[str, ...]:
        """Return the names of its stages as tables show them: empty for a single question."""
        return tuple("" if name == _SINGLE else name for name in self._prompts)

    def definitions(self, columns: Mapping[str, str]) -> tuple[ScoreDefinition, ...]:
        """Return what each score means."""
        return tuple(
            score_definition(columns[name], name, score)
            for name, score in self.params.scores.items()
        )

    def fingerprint(self) -> dict[str, Any]:
        """Return its parameters, prompts by their text."""
        values = canonical_params(self.params)
        # Whose answers are judged decides which steps there are, not what a step gives.
        for key in ("model", "prompt", "stages", "prompts", "models", "canaries"):
            values.pop(key)
        prompts = {name: prompt_identity(prompt) for name, prompt in self._prompts.items()}
        return {
            "version": self.version,
            **values,
            "questions": [[name, asked] for name, asked in prompts.items()],
        }

    def dialogue(self, target: Target, repeat: int) -> Dialogue:
        """Return the questions about an answer."""
        row = ModelRequest(str(target.answer["item_id"]), repeat)
        last = list(self._prompts)[-1]
        return Dialogue(
            row,
            [
                Stage(
                    name,
                    _render(self._renderers[name], target, edits=self.params.reveal_edits),
                    self._parsers[name],
                    reask=self.params.reask if prompt.reask is None else prompt.reask,
                    retry_tokens=prompt.retry_tokens or self.params.retry_tokens,
                    check=self._fault if name == last and self.params.scores else None,
                )
                for name, prompt in self._prompts.items()
            ],
        )

    def values(self, answers: Mapping[str, Answer]) -> dict[str, Value]:
        """Return each score of a finished dialogue."""
        last = answers[list(self._prompts)[-1]]
        if last.status not in USABLE:
            why = f"judge {last.status}: {last.reason}" if last.reason else f"judge {last.status}"
            return {name: Value(None, reason=why) for name in self.params.scores}
        found = self._found(last)
        note = "the judge's reply was repaired" if last.status == "repaired" else ""
        return {
            name: Value(score.reported(float(found[name])), note=note)
            for name, score in self.params.scores.items()
        }

    def mean(self, repeats: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
        """Return each score over the repeats: the mean of those that have a value."""
        return {name: _mean([values[name] for values in repeats]) for name in self.params.scores}

    def _fault(self, answer: Answer) -> str:
        found = self._found(answer)
        faults = [
            score_fault(score.key or name, score, found.get(name))
            for name, score in self.params.scores.items()
        ]
        return "; ".join(fault for fault in faults if fault)

    def _found(self, answer: Answer) -> dict[str, Any]:
        """Return what the reply holds for each score; None where it holds nothing."""
        value = json.loads(answer.parsed) if answer.parsed is not None else answer.answer
        names = self.params.scores
        if isinstance(value, Mapping):
            return {name: value.get(score.key or name) for name, score in names.items()}
        return dict.fromkeys(names, _number(value))

    @cached_property
    def _renderers(self) -> dict[str, Renderer]:
        return {name: Renderer(name, prompt, fenced=True) for name, prompt in self._prompts.items()}

    @cached_property
    def _parsers(self) -> dict[str, Parser]:
        schema = score_schema(self.params.scores)
        last = list(self._prompts)[-1]
        return {
            name: make_parser(
                _declared(prompt, scores=name == last and bool(self.params.scores)),
                schema=schema if name == last else None,
            )
            for name, prompt in self._prompts.items()
        }


def prompt_identity(prompt: Prompt) -> dict[str, Any]:
    """Return what of a prompt can change an answer: its parameters, its files by their text."""
    values = canonical_params(prompt)
    for key in ("file", "system", "user"):
        file = getattr(prompt, key)
        if file is not None:
            values[key] = text_digest(Path(file).read_text(encoding="utf-8"))
    return values


def _render(renderer: Renderer, target: Target, *, edits: bool) -> Any:
    judged = {**target.extra, "output": target.output, "reference": target.reference}
    if not edits:
        judged["edits"] = ""

    def render(answers: Mapping[str, Answer]) -> Sequence[Turn]:
        read = {
            name: answer.answer if answer.parsed is None else json.loads(answer.parsed)
            for name, answer in answers.items()
        }
        return renderer.turns(target.item, given=Given(judged=judged, answers=read))

    return render


def _declared(prompt: Prompt, *, scores: bool) -> str | Mapping[str, Any]:
    """Return a stage's parser; where scores are wanted, ``json`` is the default."""
    return "json" if scores and prompt.parser == "text" else prompt.parser


def _check_parser(prompt: Prompt, scores: Mapping[str, Score]) -> None:
    """Refuse a parser none of whose replies could ever hold the scores."""
    keys = [score.key or name for name, score in scores.items()]
    if len(set(keys)) != len(keys):
        raise UserError("two scores have the same key", hint="give each a key of its own")
    declared = _declared(prompt, scores=True)
    name = declared if isinstance(declared, str) else next(iter(declared))
    params = {} if isinstance(declared, str) else declared[name] or {}
    fault = ""
    if name == "json":
        known = (params.get("schema") or {}).get("properties")
        fault = _absent(keys, known) if known is not None else ""
    elif name == "sections":
        parts = params.get("parts", {})
        numeric = [part for part, how in parts.items() if (how or {}).get("as") == "number"]
        fault = _absent(keys, numeric)
    elif name == "choice":
        numbers = [option for option in params.get("options", ()) if _is_number(option)]
        fault = "" if len(numbers) == len(params.get("options", ())) else "options are no numbers"
    if name not in ("json", "sections", "number", "choice") or (
        name in ("number", "choice") and len(scores) != 1
    ):
        fault = f"it gives no {'scores' if len(scores) != 1 else 'score'}"
    if fault:
        raise UserError(
            f"the parser '{name}' gives no scores: {fault}",
            hint="write parser: json, whose keys are the scores; sections with parts read as "
            "number; number or a choice of numbers for a single score",
        )


def _absent(keys: Sequence[str], known: Any) -> str:
    missing = [key for key in keys if key not in known]
    return f"nothing holds '{missing[0]}'" if missing else ""


def _is_number(option: Any) -> bool:
    return not isinstance(_number(option), str)


def _number(value: Any) -> Any:
    """Return the number of a choice such as '3'; what is none stays as it is."""
    if not isinstance(value, str):
        return value
    try:
        return float(value)
    except ValueError:
        return value


def _mean(values: Sequence[Value]) -> Value:
    known = [value.value for value in values if value.value is not None]
    if not known:
        return values[0]
    missing = len(values) - len(known)
    note = f"{missing} of {len(values)} judgements have no score" if missing else ""
    return Value(sum(known) / len(known), note=note or values[0].note)
