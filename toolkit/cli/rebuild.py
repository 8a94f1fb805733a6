"""``toolkit rebuild``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.cli.console import Console, pass_console

if TYPE_CHECKING:
    from toolkit.rebuild.rebuild import Rebuilt

__all__ = ["command"]


@click.command("rebuild")
@click.argument("release", metavar="ORG/DATASET@TAG")
@click.option("--out", required=True, metavar="DIR", help="Folder to write the splits into.")
@click.option(
    "--files",
    multiple=True,
    metavar="PATTERN",
    help="PubMed files that lie here, e.g. 'baseline/*.xml.gz'; without them PubMed is asked.",
)
@click.option("--sjr", multiple=True, metavar="PATTERN", help="Your SCImago files, to join.")
@click.option(
    "--revised",
    type=click.Choice(["drop", "keep", "stop"]),
    default="drop",
    show_default=True,
    help="Records revised since: leave them out, keep them as they are now, or stop.",
)
@click.option("--api-key-env", metavar="NAME", help="Variable of an NCBI key, for speed.")
@click.option("--email-env", metavar="NAME", help="Variable of an address NCBI can write to.")
@click.option("--eutils", metavar="URL", help="Address of E-utilities; NCBI's by default.")
@pass_console
def command(
    console: Console,
    release: str,
    out: str,
    files: tuple[str, ...],
    sjr: tuple[str, ...],
    revised: str,
    api_key_env: str | None,
    email_env: str | None,
    eutils: str | None,
) -> None:
    """Bring back the texts that a release leaves out, and prove each by its sha256.

    ORG/DATASET@TAG is a dataset of the Hub at a version, e.g. org/benchmark@v1.0, or a folder.
    """
    from toolkit.rebuild.rebuild import EUTILS, Options, rebuild

    options = Options(
        files=files,
        sjr=sjr,
        revised=revised,  # type: ignore[arg-type]
        base_url=eutils or EUTILS,
        api_key_env=api_key_env,
        email_env=email_env,
    )
    for line in _lines(rebuild(release, Path(out), options, say=console.note), revised):
        console.say(line)


def _lines(made: Rebuilt, revised: str) -> list[str]:
    """Return what to say of a rebuild."""
    from toolkit.rebuild.output import POLICY, REJECTS_FILE

    version = f", version {made.version}" if made.version else ""
    found = [f"{made.name}{version}"]
    found += [f"{split:>14}: {rows:,} rows" for split, rows in made.splits.items()]
    found += [f"{kind:>14}: {rows:,} texts" for kind, rows in made.texts.items()]
    counts = Counter((reject.reason, reject.kept) for reject in made.rejects)
    found += [
        f"{reason:>14}: {count:,} {'kept' if kept else 'left out'}"
        for (reason, kept), count in sorted(counts.items())
    ]
    found.append(POLICY[revised].replace("`", ""))
    if made.rejects:
        found.append(f"{made.folder / REJECTS_FILE} says which and why")
    found += made.notes
    found.append(f'datasets.load_dataset("{made.folder}")')
    return found
