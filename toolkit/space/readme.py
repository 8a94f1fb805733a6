"""The card of a static Space."""

from __future__ import annotations

from typing import Any, Final

from toolkit.release.markdown import escape
from toolkit.report.text import printable
from toolkit.results.board import Board
from toolkit.space.about import SpaceAbout

__all__ = ["readme"]

_SHORT: Final = 60
"""Characters that the Hub allows in a short description."""


def readme(board: Board, about: SpaceAbout) -> str:
    """Return ``README.md``: the front matter that makes it a static Space, and what it shows."""
    import yaml

    from toolkit.report.html import environment

    title = " ".join(printable(about.title).split())
    front: dict[str, Any] = {
        "title": f"{title[:80]} leaderboard",
        "emoji": "📊",
        "colorFrom": "blue",
        "colorTo": "gray",
        "sdk": "static",
        "app_file": "index.html",
        "pinned": False,
        "short_description": f"Leaderboard of {title}"[:_SHORT],
        "tags": ["leaderboard"],
    }
    if about.license:
        front["license"] = about.license
    if about.dataset is not None:
        front["datasets"] = [about.dataset]
    versions = [table.version for table in board.tables]
    # The recipe's check allows letters, digits, dots and dashes around one slash.
    ours = {"dataset": about.dataset or ""}
    body: str = (
        environment()
        .get_template("space_readme.md.j2")
        .render({**{name: _safe(text) for name, text in _texts(about, versions).items()}, **ours})
    )
    head = yaml.safe_dump(front, sort_keys=False, allow_unicode=True)
    return f"---\n{head}---\n{body}"


def _texts(about: SpaceAbout, versions: list[str]) -> dict[str, str]:
    return {
        "title": about.title,
        "description": about.description,
        "organization": about.organization,
        "versions": ", ".join(versions),
    }


def _safe(text: str) -> Any:
    from markupsafe import Markup

    # Safe as markup: escape() escapes HTML as well as Markdown.
    return Markup(escape(text))  # noqa: S704
