"""Write the folder of a static Space."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toolkit.results.board import Board
from toolkit.results.store import ResultStore

__all__ = ["SpaceAbout", "build_space"]


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
        report: folder of a run whose ``full_text`` items may be shown beside their scores;
            None for ids and scores alone.
    """

    title: str
    description: str = ""
    dataset: str | None = None
    license: str = ""
    organization: str = ""
    citation: str = ""
    redistribution: str = "ids_only"
    access: str = "open"
    report: Path | None = None


def build_space(board: Board, store: ResultStore, about: SpaceAbout, folder: Path) -> list[str]:
    """Write the page into an empty or older folder.

    Returns:
        Names of the files, sorted: README.md (``sdk: static``), index.html, scripts and data.
    """
    raise NotImplementedError
