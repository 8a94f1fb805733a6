"""What the page says of the benchmark beside its results."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["SpaceAbout"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceAbout:
    """What the page says of the benchmark beside its results.

    Attributes:
        title: of the benchmark.
        description: a paragraph; may be empty.
        dataset: ``org/name`` of the dataset; None where it is not published.
        license: licence id of the release.
        organization: who runs the benchmark; may be empty.
        citation: how to cite it; may be empty.
        redistribution: ``ids_only``, ``metadata`` or ``full_text``.
        access: strictest access of the sources.
        run: folder of a run whose released texts may stand beside the scores; None for ids and
            scores alone. Texts are shown only of open data released in full text.
        withdrawn: ids of items that were taken down: scores stay, no text of theirs is shown.
    """

    title: str
    description: str = ""
    dataset: str | None = None
    license: str = ""
    organization: str = ""
    citation: str = ""
    redistribution: str = "ids_only"
    access: str = "open"
    run: Path | None = None
    withdrawn: frozenset[str] = frozenset()

    @property
    def shows_texts(self) -> bool:
        """Whether texts of items and answers may stand on the page."""
        return self.redistribution == "full_text" and self.access == "open" and self.run is not None
