"""The ``human:`` section of a recipe: rating forms, their raters, questions about the rater."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Form", "Human", "ProfileQuestion"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One form of the human rating page."""

    split: str = field(default="all", metadata={"about": "split or view the items come from"})
    on: tuple[str, ...] = field(
        metadata={"about": "columns shown to the rater, or run:PROMPT for its answer"}
    )
    questions: Mapping[str, tuple[int, int]] = field(
        metadata={"about": "lowest and highest rating of each question"}
    )
    models: tuple[str, ...] = field(
        default=(), metadata={"about": "models whose answers are shown; all by default"}
    )
    levels: tuple[str, ...] = field(
        default=(), metadata={"about": "perturbation levels shown; all by default"}
    )
    items: int = field(metadata={"about": "items for each rater", "minimum": 1})
    title: str | None = field(default=None, metadata={"about": "title of the page"})
    seconds: int = field(
        default=0, metadata={"about": "time for an item; 0 for no limit", "minimum": 0}
    )
    minimum_seconds: int = field(
        default=0, metadata={"about": "faster ratings are dropped", "minimum": 0}
    )
    break_after: int = field(
        default=0, metadata={"about": "items between breaks; 0 for none", "minimum": 0}
    )
    break_seconds: int = field(default=60, metadata={"about": "length of a break", "minimum": 0})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileQuestion:
    """A question about the rater: a scale, a list of options, or free text."""

    ask: str = field(metadata={"about": "the question"})
    range: tuple[int, int] | None = field(
        default=None, metadata={"about": "lowest and highest answer"}
    )
    options: tuple[str, ...] = field(default=(), metadata={"about": "answers to choose from"})
    convert: str | None = field(
        default=None,
        metadata={
            "about": "table that turns answers into numbers; others are dropped",
            "path": True,
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Human:
    """The human evaluation: forms, raters, questions about the rater."""

    forms: Mapping[str, Form] = field(metadata={"about": "forms by name"})
    raters: int = field(default=1, metadata={"about": "number of raters planned", "minimum": 1})
    profile: Mapping[str, ProfileQuestion] = field(
        default_factory=dict, metadata={"about": "questions about the rater by name"}
    )
    instructions: str | None = field(
        default=None, metadata={"about": "text shown first", "path": True}
    )
    pause_seconds: int = field(
        default=0, metadata={"about": "least time on the instructions", "minimum": 0}
    )
    profile_seconds: int = field(
        default=0, metadata={"about": "least time on the questions about the rater", "minimum": 0}
    )
    blind: bool = field(
        default=True, metadata={"about": "hide which model wrote a text, and judges' scores"}
    )
