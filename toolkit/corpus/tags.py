"""Find elements in the bytes of one well-formed record, without building a tree.

This is sound because of what the reader guarantees before: the bytes are well-formed XML in
UTF-8 and hold no comments, processing instructions, CDATA sections or document type. In such
bytes ``<`` begins a tag and nothing else, so an element that cannot contain itself ends at the
first end tag of its name. PubMed's only recursive element, ``ReferenceList``, is never read.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from toolkit.corpus.markup import unescape

__all__ = ["ATTRIBUTES", "LEAF", "Element", "attributes", "clean", "leaves"]

ATTRIBUTES: Final = rb"""((?:[^>"'/]++|"[^"]*"|'[^']*'|/(?!>))*+)"""
"""The inside of a start tag after its name, as one group; a final slash is left out."""

LEAF: Final = re.compile(rb"<([A-Za-z]+)" + ATTRIBUTES + rb">([^<]*)</")
"""An element that holds only text: its name, its attributes, its text."""

_ATTRIBUTE = re.compile(rb"""([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


class Element:
    """A pattern for one element by name.

    Attributes:
        pattern: groups 1 and 2 are the attributes and the content; content is None for an
            empty-element tag.
    """

    __slots__ = ("_close", "_prefix", "pattern")

    def __init__(self, name: str) -> None:
        """Prepare to look for elements called ``name``."""
        tag = name.encode()
        self._prefix = b"<" + tag
        self._close = b"</" + tag + b">"
        self.pattern = re.compile(
            rb"<%b(?=[\s/>])%b(?:/>|>((?:[^<]++|<(?!/%b[\s>]))*+)<)" % (tag, ATTRIBUTES, tag)
        )

    def span(self, record: bytes, start: int, end: int) -> tuple[int, int]:
        """Return where the content of the first one starts and ends; (-1, -1) if there is none."""
        first = record.find(self._prefix, start, end)
        if first < 0:
            return -1, -1
        inside = first + len(self._prefix)
        if record[inside : inside + 1] == b">":
            last = record.find(self._close, inside, end)
            if last >= 0:
                return inside + 1, last
        found = self.pattern.search(record, first, end)
        return found.span(2) if found else (-1, -1)

    def content(self, record: bytes) -> bytes:
        """Return the content of the first one, empty when there is none."""
        first, last = self.span(record, 0, len(record))
        return record[first:last] if first >= 0 else b""


def leaves(content: bytes) -> dict[str, str]:
    """Return the text of every text-only element by name; of equal names the first stands."""
    return {
        name.decode(): value
        for name, _, raw in reversed(LEAF.findall(content))
        if (value := clean(raw)) is not None
    }


def clean(raw: bytes) -> str | None:
    """Decode character data: references replaced, white space collapsed; null when empty."""
    text = raw.decode()
    if "&" in text:
        text = unescape(text)
    return " ".join(text.split()) or None


@lru_cache(maxsize=8192)
def attributes(raw: bytes) -> dict[str, str]:
    """Return the attributes of a start tag; the caller must not change the dictionary."""
    return {
        name.decode(): clean(double or single) or ""
        for name, double, single in _ATTRIBUTE.findall(raw)
    }
