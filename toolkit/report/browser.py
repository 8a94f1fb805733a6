"""The page of items: search, filters, answers side by side, over parts that it loads lazily."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from toolkit.report.board import Board
from toolkit.report.html import CREDENTIALED, card_text, environment, source_hash
from toolkit.report.inputs import STATUSES
from toolkit.report.items import LIST_ROWS, TEXT_LIMIT
from toolkit.report.text import printable

__all__ = ["BrowserFacts", "Competitor", "browser_folder", "browser_html", "browser_index"]

_STYLES: Final = ("leaderboard.base.css", "browser.css")
_SCRIPTS: Final = (
    "leaderboard.page.js",
    "browser.data.js",
    "browser.search.js",
    "browser.text.js",
    "browser.filters.js",
    "browser.list.js",
    "browser.item.js",
    "browser.js",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Competitor:
    """One column of answers.

    Attributes:
        title: what the page calls it.
        kind: ``model``, ``baseline`` or ``reference``.
        model: name in the recipe.
        prompt: name of the prompt; empty for a baseline.
        split: name of the split that it was asked about.
        reference: number of the reference its answers are compared with.
        answers: how many there are.
    """

    title: str
    kind: str
    model: str
    prompt: str
    split: str
    reference: int
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserFacts:
    """What the page must know before it loads any text.

    Attributes:
        name: name of the recipe.
        title: heading of the report.
        access: of the data.
        competitors: in the order of the leaderboard.
        references: names of the reference columns.
        items: how many items the page holds.
        of: how many there are in all.
        starts: first item of each block, and the end.
        facets: what :meth:`Facets.write` returned.
        words: what :meth:`WordIndex.write` returned.
    """

    name: str
    title: str
    access: str
    competitors: Sequence[Competitor]
    references: Sequence[str]
    items: int
    of: int
    starts: Sequence[int]
    facets: Sequence[Mapping[str, Any]] = ()
    words: Mapping[str, Any] = field(default_factory=dict)


def browser_html(facts: BrowserFacts) -> str:
    """Return the page.

    Its one script is allowed by its hash, and ``strict-dynamic`` extends that to the parts that
    this script loads: hashes cannot cover files that load later, and ``'self'`` would allow any
    script element of the page on files opened from disk. Where trusted types are known, an
    address that is none of the parts is refused as well.
    """
    from markupsafe import Markup

    style = card_text(_STYLES)
    script = f'"use strict";\n(() => {{\n{card_text(_SCRIPTS)}}})();\n'
    page: str = (
        environment()
        .get_template("browser.html.j2")
        .render(
            {
                "name": facts.name,
                "title": facts.title,
                "warning": CREDENTIALED.get(facts.access, ""),
                "cut": f"{TEXT_LIMIT:,}",
                # Safe as markup: our own files.
                "style": Markup(style),  # noqa: S704
                "script": Markup(script),  # noqa: S704
                "style_hash": source_hash(style),
                "script_hash": source_hash(script),
            }
        )
    )
    return page


def browser_index(facts: BrowserFacts, board: Board) -> dict[str, Any]:
    """Return the part ``index``: what the page loads first."""
    groups = board.groups or (None,) * len(board.scores)
    return {
        "items": facts.items,
        "of": facts.of,
        "list": LIST_ROWS,
        "starts": list(facts.starts),
        "references": [printable(name) for name in facts.references],
        "statuses": list(STATUSES),
        "competitors": [
            {
                "title": printable(one.title),
                "kind": one.kind,
                "split": printable(one.split),
                "reference": one.reference,
                "answers": one.answers,
            }
            for one in facts.competitors
        ],
        "scores": [
            {
                "title": printable(score.title),
                "group": "" if group is None else printable(group.name),
                "judge": group is not None and group.kind == "judge",
                "digits": score.digits,
                "direction": score.direction,
                "target": score.target,
            }
            for score, group in zip(board.scores, groups, strict=True)
        ],
        "facets": list(facts.facets),
        "words": dict(facts.words),
    }


def browser_folder(folder: Path) -> tuple[Path, Path]:
    """Return where the page and where its parts go, below the folder of the report."""
    return folder / "report" / "index.html", folder / "report" / "data"
