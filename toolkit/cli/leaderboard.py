"""``toolkit leaderboard``."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.cli.console import Console, pass_console

if TYPE_CHECKING:
    from toolkit.submissions.verdict import Verdict

__all__ = ["command"]

_BOARD = click.option(
    "--board",
    required=True,
    metavar="DIR",
    help="Folder of the dataset repository; results/ lies in it, or will.",
)


@click.group("leaderboard")
def command() -> None:
    """Review submissions, take back records, print ranks."""


@command.command("review")
@click.argument("bundle")
@click.option("--recipe", required=True, metavar="RECIPE", help="The benchmark's own recipe.")
@_BOARD
@click.option("--submitted-on", metavar="DATE", help="Day it was handed in; today by default.")
@click.option("--handed-in-by", metavar="NAME", help="Who the platform says it came from.")
@click.option("--claims", metavar="FILE.json", help="Scores that the submitter states.")
@click.option("--version", metavar="V", help="Open the table of an older version for it.")
@click.option("--regenerate", metavar="MODEL", help="Score this model of the recipe instead.")
@click.option(
    "--seed",
    default="",
    envvar="TOOLKIT_REVIEW_SEED",
    metavar="TEXT",
    help="Decides, with the answers, which of them are judged.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing to the board.")
@click.option("--without-judges", is_flag=True, help="Ask no judge; only with --dry-run.")
@click.option("--report", metavar="FILE.md", help="Write the report here, too.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change the recipe.")
@click.option("--trust-local", is_flag=True, help="Run functions in files beside the recipe.")
@pass_console
def _review(
    console: Console,
    bundle: str,
    recipe: str,
    board: str,
    submitted_on: str | None,
    handed_in_by: str | None,
    claims: str | None,
    version: str | None,
    regenerate: str | None,
    seed: str,
    dry_run: bool,
    without_judges: bool,
    report: str | None,
    overrides: tuple[str, ...],
    trust_local: bool,
) -> None:
    """Score a bundle with the benchmark's recipe; add it to the board, or say every reason.

    Exit codes: 0 accepted, 2 refused, 3 the review did not finish and can be repeated.
    """
    from toolkit.recipe.load import load_recipe
    from toolkit.results.store import ResultStore
    from toolkit.store.atomic import write_text
    from toolkit.store.workspace import find_workspace
    from toolkit.submissions.review import ReviewOptions, review
    from toolkit.submissions.rules import seed_warnings
    from toolkit.submissions.verdict import verdict_markdown

    options = ReviewOptions(
        day=_day(submitted_on),
        version=version,
        claims=None if claims is None else Path(claims),
        model=regenerate,
        sender=handed_in_by,
        seed=seed,
        judges=not without_judges,
        dry_run=dry_run,
    )
    loaded = load_recipe(recipe, overrides=overrides, trust_local=trust_local)
    with console.progress() as progress:
        verdict = review(
            Path(bundle),
            loaded,
            ResultStore(Path(board)),
            options,
            workspace=find_workspace(console.workspace),
            progress=progress,
        )
    if report is not None:
        write_text(Path(report), verdict_markdown(verdict))
    _tell(console, verdict)
    # Not in the report, which is posted where submitters read it.
    for warning in seed_warnings(loaded, seed) if options.judges else ():
        click.echo(f"warning: {warning}", err=True)
    if not verdict.accepted:
        raise click.exceptions.Exit(2)


def _tell(console: Console, verdict: Verdict) -> None:
    from toolkit.report.text import number, printable

    who = printable(verdict.manifest.model.name) if verdict.manifest is not None else "the bundle"
    dry = " (dry run: nothing was written)" if verdict.dry else ""
    if verdict.accepted:
        console.say(f"accepted: {who}{dry}")
    else:
        count = len(verdict.reasons)
        console.say(f"refused: {who}, {count} reason{'s' if count != 1 else ''}{dry}")
        for reason in verdict.reasons:
            console.say(f"  - {printable(reason)}")
    for flag in verdict.flags:
        console.say(f"  look at: {printable(flag)}")
    for result in verdict.results:
        record = f"record {result.record_id}" if verdict.accepted else "would have been"
        console.say(f"prompt {result.prompt}: {record}, {result.tier}")
        for score in result.scores:
            low, high = number(score.low, score.digits), number(score.high, score.digits)
            interval = f" [{low}, {high}]" if score.low is not None else ""
            why = f"; {printable(score.reason)}" if score.reason else ""
            console.say(
                f"  {score.score:28} {number(score.value, score.digits):>9}{interval}  "
                f"n {score.n:,}{f', {score.missing:,} without' if score.missing else ''}{why}"
            )


@command.command("withdraw")
@click.argument("record")
@_BOARD
@click.option("--reason", required=True, metavar="TEXT", help="Why; it is published.")
@click.option("--by", required=True, metavar="NAME", help="Who takes it back; it is published.")
@click.option("--on", "day", metavar="DATE", help="The day; today by default.")
@pass_console
def _withdraw(
    console: Console, record: str, board: str, reason: str, by: str, day: str | None
) -> None:
    """Take a record back: it stays, with the reason, and has no rank; nothing is deleted."""
    from toolkit.report.text import printable
    from toolkit.results.store import ResultStore

    store = ResultStore(Path(board))
    made = store.withdraw(record, reason=reason, by=by, date=_day(day).isoformat())
    console.say(
        f"record {made.record} is taken back ({made.date}, {printable(made.by)}): "
        f"{printable(made.reason)}"
    )


@command.command("show")
@_BOARD
@click.option("--version", metavar="V", help="Table of this version, or `all`; the newest.")
@click.option(
    "--max-failed",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Of answers without a value, up to which ranks are given; 0.05.",
)
@pass_console
def _show(console: Console, board: str, version: str | None, max_failed: float | None) -> None:
    """Print the board: competitors whose difference is not sure share a rank."""
    from toolkit.errors import UserError, suggest
    from toolkit.recipe.publish_section import MOST_FAILED
    from toolkit.results.board import build_board
    from toolkit.results.store import ResultStore
    from toolkit.submissions.board_text import board_lines

    limit = MOST_FAILED if max_failed is None else max_failed
    built = build_board(ResultStore(Path(board)), max_failed=limit)
    wanted = version if version is None else version.removeprefix("v")
    known = [table.version for table in built.tables]
    if wanted not in (None, "all", *known):
        raise UserError(f"no table of version {wanted}", hint=suggest(str(wanted), known))
    for line in board_lines(built, version=wanted):
        console.say(line)


def _day(text: str | None) -> date:
    from toolkit.errors import UserError

    if text is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UserError(f"'{text}' is no day", hint="write YYYY-MM-DD") from None
