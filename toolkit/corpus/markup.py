"""Text of titles and abstracts: inline markup, entities and white space made plain.

Only markup that stands inside a word joins it (``CO<sub>2</sub>`` is ``CO2``): tags vanish and
the white space around them is left as it was, so no word is fused and none is lost. White space
of every kind, no-break and thin spaces included, is collapsed once, at the end.

The ``default`` rendering keeps powers readable: a numeric superscript after a number becomes
``^`` (``10<sup>-3</sup>`` and ``10⁻³`` are ``10^-3``), which a later NFKC normalisation would
otherwise fuse into another number. The ``paper`` rendering joins everything.
"""

from __future__ import annotations

import html
import re
import unicodedata
from html.entities import html5
from typing import Final, Literal

from toolkit.corpus.mathml import render_math

__all__ = ["Rendering", "collapse", "render_text", "unescape"]

Rendering = Literal["default", "paper"]

_STYLE = r"a|b|em|font|i|italic|sc|small|span|strong|tt|u"
_STYLE_TAG = re.compile(rf"</?(?:{_STYLE})(?:\s[^<>]*)?/?>")
_INLINE_TAG = re.compile(rf"</?(?:su[bp]|{_STYLE})(?:\s[^<>]*)?/?>")
_TAG = re.compile(r"""<(?:[^>"']++|"[^"]*"|'[^']*')*+>""")
_MATH = re.compile(r"<(?P<tag>(?:[\w.-]+:)?math)(?:\s[^<>]*+(?<!/))?>.*?</(?P=tag)\s*>", re.DOTALL)
_REFERENCE = re.compile(r"&(#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
_XML_NAMES: Final = {"amp": "&", "apos": "'", "gt": ">", "lt": "<", "quot": '"'}

# A number, and not the end of a name: 10, 0.5, 5x10; not CO2, TP53 or CD4.
_NUMBER = r"(?:(?<!\w)(?<![0-9][.,])|(?<=(?<![^\W\d_])[xX]))[0-9](?:[0-9.,]*[0-9])?"
_ENDS_IN_NUMBER = re.compile(_NUMBER + r"\Z")
_POWER = re.compile(r"<sup>\s*([-+−–‐]?\s?[0-9]+(?:[-–.,][0-9]+)*)\s*</sup>")
_CHARACTER = re.compile(r"&#(?!38;|60;|[xX]0*(?:26|3[cC]);)[^;]+;")
_UNICODE_POWER = re.compile(f"({_NUMBER})([⁺⁻]?[⁰¹²³⁴-⁹]+)")
_NUMBER_REACH: Final = 32


def render_text(fragment: str, rendering: Rendering = "default") -> str:
    """Return the plain text of a piece of mixed content.

    Args:
        fragment: the XML between the tags of an element, entities not yet replaced.
        rendering: ``default`` marks powers with ``^``, ``paper`` joins them.

    Raises:
        SourceError: a formula inside is not well-formed.
    """
    powers = rendering == "default"
    text = _without_tags(fragment, powers) if "<" in fragment else unescape(fragment)
    if "&" in text:
        text = _unescape_again(text)
    if powers and not text.isascii() and _has_superscript(text):
        text = _UNICODE_POWER.sub(_caret, text)
    return collapse(text)


def collapse(text: str) -> str:
    """Make every run of white space one space, no-break and thin spaces too, and trim the ends."""
    # Splitting into words and joining them is the dearest step of all, and most texts need none.
    # Of all white space only the plain space is printable.
    if text.isascii():
        plain = "\n" not in text and "\t" not in text and "\r" not in text
    else:
        plain = text.isprintable()
    if plain and "  " not in text:
        return text.strip(" ")
    return " ".join(text.split())


def unescape(text: str) -> str:
    """Replace the references of XML: the five names and the numbers, once."""
    return _REFERENCE.sub(_xml_reference, text) if "&" in text else text


def _xml_reference(found: re.Match[str]) -> str:
    name = found[1]
    if name[0] != "#":
        return _XML_NAMES.get(name, found[0])
    return chr(int(name[2:], 16) if name[1] in "xX" else int(name[1:]))


def _unescape_again(text: str) -> str:
    # Publishers escape twice: 'P&amp;lt;0.05', '&amp;nbsp;'. No prose means the reference itself.
    return _REFERENCE.sub(_html_reference, text)


def _html_reference(found: re.Match[str]) -> str:
    name = found[1]
    return html.unescape(found[0]) if name[0] == "#" or f"{name};" in html5 else found[0]


def _has_superscript(text: str) -> bool:
    # Several times as fast as a pattern, or as a loop.
    return (
        "²" in text
        or "³" in text
        or "¹" in text
        or "⁰" in text
        or "⁴" in text
        or "⁵" in text
        or "⁶" in text
        or "⁷" in text
        or "⁸" in text
        or "⁹" in text
    )


def _caret(found: re.Match[str]) -> str:
    return f"{found[1]}^{unicodedata.normalize('NFKC', found[2]).replace('−', '-')}"


def _without_tags(fragment: str, powers: bool) -> str:
    if "math" in fragment:
        fragment = _MATH.sub(
            lambda found: html.escape(render_math(found[0], carets=powers), quote=False), fragment
        )
    if powers and "<sup" in fragment:
        fragment = _CHARACTER.sub(_character, _STYLE_TAG.sub("", fragment))
        # '10<sup>-</sup><sup>3</sup>' is one superscript.
        fragment = _POWER.sub(_power, fragment.replace("</sup><sup>", ""))
    fragment = _INLINE_TAG.sub("", fragment)
    if "<" in fragment:
        # What is no inline markup is a block of its own.
        fragment = _TAG.sub(" ", fragment)
    return unescape(fragment)


def _character(found: re.Match[str]) -> str:
    return unescape(found[0])


def _power(found: re.Match[str]) -> str:
    before = found.string[max(0, found.start() - _NUMBER_REACH) : found.start()]
    return f"^{found[1]}" if _ENDS_IN_NUMBER.search(before) else found[1]
