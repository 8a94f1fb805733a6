"""``toolkit run``."""

from __future__ import annotations

import html
import re
import shlex
import signal
import threading
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from toolkit.cli.console import Console, pass_console, recipe_options
from toolkit.report.text import printable

if TYPE_CHECKING:
    from toolkit.execute import RunResult
    from toolkit.recipe.recipe import Recipe

__all__ = ["STAGE_NAMES", "command", "run_and_tell"]

STAGE_NAMES = (
    "corpus",
    "splits",
    "perturb",
    "generate",
    "judge",
    "score",
    "analyse",
    "leaderboard",
    "report",
    "release",
)


@click.command("run")
@click.argument("recipe")
@click.option("--until", type=click.Choice(STAGE_NAMES), help="Stop after this stage.")
@recipe_options
@pass_console
def command(
    console: Console,
    recipe: str,
    until: Any,
    overrides: tuple[str, ...],
    limit: int | None,
    trust_local: bool,
) -> None:
    """Run a recipe, or what of it is not made yet; running again goes on from there."""
    from toolkit.recipe.load import load_recipe

    loaded = load_recipe(recipe, overrides=overrides, limit=limit, trust_local=trust_local)
    run_and_tell(console, loaded, until)


def run_and_tell(console: Console, recipe: Recipe, until: Any = None) -> RunResult:
    """Run a recipe with progress and say where its results are; with ``-q`` say nothing.

    Raises:
        Exit: the run was interrupted (130) or terminated (143).
        ToolkitError: the run could not start or did not finish.
    """
    from toolkit.errors import Stopped
    from toolkit.execute import run_recipe

    stop = threading.Event()
    caught: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        caught.append(number)
        stop.set()
        if len(caught) > 1:
            # The second one means now: what is in flight is found unknown by the next run.
            raise KeyboardInterrupt

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with console.progress() as progress:
            result = run_recipe(
                recipe, workspace=console.workspace, until=until, progress=progress, stop=stop
            )
    except (Stopped, KeyboardInterrupt) as error:
        if caught:
            console.note(f"toolkit: {error}" if str(error) else "toolkit: interrupted")
            raise click.exceptions.Exit(143 if caught[0] == signal.SIGTERM else 130) from None
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    _tell(console, result)
    return result


def _tell(console: Console, result: RunResult) -> None:
    if console.quiet:
        return
    made = len(result.made)
    reused = len(result.artifacts) - made
    console.say(f"{result.folder.name}: {made} steps made, {reused} reused")
    if result.calls:
        shown = ("made", "reused", "unknown", "failed")
        counts = ", ".join(f"{result.calls.get(name, 0):,} {name}" for name in shown)
        console.say(
            f"calls to servers: {counts}; ${result.calls.get('cost_pico_usd', 0) / 1e12:.4f}"
        )
    board = result.folder / "leaderboard.md"
    if board.is_file() and "report" in result.artifacts:
        console.say()
        console.say(_board(board.read_text(encoding="utf-8")))
        console.say()
        for model in result.plan.recipe.models.values():
            if model.note:
                console.say(f"note: {model.note}")
    for name, about in (
        ("leaderboard.html", "leaderboard"),
        ("leaderboard.csv", "as a table"),
        ("report/index.html", "every item"),
        ("numbers.tex", "for a paper"),
        ("tables", "tables"),
        ("figures", "figures"),
        ("release", "dataset"),
        ("run.json", "what happened"),
    ):
        if (result.folder / name).exists():
            console.say(f"{about:>14}: {result.folder / name}")
    if (result.folder / "release").is_dir():
        console.say(f'{"load it":>14}: datasets.load_dataset("{result.folder / "release"}")')
    item = _an_item(result)
    if item:
        console.say(f"{'look at one':>14}: toolkit show {result.folder.name} {item}")
    console.say(f"{'go further':>14}: toolkit init pubmed-query, then edit its query")


def _an_item(result: RunResult) -> str:
    for name, artifact in result.artifacts.items():
        if name.startswith("generate/"):
            for row in artifact.rows("generations", ["item_id"]):
                # To be pasted into a shell, and from somebody else's file.
                return shlex.quote(printable(str(row["item_id"])))
    return ""


def _board(markdown: str) -> str:
    """Return the first table of the Markdown report and the lines that explain it."""
    lines = markdown.splitlines()
    starts = [index for index, line in enumerate(lines) if line.startswith("|")]
    if not starts:
        return ""
    end = starts[0]
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    # Escapes are for Markdown; a terminal shows the characters themselves.
    text = re.sub(r"\\([^\w\s])", r"\1", "\n".join(lines[starts[0] : end]))
    return html.unescape(text.replace("\\_", "_"))
