"""A reply that is a list of points, each divided into two parts where asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolkit.ask.parsed import Parsed, invalid, unfenced
from toolkit.ask.parsers.entries import BULLET
from toolkit.ask.parsers.wrapping import unwrapped
from toolkit.recipe.parsers import Bullets

__all__ = ["BulletsParser"]


class BulletsParser:
    """Points that begin with a mark; lines without one go on with the point before them."""

    schema: Mapping[str, Any] | None = None

    def __init__(self, params: Bullets | None = None) -> None:
        """Take the most points, and names of their parts."""
        self._params = params or Bullets()

    def read(self, text: str) -> Parsed:
        """Read a reply."""
        whole, reason = unfenced(text)
        points, before = _points(whole)
        if not points:
            return invalid("the answer holds no bullet points")
        if before:
            reason = reason or "text before the first point was left out"
        most = self._params.at_most
        if most is not None and len(points) > most:
            return invalid(f"{len(points)} points where at most {most} were asked for")
        value: list[Any] = list(points)
        if self._params.parts is not None:
            first, second = self._params.parts
            divided = [_divided(point, self._params.separator) for point in points]
            if any(not subject for subject, _ in divided):
                return invalid(f"a point has no '{self._params.separator}' after its {first}")
            value = [{first: subject, second: rest} for subject, rest in divided]
        return Parsed("repaired" if reason else "ok", "\n".join(points), reason, value)


def _points(text: str) -> tuple[list[str], bool]:
    points: list[str] = []
    before = False
    for line in text.splitlines():
        mark = BULLET.match(line)
        if mark is not None:
            points.append(line[mark.end() :].strip())
        elif not line.strip():
            continue
        elif points:
            points[-1] = f"{points[-1]} {line.strip()}"
        else:
            before = True
    return [point for point in points if point], before


def _divided(point: str, separator: str) -> tuple[str, str]:
    """Return what stands before and after the first separator, emphasis around the first off."""
    head, found, rest = point.partition(separator)
    if not found:
        return "", point
    # The separator may stand inside the emphasis: **Subject:** text.
    for mark in ("**", "__", "*", "_"):
        if head.startswith(mark) and rest.lstrip().startswith(mark):
            head, rest = head.removeprefix(mark), rest.lstrip().removeprefix(mark)
            break
    return unwrapped(head), rest.strip()
