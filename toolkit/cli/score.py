"""``toolkit score``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from toolkit.cli.console import Console, pass_console, recipe_options

__all__ = ["TextKeys", "command", "read_rows", "score_file"]


@click.command("score")
@click.argument("what", metavar="RECIPE|FILE.jsonl")
@click.option("--metrics", metavar="A,B", help="Metrics for a JSONL file.")
@click.option("--profile", type=click.Choice(["default", "paper"]), help="Profile of the metrics.")
@click.option("--output", metavar="FILE", help="Write the scores, one line for each line.")
@click.option("--prediction", metavar="KEY", help="Key of the predictions.")
@click.option("--reference", default="reference", metavar="KEY", help="Key of the references.")
@click.option("--input", "input_key", metavar="KEY", help="Key of what the models were shown.")
@recipe_options
@pass_console
def command(
    console: Console,
    what: str,
    metrics: str | None,
    profile: str | None,
    output: str | None,
    prediction: str | None,
    reference: str,
    input_key: str | None,
    overrides: tuple[str, ...],
    limit: int | None,
    trust_local: bool,
) -> None:
    """Score a recipe's answers again, or the texts of a JSONL file."""
    from toolkit.errors import UserError

    if not what.endswith(".jsonl"):
        from toolkit.cli.run import run_and_tell
        from toolkit.recipe.load import load_recipe

        recipe = load_recipe(what, overrides=overrides, limit=limit, trust_local=trust_local)
        run_and_tell(console, recipe, "score")
        return
    if not metrics:
        raise UserError("no metric is named", hint="write --metrics rouge,bleu")
    names = [name.strip() for name in metrics.split(",") if name.strip()]
    rows = read_rows(Path(what))
    keys = TextKeys(prediction, reference, input_key)
    for line in score_file(rows, names, keys, profile=profile, output=output):
        console.say(line)


def read_rows(file: Path) -> list[dict[str, Any]]:
    """Read a JSONL file of objects.

    Raises:
        UserError: the file cannot be read, or lines are no JSON objects; all are named.
    """
    from toolkit.errors import UserError

    try:
        # Not splitlines: U+2028 and its like may stand inside a JSON string.
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file}: {error}", hint="a JSONL file in UTF-8") from None
    rows: list[dict[str, Any]] = []
    faults: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            faults.append(f"{file}:{number}: not JSON: {error}")
            continue
        if isinstance(row, dict):
            rows.append(row)
        else:
            faults.append(f"{file}:{number}: not a JSON object")
    if faults:
        raise UserError("\n".join(faults), hint="mend these lines; nothing was scored")
    if not rows:
        raise UserError(f"{file}: no rows", hint="one JSON object a line")
    return rows


@dataclass(frozen=True, slots=True)
class TextKeys:
    """Which keys of a row hold its texts.

    Attributes:
        prediction: key of the predictions; found by name when None.
        reference: key of the references.
        input: key of what the models were shown; ``input`` where it is there, when None.
    """

    prediction: str | None = None
    reference: str = "reference"
    input: str | None = None


def score_file(
    rows: Sequence[dict[str, Any]],
    metrics: Sequence[str],
    keys: TextKeys,
    *,
    profile: str | None,
    output: str | None,
) -> list[str]:
    """Score rows and write one line for each of them.

    Args:
        rows: objects with the texts.
        metrics: names of metrics.
        keys: where the texts are.
        profile: profile of the metrics.
        output: file to write; None for none.

    Returns:
        The summary: a line for each score with its mean, n and signature.
    """
    from toolkit.stages.score_frame import pick_column, pick_input, pick_reference
    from toolkit.stages.score_texts import resolve_metrics, score_texts
    from toolkit.store.atomic import write_text

    known = list(dict.fromkeys(key for row in rows for key in row))
    texts = _column(rows, pick_column(known, keys.prediction))
    resolved = resolve_metrics(metrics, profile)
    reference = pick_reference(known, keys.reference, resolved)
    shown = pick_input(known, keys.input)
    scores = score_texts(
        texts,
        [None] * len(rows) if reference is None else _column(rows, reference),
        resolved,
        inputs=None if shown is None else _column(rows, shown),
    )
    if output is not None:
        lines = [
            json.dumps(
                {name: column[index].value for name, column in scores.values.items()}
                | _reasons(scores.values, index),
                allow_nan=False,
            )
            for index in range(len(rows))
        ]
        write_text(Path(output), "\n".join(lines) + "\n")
    summary = []
    for definition in scores.definitions:
        mean, n = scores.mean(definition.name)
        shown = "-" if mean is None else f"{mean:.{definition.digits}f}"
        missing = len(rows) - n
        tail = f", {missing} without" if missing else ""
        signature = scores.signatures[definition.name]
        summary.append(f"{definition.name:22} {shown:>9}  n {n}{tail}  {signature}")
    return summary


def _column(rows: Sequence[dict[str, Any]], key: str) -> list[str | None]:
    return [value if isinstance(value := row.get(key), str) else None for row in rows]


def _reasons(values: dict[str, Any], index: int) -> dict[str, dict[str, str]]:
    reasons = {
        name: column[index].reason for name, column in values.items() if column[index].reason
    }
    return {"reasons": reasons} if reasons else {}
