"""Parameters of the answer parsers: how a reply becomes an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

__all__ = [
    "PARSERS",
    "Bullets",
    "Choice",
    "Json",
    "ListOf",
    "Number",
    "Section",
    "Sections",
    "Text",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """The whole reply without outer blanks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of a reply that is divided by headings."""

    heading: str | None = field(
        default=None, metadata={"about": "heading in the reply; the part's name by default"}
    )
    as_: Literal["text", "number", "numbers", "list"] = field(
        default="text", metadata={"about": "how the part is read"}
    )
    at_least: int = field(
        default=0, metadata={"about": "fewest entries; with fewer a chain ends here", "minimum": 0}
    )
    separator: str = field(default=",", metadata={"about": "text between the entries of a list"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sections:
    """A reply divided by headings; the order of the parts is the order asked for."""

    parts: Mapping[str, Section] = field(metadata={"about": "parts of the reply by name"})
    answer: str | None = field(
        default=None, metadata={"about": "part that metrics compare with the reference"}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOf:
    """A list, its entries divided by a separator."""

    separator: str = field(default=",", metadata={"about": "text between entries"})
    ordered: bool = field(default=False, metadata={"about": "the order is part of the answer"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of several options."""

    options: tuple[str, ...] = field(metadata={"about": "the replies that are answers"})
    otherwise: str | None = field(
        default=None,
        metadata={"about": "answer of any other text (status repaired); invalid by default"},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number."""

    range: tuple[float, float] | None = field(
        default=None, metadata={"about": "lowest and highest value; others are invalid"}
    )
    step: float | None = field(
        default=None,
        metadata={"about": "smallest difference of two answers, above 0", "minimum": 0},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullets:
    """Bullet points, each divided at its first separator into two parts."""

    at_most: int | None = field(default=None, metadata={"about": "most bullets", "minimum": 1})
    parts: tuple[str, str] | None = field(
        default=None, metadata={"about": "names of the texts before and after the separator"}
    )
    separator: str = field(default=":", metadata={"about": "divides a bullet, at its first place"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Json:
    """A JSON object; in a judge its scores are the schema when none is given."""

    schema: Mapping[str, Any] | None = field(
        default=None,
        metadata={"about": "JSON Schema (2020-12) of the reply; references stay inside it"},
    )


PARSERS: Final[dict[str, type]] = {
    "bullets": Bullets,
    "choice": Choice,
    "json": Json,
    "list": ListOf,
    "number": Number,
    "sections": Sections,
    "text": Text,
}
"""The parameters of each parser, by the name a recipe uses."""
