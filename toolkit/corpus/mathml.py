"""MathML in titles and abstracts, written out on one line of plain text.

``x^2``, ``T1`` (a subscript joins, as it does in running text), ``(a+b)/2``, ``√x``. Line breaks
and indentation inside a formula are layout and vanish; annotations, which repeat the formula
in another notation, are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from toolkit.errors import SourceError

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["render_math"]

_DROPPED: Final = {"annotation", "annotation-xml", "mphantom", "none", "mprescripts"}
_INVISIBLE = dict.fromkeys(map(ord, "\u2061\u2062\u2063\u2064"))
_PREFIX = re.compile(r"(</?)[\w.-]+:")
_NAMESPACE = re.compile(r"""\s(?:xmlns(?::[\w.-]+)?|[\w.-]+:[\w.-]+)\s*=\s*(?:"[^"]*"|'[^']*')""")
_ATOM = re.compile(r"\w+(?:\.\w+)?|\W|√\w+")
_FENCED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def render_math(fragment: str, *, carets: bool = True) -> str:
    """Write one ``math`` element as a line of text.

    Args:
        fragment: the element as XML, with or without a namespace prefix.
        carets: whether an exponent is marked (``x^2``); otherwise it joins (``x2``).

    Raises:
        SourceError: the fragment is not well-formed.
    """
    from lxml import etree

    plain = _NAMESPACE.sub("", _PREFIX.sub(r"\1", fragment))
    try:
        root = etree.fromstring(plain, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        raise SourceError(
            f"a formula is not well-formed: {error}", hint="download the file again"
        ) from error
    return " ".join(_render(root, carets).split())


def _render(node: _Element, carets: bool) -> str:
    # Comments and processing instructions have a function for a tag.
    if not isinstance(node.tag, str) or node.tag in _DROPPED:
        return ""
    layout = _LAYOUTS.get(node.tag)
    if layout is not None:
        return layout(node, carets)
    if len(node) == 0:
        return " ".join((node.text or "").split()).translate(_INVISIBLE)
    return _row(node, carets)


def _row(node: _Element, carets: bool) -> str:
    parts: list[str] = [" ".join((node.text or "").split())]
    for child in node:
        part = _render(child, carets)
        # Two names side by side are two words: 'sin x', '25 ms', but '2x'.
        named = child.tag in ("mi", "mtext") and len(part) > 1
        if part and parts[-1][-1:].isalnum() and part[0].isalnum() and (named or _named(parts)):
            parts.append(" ")
        parts.append(part)
        tail = " ".join((child.tail or "").split())
        if tail:
            parts.append(tail)
    return "".join(parts)


def _named(parts: list[str]) -> bool:
    return len(parts[-1]) > 1 and parts[-1].isalpha()


def _children(node: _Element, carets: bool, count: int) -> list[str]:
    found = [_render(child, carets) for child in node if isinstance(child.tag, str)]
    return (found + [""] * count)[:count]


def _grouped(text: str) -> str:
    return text if not text or _ATOM.fullmatch(text) or _FENCED.fullmatch(text) else f"({text})"


def _sup(text: str, carets: bool) -> str:
    # A star, a prime or a charge marks its base; it is no exponent.
    if not carets or not any(char.isalnum() for char in text):
        return text
    signed = re.fullmatch(r"[-+−–]\w+", text)
    return "^" + (text if signed else _grouped(text))


def _sub(text: str, carets: bool) -> str:
    return text if not carets or text.isalnum() or _FENCED.fullmatch(text) else f"_{_grouped(text)}"


def _msup(node: _Element, carets: bool) -> str:
    base, sup = _children(node, carets, 2)
    return (_grouped(base) if carets else base) + _sup(sup, carets)


def _msub(node: _Element, carets: bool) -> str:
    base, sub = _children(node, carets, 2)
    return base + _sub(sub, carets)


def _msubsup(node: _Element, carets: bool) -> str:
    base, sub, sup = _children(node, carets, 3)
    return base + _sub(sub, carets) + _sup(sup, carets)


def _mover(node: _Element, carets: bool) -> str:
    base, over = _children(node, carets, 2)
    return base + over


def _mfrac(node: _Element, carets: bool) -> str:
    top, bottom = _children(node, carets, 2)
    return f"{_grouped(top)}/{_grouped(bottom)}"


def _msqrt(node: _Element, carets: bool) -> str:
    return "√" + _grouped(_row(node, carets))


def _mroot(node: _Element, carets: bool) -> str:
    base, degree = _children(node, carets, 2)
    return f"{_grouped(base)}^(1/{degree})"


def _mfenced(node: _Element, carets: bool) -> str:
    separators = "".join(node.get("separators", ",").split())
    parts = [_render(child, carets) for child in node if isinstance(child.tag, str)]
    inner = ""
    for index, part in enumerate(parts):
        if index and separators:
            inner += separators[min(index - 1, len(separators) - 1)]
        inner += part
    return node.get("open", "(") + inner + node.get("close", ")")


def _mtable(node: _Element, carets: bool) -> str:
    rows = [child for child in node if isinstance(child.tag, str)]
    cells = [[_render(cell, carets) for cell in row if isinstance(cell.tag, str)] for row in rows]
    return "[" + "; ".join(", ".join(row) for row in cells) + "]"


def _mmultiscripts(node: _Element, carets: bool) -> str:
    children = [child for child in node if isinstance(child.tag, str)]
    if not children:
        return ""
    tags = [child.tag for child in children]
    split = tags.index("mprescripts") if "mprescripts" in tags else len(children)
    before = [_render(child, carets) for child in children[split + 1 :]]
    after = [_render(child, carets) for child in children[1:split]]
    scripts = "".join(
        _sub(text, carets) if index % 2 == 0 else _sup(text, carets)
        for index, text in enumerate(after)
        if text
    )
    return "".join(before) + _render(children[0], carets) + scripts


def _mspace(node: _Element, carets: bool) -> str:
    return " "


def _first(node: _Element, carets: bool) -> str:
    return _children(node, carets, 1)[0]


_Layout = Callable[[Any, bool], str]
_LAYOUTS: Final[dict[str, _Layout]] = {
    "maction": _first,
    "mfenced": _mfenced,
    "mfrac": _mfrac,
    "mmultiscripts": _mmultiscripts,
    "mover": _mover,
    "mroot": _mroot,
    "mspace": _mspace,
    "msqrt": _msqrt,
    "msub": _msub,
    "msubsup": _msubsup,
    "msup": _msup,
    "mtable": _mtable,
    "munder": _msub,
    "munderover": _msubsup,
    "semantics": _first,
}
