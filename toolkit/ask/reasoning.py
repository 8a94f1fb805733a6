"""Split a model's reasoning from its answer, in whatever form it comes."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["split_reasoning"]

_MARK: Final = re.compile(
    r"<(/?)(?:think|thinking|reasoning|thought)>|\[(/?)THINK\]", re.IGNORECASE
)
"""Marks of the chat templates in use; the square ones are Mistral's."""

_FINAL: Final = re.compile(r"<\|channel\|>final(?:<\|constrain\|>\w+)?<\|message\|>")
_HARMONY: Final = re.compile(r"<\|(?:start|end|message|channel|return|call)\|>")
"""OpenAI's harmony format, where a server hands it out raw: channels, the final one the answer."""


def split_reasoning(text: str) -> tuple[str, str | None]:
    """Split reasoning from the answer.

    Taken as reasoning: well-formed or nested parts at the beginning; everything before a
    closing mark that was never opened (the template opened it); everything after an opening
    mark that is never closed (the model ran out of tokens); every channel of the harmony
    format before the final one. An opening mark further on is the model's text and is left
    alone.

    Returns:
        The answer, and the reasoning without its marks or None.
    """
    if text.lstrip().startswith(("<|channel|>", "<|start|>")):
        return _harmony(text)
    parts: list[str] = []
    while (found := _leading_part(text)) is not None:
        reasoning, text = found
        if reasoning:
            parts.append(reasoning)
    return text, "\n\n".join(parts) or None


def _closes(mark: re.Match[str]) -> bool:
    return bool(mark[1] or mark[2])


def _leading_part(text: str) -> tuple[str, str] | None:
    body = text.lstrip()
    first = _MARK.search(body)
    if first is None or (not _closes(first) and first.start() > 0):
        return None
    depth = 1 if _closes(first) else 0
    for mark in _MARK.finditer(body):
        depth += -1 if _closes(mark) else 1
        if depth == 0:
            return _without_marks(body[: mark.start()]), body[mark.end() :]
    return _without_marks(body), ""


def _without_marks(text: str) -> str:
    return _MARK.sub("", text).strip()


def _harmony(text: str) -> tuple[str, str | None]:
    finals = list(_FINAL.finditer(text))
    if not finals:
        # It ended before its answer began.
        return "", _plain(text) or None
    last = finals[-1]
    answer = re.split(r"<\|(?:end|return|call)\|>", text[last.end() :], maxsplit=1)[0]
    return answer, _plain(text[: last.start()]) or None


def _plain(text: str) -> str:
    """Return the texts of channels without the marks and names around them."""
    named = re.sub(r"<\|start\|>\w*|<\|channel\|>\w*", "", text)
    return " ".join(_HARMONY.sub(" ", named).split(" ")).strip()
