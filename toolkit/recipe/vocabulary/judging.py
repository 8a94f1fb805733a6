"""Parameters of analyses that are not built yet: how far judges can be trusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = [
    "ConflictingScores",
    "EditEffect",
    "EditMissRates",
    "Hallucinations",
]


def _about(text: str, **more: Any) -> dict[str, Any]:
    return {"about": text, **more}


_SCORES = _about("names of scores; all by default", scalar=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditMissRates:
    """Share of edits that the judge's list of alterations lacks."""

    judge: str = field(metadata=_about("name of a judge"))
    by: tuple[Literal["category", "term"], ...] = field(
        default=("category", "term"), metadata=_about("grouping", scalar=True)
    )
    inflections: bool = field(default=True, metadata=_about("match inflected forms too"))


@dataclass(frozen=True, slots=True, kw_only=True)
class EditEffect:
    """Scores of edited minus unedited items, paired by item: the control."""

    judge: str = field(metadata=_about("judge that scored the level `unedited` too"))
    scores: tuple[str, ...] = field(default=(), metadata=_SCORES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hallucinations:
    """Types of hallucination among flagged answers."""

    judges: tuple[str, ...] = field(metadata=_about("judges that flag answers"))
    score: str = field(default="hallucination", metadata=_about("score that flags"))
    at_least: int = field(default=2, metadata=_about("judges that must flag", minimum=1))
    types: tuple[str, ...] = field(metadata=_about("names of the types"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictingScores:
    """Answers whose scores point in different directions, listed."""

    judge: str = field(metadata=_about("name of a judge"))
    at_most: int = field(default=50, metadata=_about("answers listed", minimum=1))
