"""``toolkit show``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click

from toolkit.cli.console import Console, pass_console
from toolkit.report.text import printable

__all__ = ["command", "find_item"]

_SHOWN: Final = ("corpus", "splits", "perturb", "generate", "judge", "canary", "audit", "score")

_ORDER: Final = {stage: place for place, stage in enumerate(_SHOWN)}


@click.command("show")
@click.argument("run")
@click.argument("item_id")
@click.option("--model", metavar="NAME", help="Only answers of this model.")
@click.option("--prompt", metavar="NAME", help="Only answers to this prompt.")
@click.option("--json", "as_json", is_flag=True, help="Print every row as a line of JSON.")
@pass_console
def command(
    console: Console,
    run: str,
    item_id: str,
    model: str | None,
    prompt: str | None,
    as_json: bool,
) -> None:
    """Show an item of a run from source to score; RUN may be latest.

    Its columns, the variants that were made of it (or, of ID:LEVEL, every edit), every prompt as
    it was sent, every answer with reasoning and parse, every judgement, every score.
    """
    from toolkit.errors import UserError
    from toolkit.store.workspace import find_workspace

    workspace = find_workspace(console.workspace)
    folder = workspace.run(run)
    found = [
        (step, table, row)
        for step, table, row in find_item(workspace.artifacts, folder, item_id)
        if _wanted(row, model, prompt)
    ]
    if not any(table != "prompt" for _, table, _ in found):
        raise UserError(
            f"run {folder.name} has no item '{item_id}'"
            + (" with such an answer" if model or prompt else ""),
            hint="ids stand in leaderboard.html and in the splits of the release",
        )
    for step, table, row in found:
        if as_json:
            line = {"step": step, "table": table, **row}
            console.say(json.dumps(line, ensure_ascii=False, default=str))
            continue
        console.say(f"--- {step} ({table})")
        for name, value in row.items():
            if value not in (None, "", []):
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                # Texts of papers and models: no escape sequence of theirs reaches the terminal.
                console.say(f"{name}: {printable(text)}")


def _wanted(row: Mapping[str, Any], model: str | None, prompt: str | None) -> bool:
    if model is not None and row.get("model", model) != model:
        return False
    return prompt is None or row.get("prompt", prompt) == prompt


def find_item(
    artifacts: Path, folder: Path, item_id: str
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (step, table, row) of every row of a run that is about an item, from source to score.

    Where the recipe's prompts are still what they were, each answer and each judgement comes
    after a row ``prompt`` with the messages that were sent.
    """
    from toolkit.cli.status import read_run

    steps = read_run(folder)["steps"]
    ordered = sorted(
        (item for item in steps.items() if item[1]["stage"] in _SHOWN and item[1]["fingerprint"]),
        key=lambda item: _ORDER[item[1]["stage"]],
    )
    prompts = _Prompts(folder)
    for name, step in ordered:
        for table, row in _rows(artifacts, step, item_id):
            if table == "items" or (table == "variants" and row["item_id"] == item_id):
                prompts.item = row
            yield from ((name, "prompt", sent) for sent in prompts.before(name, step, table, row))
            yield name, table, row


def _rows(artifacts: Path, step: Mapping[str, Any], item_id: str) -> Iterator[tuple[str, Any]]:
    import pyarrow.compute as pc

    from toolkit.store.artifact import open_artifact

    artifact = open_artifact(artifacts / step["stage"] / step["fingerprint"][:32])
    if artifact is None:
        return
    for table in dict.fromkeys(shard.table for shard in artifact.manifest.shards):
        # An item stands in the corpus already; its copy in a split says nothing new.
        if table.startswith("items_"):
            continue
        for batch in artifact.batches(table):
            if "item_id" not in batch.schema.names:
                break
            wanted = pc.equal(batch["item_id"], item_id)
            if table == "variants":
                wanted = pc.or_(wanted, pc.equal(batch["original_id"], item_id))
            rows = batch.filter(wanted)
            for row in rows.to_pylist():
                yield table, row


class _Prompts:
    """Renders what was sent, from the recipe that stands beside the run."""

    def __init__(self, folder: Path) -> None:
        from toolkit.cli.show_prompts import load_run_recipe

        self.item: Mapping[str, Any] = {}
        self._recipe = load_run_recipe(folder)
        self._answers: dict[tuple[Any, ...], Mapping[str, Any]] = {}

    def before(
        self, name: str, step: Mapping[str, Any], table: str, row: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """Yield the prompt behind an answer or a judgement, if it can still be rendered."""
        from toolkit.cli.show_prompts import answer_prompt, judge_prompt

        key = (row.get("model"), row.get("prompt"), row.get("repeat"))
        about = {k: row[k] for k in ("model", "prompt", "repeat", "judge") if k in row}
        turns = None
        if table == "generations":
            self._answers[key] = row
            turns = answer_prompt(self._recipe, row, self.item)
        elif table == "judgements" and key in self._answers:
            turns = judge_prompt(self._recipe, row, self.item, self._answers[key])
        for role, text in turns or ():
            yield {**about, role: text}
