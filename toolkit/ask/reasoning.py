"""Split a model's reasoning from its answer, in whatever form it comes."""

from __future__ import annotations

import json
import re
from typing import Final

from toolkit.ask.parsed import unfenced

__all__ = ["opening_mark", "reasoning_end", "split_reasoning"]

_MARK: Final = re.compile(
    r"<(/?)(?:think|thinking|reasoning|thought|seed:think)>|\[(/?)THINK\]|◁(/?)think▷",
    re.IGNORECASE,
)
"""Marks of the chat templates in use: most models', Mistral's, Kimi's."""

_CHANNEL: Final = re.compile(r"<\|channel\|>\s*(\w+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>")
"""Head of a message in OpenAI's harmony format, which some servers hand out raw."""

_MESSAGE_END: Final = re.compile(r"<\|(?:end|return|call|start|channel)\|>")


def split_reasoning(text: str) -> tuple[str, str | None]:
    """Split reasoning from the answer.

    Taken as reasoning: well-formed or nested parts at the beginning; everything before a
    closing mark that was never opened (the template opened it); everything after a leading
    mark that is never closed (the model ran out of tokens); every channel of the harmony
    format but the final one. An opening mark further on is the model's text and is left
    alone, and so are the marks in a text that is JSON as a whole.

    Takes time in proportion to the text's length.

    Returns:
        The answer, and the reasoning without its marks or None.
    """
    if text.lstrip().startswith(("<|channel|>", "<|start|>")) and _CHANNEL.search(text):
        return _harmony(text)
    parts: list[str] = []
    position = 0
    while (found := _leading_part(text, position)) is not None:
        reasoning, position = found
        if reasoning:
            parts.append(reasoning)
    return text[position:], "\n\n".join(parts) or None


def opening_mark(text: str, position: int) -> re.Match[str] | None:
    """Return the first mark at or after ``position`` that opens a part of reasoning."""
    marks = _MARK.finditer(text, position)
    return next((mark for mark in marks if not _closes(mark)), None)


def reasoning_end(text: str, opening: re.Match[str]) -> tuple[int, int]:
    """Return where the mark begins and ends that closes a part of reasoning.

    Marks of its own name nest. A part that none of them closes ends at a mark of another name;
    one that nothing closes, at the end of the text.
    """
    for any_name in (False, True):
        depth = 0
        for mark in _MARK.finditer(text, opening.start()):
            if not any_name and _name(mark) != _name(opening):
                continue
            depth += -1 if _closes(mark) else 1
            if depth == 0:
                return mark.span()
    return len(text), len(text)


def _leading_part(text: str, position: int) -> tuple[str, int] | None:
    """Return the reasoning that begins at ``position`` and where it ends, or None."""
    start = _BLANKS.match(text, position).end()  # type: ignore[union-attr]
    first = _MARK.search(text, start)
    if first is None:
        return None
    if first.start() == start and not _closes(first):
        closing, end = reasoning_end(text, first)
        return _without_marks(text[start:closing]), end
    unopened = _unopened(text, first)
    if unopened is None or (position == 0 and _is_json(text)):
        return None
    return _without_marks(text[start : unopened.start()]), unopened.end()


_BLANKS: Final = re.compile(r"\s*")


def _unopened(text: str, first: re.Match[str]) -> re.Match[str] | None:
    """Return the first closing mark that nothing before it has opened."""
    depth = 0
    for mark in _MARK.finditer(text, first.start()):
        depth += -1 if _closes(mark) else 1
        if depth < 0:
            return mark
    return None


def _is_json(text: str) -> bool:
    """Return whether a text is JSON as a whole: then a mark in it is quoted, not meant."""
    whole, _ = unfenced(text)
    if not whole.startswith(("{", "[")):
        return False
    try:
        json.loads(whole)
    except (ValueError, RecursionError):
        return False
    return True


def _closes(mark: re.Match[str]) -> bool:
    return any(mark.groups())


def _name(mark: re.Match[str]) -> str:
    return mark[0].replace("/", "").lower()


def _without_marks(text: str) -> str:
    return _MARK.sub("", text).strip()


def _harmony(text: str) -> tuple[str, str | None]:
    answer = ""
    thoughts: list[str] = []
    for head in _CHANNEL.finditer(text):
        end = _MESSAGE_END.search(text, head.end())
        message = text[head.end() : end.start() if end else len(text)].strip()
        if head[1] == "final":
            # Without one, the reply ended before its answer began.
            answer = message
        elif message:
            thoughts.append(message)
    return answer, "\n\n".join(thoughts) or None
