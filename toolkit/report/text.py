"""Untrusted text and numbers, made fit to print."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["count", "number", "p_value", "plural", "printable", "shorten"]

_UNPRINTABLE: Final = re.compile(
    # Controls but tab and newline; bidirectional embeddings, overrides and isolates, which can
    # show a text other than it is; lone surrogates, which no encoding can write.
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def printable(text: str) -> str:
    """Return ``text`` with each character that cannot or must not be printed named instead.

    A carriage return becomes a newline; NUL is shown as ``[U+0000]``, a right-to-left override
    as ``[U+202E]``.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNPRINTABLE.sub(lambda found: f"[U+{ord(found.group()):04X}]", text)


def shorten(text: str, limit: int) -> str:
    """Return at most ``limit`` characters of ``text``, then how many were cut off."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} [… {count(len(text) - limit)} more characters]"


def number(value: float | None, digits: int) -> str:
    """Return a number with ``digits`` decimals; an en dash when there is none."""
    if value is None:
        return "–"
    printed = f"{value:.{digits}f}"
    # -0.000 would say that the number is negative.
    return printed.lstrip("-") if not printed.strip("-0.") else printed


def p_value(value: float | None, digits: int) -> str:
    """Return a p value with ``digits`` decimals; never as 0: ``<0.0001``."""
    printed = number(value, digits)
    small = value is not None and digits > 0 and not printed.strip("0.")
    return f"<0.{'0' * (digits - 1)}1" if small else printed


def count(value: int) -> str:
    """Return a count with thousands separated by commas."""
    return f"{value:,}"


def plural(value: int, one: str, many: str = "") -> str:
    """Return a count with its noun: ``1 item``, ``2 items``."""
    return f"{count(value)} {one if value == 1 else many or one + 's'}"
