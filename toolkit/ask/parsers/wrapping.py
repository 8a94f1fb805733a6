"""Marks that models put around a short answer: emphasis, quotes, a full stop."""

from __future__ import annotations

from typing import Final

__all__ = ["unemphasised", "unwrapped"]

_EMPHASIS: Final = (("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("`", "`"))
_PAIRS: Final = (
    *_EMPHASIS,
    ('"', '"'),
    ("'", "'"),
    ("“", "”"),
    ("‘", "’"),
    ("(", ")"),
    ("[", "]"),
)
_LAYERS: Final = 6


def unwrapped(text: str) -> str:
    """Return a short answer without marks around the whole of it, and without a full stop."""
    for _ in range(_LAYERS):
        before = text
        text = _peeled(text.strip().removesuffix(".").strip(), _PAIRS)
        if text == before:
            break
    return text


def unemphasised(text: str) -> str:
    """Return a text without the emphasis around the whole of it; all else stays."""
    for _ in range(_LAYERS):
        before = text
        text = _peeled(text.strip(), _EMPHASIS)
        if text == before:
            break
    return text


def _peeled(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for left, right in pairs:
        inner = text[len(left) : -len(right)]
        if (
            len(text) > len(left + right)
            and text.startswith(left)
            and text.endswith(right)
            # "A" or "B" is not one answer in quotes.
            and left not in inner
            and right not in inner
        ):
            return inner
    return text
