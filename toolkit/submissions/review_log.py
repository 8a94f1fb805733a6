"""Reviews that were made: who handed in what when, and digests of the answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

from toolkit.errors import UserError
from toolkit.results.names import same_name
from toolkit.store.atomic import write_json, write_text
from toolkit.submissions.verdict import Verdict, verdict_json, verdict_markdown

__all__ = ["FOLDER", "PastReview", "ReviewLog"]

FOLDER: Final = "reviews"
"""Folder of all reviews beside the records; it is never published."""

_DAYS: Final = 7
_REPORT: Final = "review.json"
_DIGITS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class PastReview:
    """A review that was made.

    Attributes:
        folder: where it lies.
        bundle_id: of the bundle.
        model: name of the model.
        version: of the benchmark.
        split: that was answered.
        submitter: who handed it in, as the bundle says.
        handed_in_by: who handed it in, as the platform knows it; empty where nobody vouches.
        day: when.
        accepted: whether it was accepted.
        limited: it was refused for the number of bundles in a week.
        records: ids of its records.
        outputs: sha256 of the answers to each prompt.
    """

    folder: Path
    bundle_id: str
    model: str
    version: str
    split: str
    submitter: str
    handed_in_by: str
    day: date
    accepted: bool
    limited: bool
    records: tuple[str, ...]
    outputs: Mapping[str, str]

    @property
    def counts_for(self) -> str:
        """Whose limit it uses up: never that of a person who is merely named in it."""
        return self.handed_in_by or self.submitter

    def marks(self) -> dict[str, str]:
        """Return the digest of each answer, see :func:`.similarity.output_marks`.

        Raises:
            UserError: the file is gone or damaged.
        """
        path = self.folder / "outputs.json"
        try:
            found: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UserError(
                f"{path}: {error}", hint="bring back the file as the review wrote it"
            ) from error
        return found


class ReviewLog:
    """The reviews beside a board."""

    def __init__(self, board: Path) -> None:
        """Read all reviews.

        Raises:
            UserError: files are damaged; all are named.
        """
        self.folder = board / FOLDER
        self.reviews: list[PastReview] = []
        faults: list[str] = []
        for path in sorted(self.folder.glob(f"*/*/{_REPORT}")):
            try:
                data = json.loads(path.read_text(encoding="utf-8"))
                self.reviews.append(_past(path.parent, data))
            except (OSError, ValueError, KeyError, TypeError) as error:
                faults.append(f"{path}: no review: {type(error).__name__} {error}")
        if faults:
            raise UserError("\n".join(faults), hint="bring back the files as they were written")

    def of(self, bundle_id: str) -> PastReview | None:
        """Return the review of a bundle; None where there was none."""
        return next((one for one in self.reviews if one.bundle_id == bundle_id), None)

    def fullest_week(self, who: str, day: date, *, but: str = "") -> list[PastReview]:
        """Return somebody's reviewed bundles of the seven days with the most, a day among them.

        The order in which bundles are reviewed decides nothing: later days count as earlier ones.

        Args:
            who: the account, or the name where nobody vouches for one.
            day: every seven days that contain it are looked at.
            but: id of a bundle that is left out.
        """
        mine = [
            one
            for one in self.reviews
            if same_name(one.counts_for, who) and not one.limited and one.bundle_id != but
        ]
        starts = [day - timedelta(days=ago) for ago in range(_DAYS)]
        weeks = [[one for one in mine if 0 <= (one.day - start).days < _DAYS] for start in starts]
        return max(weeks, key=len)

    def add(self, verdict: Verdict, marks: Mapping[str, str]) -> Path:
        """Write a review; another one of the same bundle takes its place.

        Returns:
            The folder of its two reports.
        """
        assert verdict.manifest is not None
        version = verdict.manifest.benchmark.version
        folder = self.folder / version / verdict.bundle_id[:_DIGITS]
        write_json(folder / "outputs.json", dict(marks))
        write_text(folder / "review.md", verdict_markdown(verdict))
        write_text(folder / _REPORT, verdict_json(verdict))
        return folder


def _past(folder: Path, data: Mapping[str, Any]) -> PastReview:
    declared = data["declared"]
    return PastReview(
        folder=folder,
        bundle_id=data["bundle"],
        model=declared["model"]["name"],
        version=declared["benchmark"]["version"],
        split=declared["benchmark"]["split"],
        submitter=declared["submitter"]["name"],
        handed_in_by=data["handed_in_by"],
        day=date.fromisoformat(data["submitted_on"]),
        accepted=data["verdict"] == "accepted",
        limited=bool(data["limited"]),
        records=tuple(data["records"]),
        outputs=dict(data["outputs"]),
    )
