"""Marks that models put around a short answer: emphasis, quotes, a full stop."""

from __future__ import annotations

from typing import Final

__all__ = ["unwrapped"]

_PAIRS: Final = (
    ("**", "**"),
    ("__", "__"),
    ("*", "*"),
    ("_", "_"),
    ("`", "`"),
    ('"', '"'),
    ("'", "'"),
    ("“", "”"),
    ("‘", "’"),
    ("(", ")"),
    ("[", "]"),
)


def unwrapped(text: str) -> str:
    """Return a short answer without marks around the whole of it, and without a full stop."""
    before = None
    while before != text:
        before = text
        text = text.strip().removesuffix(".").strip()
        for left, right in _PAIRS:
            if len(text) > len(left + right) and text.startswith(left) and text.endswith(right):
                text = text[len(left) : -len(right)]
    return text
