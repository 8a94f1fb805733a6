"""The results that go out with the data: those on the Hub, those handed in, those of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolkit.errors import UserError
from toolkit.results.from_run import results_of_run
from toolkit.results.owners import owner_fault
from toolkit.results.store import ResultStore

if TYPE_CHECKING:
    from toolkit.publish.source import Source
    from toolkit.recipe.publish_section import Task
    from toolkit.results.board import Board

__all__ = ["FOLDER", "LEADERBOARD", "Rendered", "collect", "render", "render_board"]

FOLDER: Final = "results"
LEADERBOARD: Final = "leaderboard"
_OWN_TIER: Final = "re-generated"
"""The maintainer's own run: nobody else's numbers or answers are in it."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A board as files beside the data.

    Attributes:
        board: the board.
        names: its Parquet files and ``eval.yaml``.
        splits: splits of the configuration ``leaderboard``.
        markdown: the table for the card.
    """

    board: Board
    names: tuple[str, ...]
    splits: tuple[str, ...]
    markdown: str


def collect(source: Source, folder: Path, given: Path | None, *, own: bool) -> ResultStore:
    """Add results to those of the head, which lie in the folder already.

    Args:
        source: the run.
        folder: the staged folder.
        given: a folder of reviewed results; None for none.
        own: add the results of the run itself.

    Raises:
        UserError: a record differs from the one that was published, is damaged, or stands
            under a name that is somebody else's.
    """
    if given is not None:
        _copy(ResultStore(given), given, folder)
    store = ResultStore(folder)
    if own and "leaderboard" in source.run.steps:
        submitter = source.publish.organization or source.dataset.split("/")[0]
        for result, items in results_of_run(
            source.folder, date=source.day, tier=_OWN_TIER, submitter=submitter
        ):
            store.add(result, items)
    return store


def _copy(reviewed: ResultStore, given: Path, folder: Path) -> None:
    names = reviewed.paths()
    if not names:
        raise UserError(f"{given} holds no results", hint=f"name the folder that holds {FOLDER}/")
    changed = [
        name
        for name in names
        if (folder / name).exists() and (folder / name).read_bytes() != (given / name).read_bytes()
    ]
    if changed:
        raise UserError(
            f"{given} holds other results than were published under the same names: "
            + ", ".join(changed[:5]),
            hint="results are never edited: withdraw one and add another",
        )
    _check_owners(reviewed, ResultStore(folder), given)
    for name in names:
        target = folder / name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((given / name).read_bytes())


def _check_owners(reviewed: ResultStore, published: ResultStore, given: Path) -> None:
    """Refuse new records under names that are somebody else's among the published ones."""
    there = [one for one in published.standing() if one.record_id not in reviewed.withdrawals]
    new = [one for one in reviewed.standing() if one.record_id not in published.results]
    faults = [
        f"  record {one.record_id}: {fault}" for one in new if (fault := owner_fault(one, there))
    ]
    if faults:
        raise UserError(
            "\n".join([f"{given} holds results under names that are taken:", *faults]),
            hint="toolkit leaderboard withdraw takes a record back; another name needs a review",
        )


def render_board(store: ResultStore, tasks: Sequence[Task], max_failed: float) -> str:
    """Return the leaderboard for a card; empty without results."""
    from toolkit.results.board import build_board
    from toolkit.results.render import board_markdown

    if not store.results:
        return ""
    return board_markdown(build_board(store, tasks=tasks, max_failed=max_failed))


def render(source: Source, store: ResultStore, folder: Path) -> Rendered | None:
    """Write the leaderboard into the staged folder; None where there is no result.

    Raises:
        UserError: results belong to another benchmark, or a task names no score.
    """
    from toolkit.results.board import build_board
    from toolkit.results.render import board_markdown, eval_yaml, write_parquet

    if not store.results:
        return None
    publish = source.publish
    board = build_board(store, tasks=publish.tasks, max_failed=publish.max_failed)
    names = write_parquet(board, folder)
    splits = tuple(dict.fromkeys(Path(name).name.split("-")[0] for name in names))
    evaluation = eval_yaml(board, source.publish, run=source.folder)
    if evaluation is not None:
        (folder / "eval.yaml").write_text(evaluation, encoding="utf-8")
        names = [*names, "eval.yaml"]
    return Rendered(board, tuple(names), splits, board_markdown(board))
