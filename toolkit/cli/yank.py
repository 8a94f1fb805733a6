"""``toolkit yank``."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from toolkit.cli.console import Console, pass_console
from toolkit.errors import UserError

if TYPE_CHECKING:
    from toolkit.publish.take_down import TakeDown

__all__ = ["command"]

_STAYS: Final = (
    "What cannot be taken back:",
    "  copies that others have downloaded, caches and mirrors;",
    "  duplicates of the dataset under other names, and the viewer's own copy until the Hub has",
    "  made it anew;",
    "  small files of old commits, the card and the page of a Space among them: whoever knows the",
    "  full id of such a commit may read them until the Hub clears it away (ask support for that);",
    "  artifacts, reports and the ledger of workspaces in which the benchmark was run.",
)


@click.command("yank")
@click.argument("dataset", metavar="ORG/DATASET")
@click.argument("items", metavar="ITEM_ID...", nargs=-1, required=True)
@click.option("--reason", required=True, metavar="TEXT", help="Why; it is published.")
@click.option(
    "--date", metavar="YYYY-MM-DD", help="Day that is published with it; today by default."
)
@click.option("--token-env", default="HF_TOKEN", show_default=True, metavar="NAME")
@click.option("--dry-run", is_flag=True, help="Show what would happen; change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_console
def command(
    console: Console,
    dataset: str,
    items: tuple[str, ...],
    reason: str,
    date: str | None,
    token_env: str,
    dry_run: bool,
    yes: bool,
) -> None:
    """Take items down from every version of a dataset on the Hub.

    Their rows leave every version; ids and the reason stay in withdrawn.json, and the scores of
    results in results/. Tags are made again on new commits, old history and the files that
    held the rows are deleted for good.
    """
    from toolkit.hub.client import connect
    from toolkit.hub.repository import Repository
    from toolkit.publish.take_down import plan_take_down, take_down
    from toolkit.release.withdrawn import Withdrawn

    if dataset.count("/") != 1:
        raise UserError(f"'{dataset}' is no dataset", hint="write org/name")
    if not reason.strip():
        raise UserError("--reason is empty", hint="say why, in words that may be published")
    day = _day(date)
    wanted = [
        Withdrawn(item_id=item, reason=reason.strip(), date=day, version="")
        for item in sorted(set(items))
    ]
    client = connect(token_env)
    with tempfile.TemporaryDirectory(prefix="toolkit-yank-") as scratch:
        plan = plan_take_down(client, Repository("dataset", dataset), wanted, Path(scratch))
        for line in _lines(plan, reason):
            console.say(line)
        if dry_run:
            console.say("nothing was changed")
            return
        if not yes:
            click.confirm("Take them down? It cannot be undone.", abort=True)
        gone = take_down(client, plan, Path(scratch), console.note)
    console.say(f"taken down; {gone} files deleted for good")


def _day(given: str | None) -> str:
    from datetime import UTC, datetime

    if given is None:
        return datetime.now(UTC).date().isoformat()
    try:
        return datetime.strptime(given, "%Y-%m-%d").replace(tzinfo=UTC).date().isoformat()
    except ValueError:
        raise UserError(f"--date '{given}' is no day", hint="write YYYY-MM-DD") from None


def _lines(plan: TakeDown, reason: str) -> Iterator[str]:
    from toolkit.publish.effects import effect_lines
    from toolkit.publish.lines import change_lines
    from toolkit.report.text import printable

    yield f"{plan.dataset}: {len(plan.items)} item(s) to take down: {printable(reason)}"
    for one in plan.revisions:
        rows = f"{len(one.items)} rows go: {', '.join(map(printable, sorted(one.items)))}"
        yield f"{one.name}: {rows if one.items else 'holds none of them'}"
        yield from list(change_lines(plan.dataset, plan.changes[one.name]))[1:]
    yield "Every history becomes one commit; the tags are made again on the new commits."
    if plan.objects:
        yield f"{len(plan.objects)} large files are deleted for good, from old commits too."
    yield from _space_lines(plan)
    if plan.foreign:
        yield f"Tags not made here, left alone: {', '.join(map(printable, plan.foreign))}"
    if plan.copies:
        names = ", ".join(map(printable, plan.copies))
        yield f"They lose the files with the items, and cannot be loaded after: {names}"
    yield "Scores with and without (means over items):" if plan.effects else "No score changes."
    yield from effect_lines(plan.effects)
    yield from _STAYS


def _space_lines(plan: TakeDown) -> Iterator[str]:
    from toolkit.publish.lines import change_lines
    from toolkit.report.text import printable, shorten

    for one in plan.spaces:
        if one.fault:
            fault = shorten(printable(one.fault), 500)
            yield f"{one.space} cannot be changed, and may go on showing their texts: {fault}"
            continue
        if one.changes is None:
            yield f"{one.space} does not exist."
            continue
        yield f"{one.space}: texts beside {one.rows} scores go; ids and scores stay"
        yield from list(change_lines(one.space, one.changes))[1:]
        if one.commits > 1:
            yield f"  its {one.commits} commits become one"
        if one.copies:
            yield f"  left alone, and may hold their texts: {', '.join(map(printable, one.copies))}"
