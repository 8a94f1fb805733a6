"""People as a judge: their ratings, from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from toolkit.errors import MissingError
from toolkit.judges.base import JudgeSource
from toolkit.judges.ratings import Rating, Ratings, read_ratings
from toolkit.judges.score import Score, score_definition
from toolkit.metrics.base import ScoreDefinition, Value
from toolkit.recipe.params import canonical_params
from toolkit.store.canonical import file_digest

__all__ = ["Human", "HumanParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanParams:
    """Ratings by people, from a file or a form of the rating page."""

    file: str | None = field(default=None, metadata={"about": "table of ratings", "path": True})
    form: str | None = field(default=None, metadata={"about": "form of the rating page"})
    scores: Mapping[str, Score] = field(default_factory=dict, metadata={"about": "scores by name"})


class Human:
    """Looks up what people said; the score of an answer is the mean over its raters."""

    name: ClassVar[str] = "human"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = HumanParams
    source: ClassVar[JudgeSource] = "reads"

    def __init__(self, params: HumanParams) -> None:
        self.params = params

    def score_names(self) -> tuple[str, ...]:
        """Return the names of its scores."""
        return tuple(self.params.scores)

    def definitions(self, columns: Mapping[str, str]) -> tuple[ScoreDefinition, ...]:
        """Return what each score means."""
        return tuple(
            score_definition(columns[name], name, score)
            for name, score in self.params.scores.items()
        )

    def fingerprint(self) -> dict[str, Any]:
        """Return its scores and the sha256 of its file.

        Raises:
            MissingError: the file is not there yet.
        """
        try:
            digest = file_digest(Path(str(self.params.file)))
        except OSError as error:
            raise MissingError(
                f"the ratings {self.params.file} cannot be read: {error.strerror}",
                hint="put the table of ratings there, or take the judge out of the recipe",
            ) from error
        return {"version": self.version, **canonical_params(self.params), "sha256": digest}

    def read(self, rater: str) -> Ratings:
        """Read all ratings.

        Args:
            rater: the rater of rows that name none.

        Raises:
            SourceError: the file cannot be read, or lacks the columns.
        """
        return read_ratings(Path(str(self.params.file)), self.params.scores, rater)

    def values(self, ratings: Sequence[Rating]) -> dict[str, Value]:
        """Return each score of an answer: the mean over its raters, as tables show it."""
        return {
            name: _mean([score.reported(r.value) for r in ratings if r.score == name])
            for name, score in self.params.scores.items()
        }


def _mean(values: Sequence[float]) -> Value:
    if not values:
        return Value(None, reason="not rated")
    return Value(sum(values) / len(values))
