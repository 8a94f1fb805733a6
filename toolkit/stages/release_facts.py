"""What a release's card says that its files do not: the recipe, the funnel, the splits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from toolkit.corpus.funnel import KEPT, Funnel
from toolkit.corpus.rules import RULES
from toolkit.gate.recipe import hidden_split
from toolkit.recipe.publish_section import Publish
from toolkit.release.columns import ReleaseColumn, Table
from toolkit.release.rebuild_rules import rules_fact, section_rules
from toolkit.stages.context import Context

__all__ = ["card_facts"]


def card_facts(
    context: Context, publish: Publish, table: Table, columns: Sequence[ReleaseColumn]
) -> dict[str, Any]:
    """Return everything a card says that the files do not, as JSON.

    Args:
        context: the step.
        publish: the recipe's section.
        table: what kind of table is released.
        columns: the released columns.
    """
    recipe = context.recipe
    released = {column.name for column in columns}
    facts = context.artifacts["corpus"].manifest.facts
    funnel = Funnel.from_dict(facts["funnel"])
    splits = context.artifacts.get("splits")
    report = splits.manifest.facts["splits"] if splits is not None else {"rejected": {}}
    leaks = report.get("leakage", {}).get("leaks", {})
    return {
        "recipe": recipe.name,
        "title": recipe.title,
        "pretty_name": publish.pretty_name or recipe.title,
        "description": recipe.description,
        "version": recipe.version,
        "dataset": publish.dataset,
        "config": publish.config,
        "languages": list(publish.languages),
        "level": publish.redistribution,
        "access": context.access,
        "source": recipe.corpus.source,
        "pubmed": table.pubmed,
        "input": recipe.corpus.input,
        "reference": recipe.reference,
        "sjr": "sjr" in released and table.journals,
        "sjr_withheld": table.journals and table.pubmed and not publish.sjr_rights,
        "sjr_rights": publish.sjr_rights,
        "hidden": hidden_split(publish) or "",
        "rights": asdict(publish.rights) if publish.rights else None,
        "rules": rules_fact(section_rules(recipe)),
        "columns": {column.name: column.about for column in columns},
        "examples": publish.examples,
        "citation": publish.citation or "",
        "funnel": [list(line) for line in _funnel(context, funnel)],
        "files": [name for name in funnel.files() if name not in funnel.skipped],
        "skipped": list(funnel.skipped),
        "pinned": list(_pinned(facts.get("pinned", {}))),
        "unsplit": dict(report["rejected"]),
        "leaks": [[kind, leaks[kind]["clusters"]] for kind in sorted(leaks)],
        "assignment": _assignment(context) if report.get("sizes") else "",
    }


def _assignment(context: Context) -> str:
    splits = context.recipe.splits
    assert splits is not None
    seed = context.recipe.seed if splits.seed is None else splits.seed
    way = {
        "hash": f"by a hash of its id and the seed {seed}",
        "date": f"by its {splits.date_column}",
        "group": f"by a hash of its {splits.group_by} and the seed {seed}",
    }[splits.by]
    parts = [f"Each item was assigned {way}"]
    parts += [f"items of equal {column} stay together" for column in splits.group_columns]
    if splits.keep_together == "near_duplicates":
        parts.append(
            "near-duplicates (word shingles of Jaccard similarity "
            f"{splits.near_duplicates.threshold:g} or more) stay together"
        )
    if splits.frozen is not None:
        parts.append("items of an earlier release keep their split")
    return "; ".join(parts) + "."


def _funnel(context: Context, funnel: Funnel) -> Iterator[tuple[str, str, int, int]]:
    remaining = funnel.read
    for step in funnel.steps(list(RULES)):
        if step.rule == KEPT:
            continue
        meaning = "rows of the source" if step.rule == "read" else RULES.get(step.rule, "")
        yield step.rule, meaning, step.removed, step.remaining
        remaining = step.remaining
    for kind in ("corpus", "splits"):
        checked = context.artifacts.get(f"validate/{kind}")
        removed = checked.manifest.facts.get("taken_out", 0) if checked is not None else 0
        if removed:
            remaining -= removed
            meaning = f"failed the expectations of the {kind}"
            yield f"quarantined ({kind})", meaning, removed, remaining


def _pinned(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a remote source was resolved to; the values come from others."""
    for name, value in sorted(facts.items()):
        if isinstance(value, str | int) and not isinstance(value, bool):
            yield f"{name.replace('_', ' ')}: {value}."
        elif value:
            yield f"{name.replace('_', ' ')}: {len(value)}."
