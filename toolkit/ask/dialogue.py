"""The questions about one row: stage after stage, each asked again where the recipe allows.

Generation, judging and fact extraction are the same thing: rows x prompts x model. A dialogue
hands out one request at a time and decides from its answer what is asked next, so whoever
sends (a worker, the event loop, a batch endpoint) need not know why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from toolkit.ask.parser import Parser, parse_answer
from toolkit.models.base import Answer, Message, ModelRequest, cap_text
from toolkit.prompts.render import EmptySlotError, Turn

__all__ = ["USABLE", "Dialogue", "Stage"]

USABLE: Final = ("ok", "repaired")
"""Statuses of an answer that may fill a slot of the next stage."""

Render = Callable[[Mapping[str, Answer]], Sequence[Turn]]


@dataclass(frozen=True, slots=True)
class Stage:
    """One question of a dialogue.

    Attributes:
        name: what later stages and tables call it.
        render: makes its (role, text) turns from the answers of the stages before.
        parser: reads the reply.
        reask: how often a reply that the parser refuses is asked again, its fault named.
        retry_tokens: most new tokens of the one retry of a reply that was cut; None for none.
        check: further faults of an answer that the parser took, as text; None for none.
    """

    name: str
    render: Render
    parser: Parser
    reask: int = 0
    retry_tokens: int | None = None
    check: Callable[[Answer], str] | None = None


class Dialogue:
    """All calls about one row; not safe for several threads at once.

    Attributes:
        row: what is asked about; its messages are empty.
        answers: the final answer of each stage that is over, by name.
    """

    def __init__(self, row: ModelRequest, stages: Sequence[Stage]) -> None:
        """Begin with the first stage.

        Args:
            row: item, repeat and prompt of every request.
            stages: at least one, their names distinct.
        """
        self.row = row
        self.answers: dict[str, Answer] = {}
        self._stages = tuple(stages)
        self._request: ModelRequest | None = None
        self._earlier: list[Answer] = []
        self._faults: list[str] = []
        self._cut = 0

    @property
    def over(self) -> bool:
        """Whether nothing is left to ask."""
        return self.request() is None

    def request(self) -> ModelRequest | None:
        """Return what is to be asked now, or None; the same until :meth:`take` is called."""
        while self._request is None and len(self.answers) < len(self._stages):
            stage = self._stages[len(self.answers)]
            missing = next((n for n, a in self.answers.items() if a.status not in USABLE), None)
            if missing is not None:
                self.answers[stage.name] = Answer(
                    "invalid", reason=f"no answer at stage '{missing}'", asked=0
                )
                continue
            try:
                turns = stage.render(self.answers)
            except EmptySlotError as error:
                self.answers[stage.name] = Answer("error", reason=error.message, asked=0)
                continue
            self._request = replace(
                self.row,
                messages=tuple(Message(role, text) for role, text in turns),
                schema=stage.parser.schema,
            )
        return self._request

    def take(self, answer: Answer) -> None:
        """Accept the unparsed answer to the current request."""
        request = self.request()
        if request is None:
            raise ValueError("an answer to a dialogue that is over")
        stage = self._stages[len(self.answers)]
        parsed = parse_answer(answer, stage.parser)
        fault = _fault(parsed, stage)
        if fault:
            parsed = replace(parsed, status="invalid", reason=fault, answer=None, parsed=None)
        if parsed.status == "truncated" and stage.retry_tokens is not None and not self._cut:
            self._cut = request.max_tokens or 1
            self._again(parsed, replace(request, max_tokens=stage.retry_tokens))
        elif parsed.status == "invalid" and len(self._faults) < stage.reask:
            self._faults.append(parsed.reason)
            self._again(parsed, _asked_again(request, answer, parsed.reason))
        else:
            self._finish(stage, parsed)

    def _again(self, parsed: Answer, request: ModelRequest) -> None:
        self._earlier.append(parsed)
        self._request = request

    def _finish(self, stage: Stage, last: Answer) -> None:
        status, reason = last.status, last.reason
        if self._faults and status == "ok":
            status, reason = "repaired", f"asked again: {self._faults[0]}"
        elif self._faults and status == "invalid":
            reason = f"{reason} (asked {len(self._faults) + 1} times)"
        calls = [*self._earlier, last]
        self.answers[stage.name] = replace(
            last,
            status=status,
            reason=reason,
            prompt_tokens=_total([call.prompt_tokens for call in calls]),
            completion_tokens=_total([call.completion_tokens for call in calls]),
            reasoning_tokens=_total([call.reasoning_tokens for call in calls]),
            cached_tokens=_total([call.cached_tokens for call in calls]),
            asked=len(calls),
        )
        self._request = None
        self._earlier, self._faults, self._cut = [], [], 0


def _fault(parsed: Answer, stage: Stage) -> str:
    if stage.check is None or parsed.status not in USABLE:
        return ""
    return stage.check(parsed)


def _asked_again(request: ModelRequest, answer: Answer, fault: str) -> ModelRequest:
    """Return the request with the faulty reply and its fault as further turns.

    The reply goes back as it came, without the reasoning: most servers refuse that in a turn.
    """
    said = cap_text(answer.answer or answer.raw) or "(nothing)"
    return replace(
        request,
        messages=(
            *request.messages,
            Message("assistant", said),
            Message(
                "user",
                f"That reply could not be used: {fault}. Reply once more, in exactly the form "
                "that was asked for, and with nothing else.",
            ),
        ),
    )


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
