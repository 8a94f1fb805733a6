"""The ``publish:`` section of a recipe: what is released, under which terms, and where."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal

__all__ = ["MOST_FAILED", "Publish", "Rights", "Submissions", "Task"]

MOST_FAILED: Final = 0.05
"""Share of answers without a value up to which a board ranks, where a recipe says nothing else."""

_REPOSITORY = r"^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$"


def _key(about: str, **more: Any) -> dict[str, Any]:
    return {"about": about, **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """Who says that texts under other people's copyright may be released, and why."""

    acknowledged_by: str = field(metadata=_key("name of the person who answers for it"))
    reason: str = field(metadata=_key("what gives the right, e.g. an agreement or a licence"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One headline number of the benchmark: one leaderboard on the Hub."""

    id: str = field(metadata=_key("name of the task", pattern=r"^\w+$"))
    score: str = field(metadata=_key("score that ranks; higher must be better"))
    prompt: str = field(metadata=_key("prompt mode whose answers count"))
    split: str | None = field(
        default=None, metadata=_key("released split; the one that was generated over by default")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Submissions:
    """Rules for predictions that others hand in."""

    per_week: int = field(
        default=3, metadata=_key("bundles a submitter may hand in within 7 days", minimum=1)
    )
    judge_sample: int = field(
        default=50, metadata=_key("answers judged again in a review; 0 for none", minimum=0)
    )
    near_identical: float = field(
        default=0.9,
        metadata=_key(
            "share of the reference's word 3-grams in an answer from which it counts as a copy "
            "of the reference",
            minimum=0,
            maximum=1,
        ),
    )
    most_identical: float = field(
        default=0.1,
        metadata=_key(
            "share of such answers above which a submission is refused", minimum=0, maximum=1
        ),
    )
    max_failed: float = field(
        default=MOST_FAILED,
        metadata=_key(
            "share of answers without a value above which an entry of the board, whosever it is, "
            "has no rank",
            minimum=0,
            maximum=1,
        ),
    )
    hidden_split: str | None = field(
        default=None, metadata=_key("split whose references are never released")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Publish:
    """The release: a Hub dataset repository as a folder, and where it will go."""

    dataset: str | None = field(
        default=None, metadata=_key("org/name of the dataset", pattern=_REPOSITORY)
    )
    leaderboard: str | None = field(
        default=None, metadata=_key("org/name of the leaderboard's Space", pattern=_REPOSITORY)
    )
    license: str = field(metadata=_key("licence id as the Hub knows it, e.g. cc-by-4.0, other"))
    license_name: str | None = field(default=None, metadata=_key("name when license is other"))
    license_link: str | None = field(default=None, metadata=_key("link when license is other"))
    redistribution: Literal["ids_only", "metadata", "full_text"] = field(
        metadata=_key("what leaves the machine")
    )
    rights: Rights | None = field(
        default=None,
        metadata=_key("for full_text of records that carry a copyright statement"),
    )
    config: str = field(
        default="default", metadata=_key("name of the configuration", pattern=r"^\w+$")
    )
    pretty_name: str | None = field(default=None, metadata=_key("title of the card"))
    languages: tuple[str, ...] = field(
        default=("en",), metadata=_key("ISO 639-1 codes", scalar=True)
    )
    sjr_rights: bool = field(
        default=False, metadata=_key("you hold the right to publish SCImago values")
    )
    citation: str | None = field(
        default=None, metadata=_key("how to cite it; BibTeX or a sentence")
    )
    organization: str | None = field(
        default=None, metadata=_key("who runs the benchmark; the dataset's owner by default")
    )
    examples: int = field(
        default=1, metadata=_key("items shown on the card of a full_text release", minimum=0)
    )
    private: bool = field(default=False, metadata=_key("make the repository a private one"))
    tasks: tuple[Task, ...] = field(
        default=(), metadata=_key("headline numbers, each a leaderboard of its own on the Hub")
    )
    framework: str | None = field(
        default="inspect-ai", metadata=_key("evaluation_framework of eval.yaml")
    )
    submissions: Submissions | None = field(
        default=None, metadata=_key("rules for predictions that others hand in", cosmetic=True)
    )
    token_env: str = field(
        default="HF_TOKEN",
        metadata=_key(
            "environment variable with the Hub token",
            pattern=r"^[A-Z][A-Z0-9_]*$",
            cosmetic=True,
        ),
    )

    @property
    def max_failed(self) -> float:
        """Share of answers without a value up to which the board ranks."""
        return MOST_FAILED if self.submissions is None else self.submissions.max_failed
