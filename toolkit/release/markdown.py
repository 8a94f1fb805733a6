"""Untrusted text inside Markdown: it shows as it is and does nothing."""

from __future__ import annotations

import html
import re
from typing import Final

from toolkit.report.text import printable

__all__ = ["code", "escape"]

_SPECIAL: Final = re.compile(r"([\\`*_\[\]|~#!$@{}])")
_LINK: Final = re.compile(r"(?i)(?:(?<=\w):(?=//)|(?<=\bmailto):|(?<=\bxmpp):|(?<=\bwww)\.)")
_START: Final = re.compile(r"^(\d{1,9})?([-+=:.)])(?=\s|$|[-=:])")
_PLAIN: Final = re.compile(r"[\w./*-](?:[\w./*<>:, -]*[\w./*<>-])?", re.ASCII)


def escape(text: str) -> str:
    """Return ``text`` for one line or one table cell of GitHub-flavoured Markdown.

    Line breaks become blanks, unprintable and bidirectional characters are named, HTML and
    every character that can start a construct (emphasis, link, code, table, heading, list,
    mention, formula, bare address) is escaped.
    """
    line = " ".join(printable(text).split())
    line = _SPECIAL.sub(r"\\\1", line)
    line = _LINK.sub(lambda found: "\\" + found.group(), line)
    line = _START.sub(lambda found: f"{found.group(1) or ''}\\{found.group(2)}", line)
    return html.escape(line, quote=False)


def code(text: str) -> str:
    """Return ``text`` as code where that is safe in a table, else escaped."""
    return f"`{text}`" if _PLAIN.fullmatch(text) else escape(text)
