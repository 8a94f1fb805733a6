"""A reply that is a list of points, each divided into two parts where asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolkit.ask.parsed import Parsed, invalid, unfenced
from toolkit.ask.parsers.entries import BULLET
from toolkit.ask.parsers.wrapping import unemphasised
from toolkit.recipe.parsers import Bullets

__all__ = ["BulletsParser"]

_MARKS: Final = ("**", "__", "*", "_")


class BulletsParser:
    """Points that begin with a mark, each with the lines and the deeper points below it.

    A point that cannot be divided keeps its text; its first part is null.
    """

    schema: Mapping[str, Any] | None = None

    def __init__(self, params: Bullets | None = None) -> None:
        """Take the most points, and names of their parts."""
        self._params = params or Bullets()

    def read(self, text: str) -> Parsed:
        """Read a reply."""
        whole, fence = unfenced(text)
        if not whole:
            return invalid("the answer is empty")
        points, around = _points(whole)
        if not points:
            return invalid("the answer holds no bullet points")
        most = self._params.at_most
        if most is not None and len(points) > most:
            return invalid(f"{len(points)} points where at most {most} were asked for")
        notes = [fence, "text around the points was left out" if around else ""]
        value: list[Any] = list(points)
        shown = points
        if self._params.parts is not None:
            separator = self._params.separator
            divided = [_divided(point, separator) for point in points]
            shown = [_joined(head, rest, separator) for head, rest, _ in divided]
            value = [
                dict(zip(self._params.parts, (head, rest), strict=True))
                for head, rest, _ in divided
            ]
            if any(head is None for head, _, _ in divided):
                notes.append(f"a point has no '{separator}' after its {self._params.parts[0]}")
            if any(emphasis for _, _, emphasis in divided):
                notes.append("emphasis was taken off")
        reason = "; ".join(filter(None, notes))
        return Parsed("repaired" if reason else "ok", "\n".join(shown), reason, value)


def _points(text: str) -> tuple[list[str], bool]:
    """Return the points, and whether text stood before, between or after them."""
    points: list[list[str]] = []
    outermost: int | None = None
    around = gap = False
    for line in text.expandtabs(4).splitlines():
        if not line.strip():
            gap = True
            continue
        mark = BULLET.match(line)
        indent = len(line) - len(line.lstrip())
        outermost = indent if outermost is None and mark else outermost
        deeper = outermost is not None and indent > outermost + 1
        said = (line[mark.end() :] if mark else line).strip()
        if mark and not deeper:
            points.append([said])
        elif points and (deeper or not gap):
            points[-1].append(said)
        else:
            around = True
            continue
        gap = False
    joined = [" ".join(filter(None, lines)) for lines in points]
    return [point for point in joined if point], around


def _divided(point: str, separator: str) -> tuple[str | None, str, bool]:
    """Return what stands before and after the first separator, and if emphasis was taken off."""
    head, found, rest = point.partition(separator)
    head, rest = head.strip(), rest.strip()
    if not found or not head:
        bare = unemphasised(point)
        return None, bare, bare != point
    subject, detail = head, rest
    for mark in _MARKS:
        # The separator may stand inside the emphasis: **Subject:** text.
        if head.startswith(mark) and mark not in head[len(mark) :] and mark in rest:
            subject, detail = head.removeprefix(mark), rest.replace(mark, "", 1).strip()
            break
    subject = unemphasised(subject)
    return subject or None, detail, (subject, detail) != (head, rest)


def _joined(head: str | None, rest: str, separator: str) -> str:
    return rest if head is None else f"{head}{separator.rstrip()} {rest}".rstrip()
