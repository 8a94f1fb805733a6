"""Compare journal titles as catalogues write them."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

__all__ = ["shared_titles", "title_forms"]

_BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_SUBTITLE: Final = re.compile(r"\s[:=]\s.*", re.DOTALL)
_APOSTROPHE: Final = re.compile(r"['`\u2018\u2019\u02bc]")
_WORD: Final = re.compile(r"[^\W_]+")


def title_forms(title: str) -> tuple[str, str]:
    """Return a title's whole and cut form, both normalised.

    Entities are resolved, accents, case and punctuation dropped, ``&`` read as ``and``, and a
    leading or trailing "the" left out ("Lancet, The"). The cut form also leaves out text in
    brackets and what follows ``' : '`` or ``' = '``.

    Returns:
        (whole, cut); equal when nothing was cut, empty when no word is left.
    """
    text = unicodedata.normalize("NFKD", html.unescape(title))
    text = "".join(char for char in text if not unicodedata.combining(char)).casefold()
    whole = _words(text)
    cut, replaced = text, 1
    while replaced:
        cut, replaced = _BRACKETS.subn(" ", cut)
    form = _words(_SUBTITLE.sub(" ", cut))
    return whole, (whole if form == whole else form)


def _words(text: str) -> str:
    words = _WORD.findall(_APOSTROPHE.sub("", text).replace("&", " and "))
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    if len(words) > 1 and words[-1] == "the":
        words = words[:-1]
    return " ".join(words)


def shared_titles(journals: Iterable[tuple[str, str]]) -> tuple[frozenset[str], frozenset[str]]:
    """Find the title forms that several journals of a corpus share.

    A title may stand for a row of a journal table only when one journal alone has it.

    Args:
        journals: (id, title) of each journal, repeats allowed; the id tells journals apart,
            e.g. the NLM catalogue id.

    Returns:
        The shared whole forms and the shared cut forms.
    """
    owners: tuple[dict[str, str], dict[str, str]] = ({}, {})
    shared: tuple[set[str], set[str]] = (set(), set())
    for journal, title in journals:
        for form, owner, found in zip(title_forms(title), owners, shared, strict=True):
            if form and owner.setdefault(form, journal) != journal:
                found.add(form)
    return frozenset(shared[0]), frozenset(shared[1])
