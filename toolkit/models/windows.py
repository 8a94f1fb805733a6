"""Cut a text that is longer than a model's context into overlapping runs of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["LongTexts", "Window", "cut_windows"]

LongTexts = Literal["stride", "truncate"]


@dataclass(frozen=True, slots=True)
class Window:
    """A run of a text's tokens that the model reads at once.

    Attributes:
        tokens: the tokens.
        first: the position in it of the first token that counts; those before it are context.
    """

    tokens: tuple[int, ...]
    first: int


def cut_windows(
    tokens: Sequence[int], context: int, stride: int, long_texts: LongTexts
) -> tuple[list[Window], int]:
    """Cut the tokens of a text into windows so that each but the first token counts once.

    Args:
        tokens: the tokens of the text, the start token included.
        context: most tokens of a window.
        stride: tokens from the start of a window to the start of the next, below ``context``;
            a token of a later window has at least ``context - stride`` tokens before it.
        long_texts: ``stride`` to use as many windows as it takes, ``truncate`` to use one.

    Returns:
        The windows and how many tokens are in none of them.
    """
    if len(tokens) <= context or long_texts == "truncate":
        kept = tuple(tokens[:context])
        return [Window(kept, 1)], len(tokens) - len(kept)
    windows = [Window(tuple(tokens[:context]), 1)]
    end = context
    while end < len(tokens):
        begin = len(windows) * stride
        windows.append(Window(tuple(tokens[begin : begin + context]), end - begin))
        end = min(begin + context, len(tokens))
    return windows, 0
