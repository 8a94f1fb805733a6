"""Parts of a card that people write, and that survive when the card is made anew."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from toolkit.errors import UserError

__all__ = ["PARTS", "filled", "hand_parts", "marked"]

PARTS: Final = ("introduction", "notes")
"""The places of the template, empty until somebody writes there."""

_MARK: Final = re.compile(r"^<!-- by hand: (begin|end) ([a-z][a-z0-9_-]{0,40}) -->[ \t]*$", re.M)


def hand_parts(card: str) -> dict[str, str]:
    """Return what stands between the markers of a card, by name; none of an empty card.

    Raises:
        UserError: a marker stands alone, inside another part, or twice.
    """
    found: dict[str, str] = {}
    name, start = "", 0
    for mark in _MARK.finditer(card.replace("\r\n", "\n")):
        kind, here = mark.groups()
        if kind == "begin" and not name and here not in found:
            name, start = here, mark.end()
        elif kind == "end" and name == here:
            found[name] = card.replace("\r\n", "\n")[start : mark.start()].strip("\n")
            name = ""
        else:
            raise _broken(here)
    if name:
        raise _broken(name)
    return found


def marked(name: str, text: str) -> str:
    """Return a part with its markers."""
    inner = f"{text}\n" if text else ""
    return f"<!-- by hand: begin {name} -->\n{inner}<!-- by hand: end {name} -->"


def filled(parts: Mapping[str, str]) -> tuple[dict[str, str], Sequence[str]]:
    """Return the places of the template with their markers, and other parts in their order."""
    places = {name: marked(name, parts.get(name, "")) for name in PARTS}
    return places, [marked(name, text) for name, text in parts.items() if name not in PARTS]


def _broken(name: str) -> UserError:
    return UserError(
        f"README.md of the repository: the markers of the part '{name}' do not pair up",
        hint=f"write <!-- by hand: begin {name} --> and <!-- by hand: end {name} --> around it, "
        "once, each on a line of its own",
    )
