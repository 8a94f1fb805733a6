"""``toolkit submit``."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolkit.cli.console import Console, pass_console

if TYPE_CHECKING:
    from toolkit.submissions.submit import Declared

__all__ = ["command"]


@click.command("submit")
@click.argument("predictions", metavar="PREDICTIONS.jsonl")
@click.option(
    "--benchmark",
    required=True,
    metavar="RECIPE|org/dataset@v1.0|FOLDER",
    help="What was answered: a recipe that was run, a release on the Hub, or its folder.",
)
@click.option("--split", default="test", show_default=True, help="Split that was answered.")
@click.option("--model", "model_name", required=True, metavar="NAME", help="What tables call it.")
@click.option("--hub-id", metavar="org/name", help="The model's repository on the Hub.")
@click.option("--revision", metavar="SHA", help="Commit of its weights, or its exact version.")
@click.option(
    "--prompt",
    "prompts",
    multiple=True,
    required=True,
    metavar="MODE",
    help="Prompt mode; repeat it where the column `prompt` holds several.",
)
@click.option(
    "--prompt-file",
    "prompt_files",
    multiple=True,
    metavar="MODE=FILE",
    help="Template that was used, to be compared by its sha256; system before user.",
)
@click.option("--submitter", required=True, metavar="NAME", help="You, or your name on the Hub.")
@click.option("--contact", default="", metavar="TEXT", help="How to reach you; stays in the file.")
@click.option(
    "--generation",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting of the answers, e.g. temperature=0.",
)
@click.option("--cutoff", metavar="YYYY-MM", help="Where the model's training data end.")
@click.option(
    "--overlap",
    default="",
    metavar="TEXT",
    help="What of the benchmark the model was trained on, as far as you know.",
)
@click.option("--notes", default="", metavar="TEXT", help="A remark.")
@click.option("--out", metavar="DIR_OR_ZIP", help="Where the bundle goes; a zip file by default.")
@pass_console
def command(
    console: Console,
    /,
    predictions: str,
    benchmark: str,
    split: str,
    out: str | None,
    **declared: Any,
) -> None:
    """Make a checked bundle of predictions for a leaderboard; it holds no scores."""
    from toolkit.store.workspace import find_workspace
    from toolkit.submissions.benchmark import find_benchmark
    from toolkit.submissions.submit import submit

    what = _declared(declared)
    items = find_benchmark(benchmark, split, find_workspace(console.workspace))
    target = Path(out or _default_name(items.name, items.version, what.model.name))
    bundle = submit(Path(predictions), items, what, target)
    manifest = bundle.manifest
    failed = sum(prompt.failed for prompt in manifest.prompts.values())
    console.say(
        f"{target}: {len(bundle.predictions):,} answers of {manifest.model.name} to "
        f"{len(items.item_ids):,} items of {items.name} {items.version} ({split}), "
        f"prompt {', '.join(manifest.prompts)}; {failed:,} failed"
    )
    console.say(f"bundle {bundle.bundle_id[:16]}; hand in the file as it is")


def _declared(given: dict[str, Any]) -> Declared:
    from toolkit.submissions.manifest import ModelRef, Submitter
    from toolkit.submissions.submit import Declared, prompt_digest

    files: dict[str, list[Path]] = {}
    for name, file in (_pair(text, "--prompt-file") for text in given["prompt_files"]):
        files.setdefault(name, []).append(Path(file))
    return Declared(
        model=ModelRef(
            name=given["model_name"],
            hub_id=given["hub_id"],
            revision=given["revision"],
            cutoff=given["cutoff"],
            overlap=given["overlap"],
        ),
        submitter=Submitter(name=given["submitter"], contact=given["contact"]),
        prompts=tuple(dict.fromkeys(given["prompts"])),
        prompt_texts={name: prompt_digest(paths) for name, paths in files.items()},
        generation={
            key: _value(text)
            for key, text in (_pair(entry, "--generation") for entry in given["settings"])
        },
        notes=given["notes"],
    )


def _pair(text: str, option: str) -> tuple[str, str]:
    from toolkit.errors import UserError

    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise UserError(f"{option} {text}: no NAME=VALUE", hint=f"write {option} NAME=VALUE")
    return name, value


def _value(text: str) -> str | int | float | bool:
    """Return a number or a truth value where the text is one in JSON, else the text."""
    try:
        value = json.loads(text, parse_constant=str)
    except ValueError:
        return text
    finite = isinstance(value, int | float) and math.isfinite(value)
    return value if finite else text


def _default_name(*parts: str) -> str:
    plain = [re.sub(r"[^\w.]+", "-", part).strip("-._") for part in parts]
    return "-".join(part for part in plain if part)[:150] + ".zip"
