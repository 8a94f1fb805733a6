"""Render a prompt for an item: templates are sandboxed, texts are put in and never expanded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from toolkit.errors import UserError
from toolkit.recipe.sections import Prompt
from toolkit.recipe.slots import Slot, parse_slot
from toolkit.sentences import n_sentences, n_words

__all__ = ["EmptySlotError", "Given", "Renderer", "Turn", "columns_of", "fence_safe"]

Turn = tuple[Literal["system", "user", "assistant"], str]

_DERIVE: Final[Mapping[str, Callable[[Any], int]]] = {
    "n_items": len,
    "n_sentences": n_sentences,
    "n_words": n_words,
}


_TAG: Final = re.compile(r"<(?=\s*[/|｜]|[A-Za-z!?]|\s+[A-Za-z][\w-]*\s*>)")
"""What may begin a tag, or a mark of a chat template; in ``p <0.05`` and ``a < b`` nothing does."""

_INSTRUCTION: Final = re.compile(r"\[(?=/?(?:INST|SYSTEM_PROMPT|THINK)\])", re.IGNORECASE)
"""Marks of chat templates in square brackets."""


@dataclass(frozen=True, slots=True)
class Given:
    """What fills slots beside the item.

    Attributes:
        judged: texts that a judge is shown, by the name behind ``judged:``; None where this
            answer has none.
        answers: answers of earlier stages, by stage: a text, or what its parser read.
    """

    judged: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, Any] = field(default_factory=dict)


def fence_safe(value: Any) -> Any:
    """Return a text in which nothing can open or close a fence such as ``<candidate>``.

    Only a ``<`` that begins what looks like a tag is written ``&lt;``; numbers and comparisons
    stay as they are. Lists and objects are treated text by text.
    """
    if isinstance(value, str):
        return _INSTRUCTION.sub("&#91;", _TAG.sub("&lt;", value))
    if isinstance(value, Mapping):
        return {key: fence_safe(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [fence_safe(item) for item in value]
    return value


def columns_of(prompt: Prompt) -> list[str]:
    """Return the item columns a prompt reads, sorted."""
    slots = [parse_slot(value) for value in prompt.slots.values()]
    return sorted({slot.name for slot in slots if slot.kind in ("field", "derive")})


class EmptySlotError(UserError):
    """An item lacks the value of a slot: it cannot be asked about, the others can."""


class Renderer:
    """A prompt whose templates are compiled; one for each worker and prompt."""

    def __init__(self, name: str, prompt: Prompt, *, fenced: bool = False) -> None:
        """Compile the templates.

        Args:
            name: the prompt's name, for messages.
            prompt: the prompt; its files exist.
            fenced: texts that fill slots are made :func:`fence_safe`: a judge must be able to
                tell them from its instructions.

        Raises:
            UserError: a template file cannot be read or compiled.
        """
        self._name = name
        self._fenced = fenced
        self._slots = {key: parse_slot(value) for key, value in prompt.slots.items()}
        self._system = _compile(prompt.system) if prompt.system else None
        self._user = _compile(str(prompt.user or prompt.file))

    def turns(
        self,
        item: Mapping[str, Any],
        examples: Sequence[tuple[Mapping[str, Any], str]] = (),
        given: Given | None = None,
    ) -> tuple[Turn, ...]:
        """Render the messages for an item.

        Args:
            item: the item's columns.
            examples: worked examples as (item, answer), shown as earlier turns.
            given: what fills ``judged:`` and ``answer:`` slots.

        Returns:
            (role, text) turns, the question last.

        Raises:
            EmptySlotError: a column or a text that a slot needs is null for this item.
            UserError: there is no such column, or the template fails on it.
        """
        turns: list[Turn] = []
        if self._system is not None:
            turns.append(("system", self._text(self._system, item, given)))
        for example, answer in examples:
            turns.append(("user", self._text(self._user, example, given)))
            turns.append(("assistant", answer))
        turns.append(("user", self._text(self._user, item, given)))
        return tuple(turns)

    def _text(self, template: Any, item: Mapping[str, Any], given: Given | None) -> str:
        from jinja2 import TemplateError

        values = {
            key: self._fill(key, slot, item, given or Given()) for key, slot in self._slots.items()
        }
        try:
            text: str = template.render(values)
        except TemplateError as error:
            raise UserError(
                f"prompt '{self._name}' cannot be rendered for item {item.get('item_id')}: {error}",
                hint="correct the template, or the slots that fill it",
            ) from error
        return text.strip()

    def _fill(self, key: str, slot: Slot, item: Mapping[str, Any], given: Given) -> Any:
        if slot.kind == "literal":
            return slot.value
        if slot.kind == "judged":
            value = given.judged.get(slot.name)
            if value is None:
                raise EmptySlotError(f"slot '{key}': there is no {slot.name}")
        elif slot.kind == "answer":
            value = _part(key, slot, given.answers.get(slot.name))
        else:
            value = self._column(key, slot, item)
        return fence_safe(value) if self._fenced else value

    def _column(self, key: str, slot: Slot, item: Mapping[str, Any]) -> Any:
        value = item.get(slot.name)
        if value is None and slot.name in item:
            raise EmptySlotError(f"slot '{key}': the column '{slot.name}' is null")
        if value is None:
            known = ", ".join(sorted(name for name in item if item[name] is not None))
            raise UserError(
                f"slot '{key}' of prompt '{self._name}' needs the column '{slot.name}', "
                f"which item {item.get('item_id')} lacks",
                hint=f"its columns: {known}",
            )
        if slot.kind == "derive":
            return self._derive(key, slot, value, item)
        return value

    def _derive(self, key: str, slot: Slot, value: Any, item: Mapping[str, Any]) -> int:
        listed = isinstance(value, list | tuple)
        if listed != (slot.part == "n_items"):
            wanted = "a list" if slot.part == "n_items" else "a text"
            raise UserError(
                f"slot '{key}' of prompt '{self._name}' counts the column '{slot.name}', "
                f"which is not {wanted} in item {item.get('item_id')}",
                hint="n_items counts the entries of a list, n_words and n_sentences a text",
            )
        return _DERIVE[slot.part](value if listed else str(value))


def _part(key: str, slot: Slot, answer: Any) -> Any:
    """Return an earlier answer, or a part of it; objects are shown as JSON."""
    value = answer
    if slot.part:
        value = answer.get(slot.part) if isinstance(answer, Mapping) else None
    if value is None:
        what = f"'{slot.part}' of '{slot.name}'" if slot.part else f"'{slot.name}'"
        raise EmptySlotError(f"slot '{key}': the answer holds no {what}")
    return json.dumps(value, ensure_ascii=False) if isinstance(value, Mapping) else value


def _compile(file: str) -> Any:
    from jinja2 import StrictUndefined, TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    # Prompts are plain text for a model: nothing is escaped, and nothing a template does can
    # reach the disk or the network.
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
    try:
        return environment.from_string(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, TemplateError) as error:
        raise UserError(f"{file}: {error}", hint="correct the prompt file") from error
