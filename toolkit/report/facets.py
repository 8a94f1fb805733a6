"""Values by which items are filtered: split, category, flags; a number for each value."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolkit.report.chunks import ChunkFolder, varints
from toolkit.report.text import printable

__all__ = ["Facets"]

MOST_VALUES: Final = 400
"""A column with more different values is no choice that a person could scan."""

_LONGEST: Final = 120


class Facets:
    """Collects the values of a few columns, four bytes a value."""

    def __init__(self, names: Sequence[str]) -> None:
        self._values: dict[str, dict[str, int]] = {name: {} for name in names}
        self._codes: dict[str, array[int]] = {name: array("I") for name in names}
        self._counts: dict[str, array[int]] = {name: array("I") for name in names}

    def add(self, facets: Mapping[str, Any]) -> None:
        """Take the values of the next item; a list counts each of its entries."""
        for name in list(self._values):
            values = _values(facets.get(name))
            known = self._values[name]
            codes = [known.setdefault(value, len(known)) for value in values]
            if len(known) > MOST_VALUES or any(len(value) > _LONGEST for value in values):
                del self._values[name], self._codes[name], self._counts[name]
                continue
            self._codes[name].extend(codes)
            self._counts[name].append(len(codes))

    def write(self, out: ChunkFolder) -> list[dict[str, Any]]:
        """Write the parts ``facet-NN``.

        Returns:
            Of each facet that tells items apart: its ``name``, the number of its ``part``, and
            its ``values`` in the order of their codes.
        """
        found: list[dict[str, Any]] = []
        for name, values in self._values.items():
            if len(values) + (0 in self._counts[name]) < 2:
                continue
            number = len(found)
            out.write(
                f"facet-{number:02d}",
                {"counts": varints(self._counts[name]), "codes": varints(self._codes[name])},
            )
            found.append({"name": name, "part": number, "values": list(values)})
        return found


def _values(value: Any) -> list[str]:
    if value is None or value == "":
        return []
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, list):
        return list(dict.fromkeys(printable(str(part)) for part in value if part not in (None, "")))
    return [printable(str(value))]
