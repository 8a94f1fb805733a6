"""Baselines: answers that need no model, so that a model's score means something.

Sentences of the input show what copying is worth, the conclusion of another article is the
floor on meaning, and the reference itself is the ceiling of every metric.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from toolkit.models.base import Answer, ModelKind, ModelRequest, Need, cap_text
from toolkit.models.blocks import central, read_blocks, results_block
from toolkit.sentences import segmenter_name, split_sentences

__all__ = ["Baseline", "BaselineParams", "Variant"]

Variant = Literal[
    "first_sentence", "last_result_sentence", "central_sentence", "random_conclusion", "reference"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineParams:
    """Parameters of a baseline."""

    variant: Variant = field(
        metadata={
            "about": "what it answers: the first sentence of the input, the last sentence of the "
            "results (of the last section where none is labelled so), the sentence most like all "
            "others, the conclusion of another article "
            "(a floor on meaning), or the reference itself (the ceiling)"
        }
    )
    reference: str = field(
        default="conclusion", metadata={"about": "column that holds the reference"}
    )


class Baseline:
    """Answers from the item itself, or from another item's reference."""

    name: ClassVar[str] = "baseline"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = BaselineParams
    where: ClassVar[Literal["worker", "server"]] = "worker"

    def __init__(self, params: BaselineParams, base: Path) -> None:
        """Keep the parameters; ``base`` is not used, a baseline reads no file."""
        self.params = params

    @property
    def kind(self) -> ModelKind:
        """``reference`` for the ceiling, ``baseline`` for all others."""
        return "reference" if self.params.variant == "reference" else "baseline"

    @property
    def needs(self) -> frozenset[Need]:
        """The item, or only another item's reference."""
        if self.params.variant == "random_conclusion":
            return frozenset({"other_reference"})
        return frozenset({"item"})

    @property
    def reusable(self) -> bool:
        """Its answers cost nothing."""
        return False

    def fingerprint(self) -> dict[str, Any]:
        """Return the variant and the version of the sentence splitter it depends on."""
        values: dict[str, Any] = {
            "provider": self.name,
            "version": self.version,
            "variant": self.params.variant,
        }
        if self.params.variant == "reference":
            values["reference"] = self.params.reference
        if self.params.variant.endswith("_sentence"):
            values["sentences"] = segmenter_name()
        return values

    def answer(self, requests: Sequence[ModelRequest]) -> list[Answer]:
        """Answer each request from its own data."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: ModelRequest) -> Answer:
        text, reason = _TEXTS[self.params.variant](request, self.params)
        if reason:
            return Answer("error", reason=reason)
        return Answer("ok", answer=text, raw=cap_text(text))


def _first(request: ModelRequest, params: BaselineParams) -> tuple[str, str]:
    for block in read_blocks(request.item):
        if found := split_sentences(block.text):
            return found[0], ""
    return "", "the item has no input"


def _last_result(request: ModelRequest, params: BaselineParams) -> tuple[str, str]:
    block = results_block(read_blocks(request.item))
    if block is None:
        return "", "the item has no input"
    found = split_sentences(block.text)
    return (found[-1], "") if found else ("", "the results section is empty")


def _central(request: ModelRequest, params: BaselineParams) -> tuple[str, str]:
    found = [
        sentence for block in read_blocks(request.item) for sentence in split_sentences(block.text)
    ]
    return (found[central(found)], "") if found else ("", "the item has no input")


def _random(request: ModelRequest, params: BaselineParams) -> tuple[str, str]:
    if not request.other_reference:
        return "", "there is no other article to take a conclusion from"
    return request.other_reference, ""


def _reference(request: ModelRequest, params: BaselineParams) -> tuple[str, str]:
    text = request.item.get(params.reference)
    if not isinstance(text, str) or not text:
        return "", f"the item has no text in its column '{params.reference}'"
    return text, ""


_TEXTS = {
    "first_sentence": _first,
    "last_result_sentence": _last_result,
    "central_sentence": _central,
    "random_conclusion": _random,
    "reference": _reference,
}
