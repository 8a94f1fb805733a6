"""Write the folder of a static Space."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from toolkit.report.chunks import ChunkFolder
from toolkit.report.html import card_text, environment, source_hash
from toolkit.report.text import printable
from toolkit.results.board import Board
from toolkit.results.board_parquet import split_name
from toolkit.results.record import Result
from toolkit.results.store import ResultStore
from toolkit.space.about import SpaceAbout
from toolkit.space.board_data import version_data
from toolkit.space.leave_out import leave_out
from toolkit.space.readme import readme
from toolkit.space.record_data import record_data
from toolkit.space.texts import ItemTexts
from toolkit.store.atomic import write_text

__all__ = ["SpaceAbout", "build_space"]

_STYLES: Final = ("leaderboard.base.css", "space.css")
_SCRIPTS: Final = (
    "leaderboard.page.js",
    "space.data.js",
    "space.table.js",
    "space.record.js",
    "space.history.js",
    "space.js",
)

_TERMS: Final = {
    "credentialed": "The data are credentialed: means over ten answers or more are shown, no "
    "single item.",
    "restricted": "The texts are restricted: ids and scores are shown, no texts.",
}
"""What is said where texts may not go everywhere, by access."""


def build_space(board: Board, store: ResultStore, about: SpaceAbout, folder: Path) -> list[str]:
    """Write the page into an empty or older folder.

    The page is one HTML file and scripts that each hand it one JSON value: the board of a
    version, or a record with the scores of its items, loaded when somebody asks for them. No
    server, no address elsewhere, no text that is not shown as text.

    Args:
        board: the boards.
        store: the records behind them.
        about: what the page says of the benchmark.
        folder: where it goes; parts of a former page are removed.

    Returns:
        Names of the files, sorted: README.md (``sdk: static``), index.html, data/.

    Raises:
        UserError: the scores of a record's items are damaged, or a note of a record holds a
            text that the release leaves out.
        StoreError: the run of ``about`` is gone or damaged.
    """
    data = folder / "data"
    shutil.rmtree(data, ignore_errors=True)
    chunks = ChunkFolder(data)
    chunks.write("index", _index(board, about))
    for table in board.tables:
        chunks.write(f"board-{split_name(table.version)}", version_data(board, table))
    texts = _Texts(board, about)
    records = {
        f"record-{result.record_id}": record_data(
            result, store.items(result.record_id), texts.of(result), about.dataset
        )
        for result in _counted(board)
    }
    leave_out(records, texts.kept_back())
    for name, content in records.items():
        chunks.write(name, content)
    write_text(folder / "index.html", _page(about))
    write_text(folder / "README.md", readme(board, about))
    names = [f"data/{path.name}" for path in chunks.paths]
    return sorted(["README.md", "index.html", *names])


class _Texts:
    """Texts of the newest version's splits, each read once; none where none may be shown."""

    def __init__(self, board: Board, about: SpaceAbout) -> None:
        self._version = board.tables[0].version
        self._folder = about.run if about.shows_texts else None
        self._withdrawn = about.withdrawn
        self._splits: dict[str, ItemTexts] = {}

    def of(self, result: Result) -> ItemTexts | None:
        if self._folder is None or result.version != self._version:
            return None
        if result.split not in self._splits:
            self._splits[result.split] = ItemTexts(self._folder, result.split, self._withdrawn)
        return self._splits[result.split]

    def kept_back(self) -> Iterator[str]:
        """Yield the texts that the release leaves out: the same whatever the split."""
        for texts in self._splits.values():
            yield from texts.kept_back()
            return


def _counted(board: Board) -> Iterator[Result]:
    for table in board.tables:
        yield from (past.result for past in table.history if past.state == "counts")


def _index(board: Board, about: SpaceAbout) -> dict[str, Any]:
    return {
        "versions": [
            {"version": printable(table.version), "part": f"board-{split_name(table.version)}"}
            for table in board.tables
        ],
        "records": [result.record_id for result in _counted(board)],
        "dataset": about.dataset,
    }


def _page(about: SpaceAbout) -> str:
    """Return the page; its one script is allowed by its hash, and what that script loads."""
    from markupsafe import Markup

    style = card_text(_STYLES)
    script = f'"use strict";\n(() => {{\n{card_text(_SCRIPTS)}}})();\n'
    page: str = (
        environment()
        .get_template("space.html.j2")
        .render(
            {
                "title": about.title,
                "description": about.description,
                "dataset": about.dataset or "",
                "organization": about.organization,
                "citation": about.citation,
                "license": about.license,
                "terms": _TERMS.get(about.access, ""),
                # Safe as markup: our own files.
                "style": Markup(style),  # noqa: S704
                "script": Markup(script),  # noqa: S704
                "style_hash": source_hash(style),
                "script_hash": source_hash(script),
            }
        )
    )
    return page
