"""What the report says of edited items: how they were made, and what could not be edited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from toolkit.perturb.measurements import CATEGORY
from toolkit.plan.variants import PERTURB, VARIANTS
from toolkit.report.text import count, plural
from toolkit.stages.context import Context

__all__ = ["edit_notes", "edit_sentences"]

_REASONS: Final = {
    "no_text": "they have no text to edit",
    "nothing_to_edit": "the text offers nothing that the level edits",
}


def edit_sentences(context: Context) -> Iterator[str]:
    """Yield how the items were edited; nothing where none were."""
    perturb, artifact = context.recipe.perturb, context.artifacts.get(PERTURB)
    if perturb is None or artifact is None:
        return
    made = ", ".join(f"{name} {count(held['variants'])}" for name, held in _left(context).items())
    yield f"The column {perturb.column} was edited, one variant an item and level: {made}."
    substitution, removal = perturb.substitution, perturb.removal
    if substitution is not None:
        usable = artifact.manifest.rows("usage")
        order = {"least_used": "those used least so far first", "random": "drawn by chance"}
        yield (
            f"Terms of a dictionary of {count(usable)} (sha256 "
            f"{context.plan.step(PERTURB).params['dictionary'][:16]}) were replaced, "
            f"{order[substitution.balance]}, in {substitution.occurrences} of their occurrences "
            f"(seed {context.recipe.seed}): {_targets(substitution.levels)}."
        )
    if perturb.measurements is not None:
        m = perturb.measurements
        yield (
            f"Sizes in mm and cm were the category {CATEGORY}: each was on offer with probability "
            f"{m.probability:g}, multiplied by a factor from {m.factor[0]:g} to {m.factor[1]:g} "
            f"that changes it by at least {100 * m.minimum_change:g} %, its unit changed in "
            f"{100 * m.unit_change:g} %."
        )
    if removal is not None:
        most = ", ".join(f"{name} up to {points}" for name, points in removal.levels.items())
        yield (
            f"Points with the most keywords were removed ({most}), at least {removal.keep} kept; "
            "of a single point sentences, of a single sentence one keyword."
        )


def edit_notes(context: Context) -> Iterator[str]:
    """Yield what could not be edited, and how many variants have fewer edits than asked for."""
    artifact = context.artifacts.get(PERTURB)
    if artifact is None:
        return
    for reason, found in artifact.manifest.facts["rejected"].items():
        yield f"Not edited: {plural(found, 'text')}, {_REASONS.get(reason, reason)}."
    for level, held in _left(context).items():
        if held["short"]:
            yield (
                f"{level}: {plural(held['short'], 'variant')} with fewer edits than the level asks "
                "for."
            )


def _left(context: Context) -> dict[str, Counter[str]]:
    """Count variants, and those with fewer edits than asked for, by level: what validation left."""
    import pyarrow.compute as pc

    # A level of which nothing is left is told, too.
    found: dict[str, Counter[str]] = {
        level: Counter() for level in context.artifacts[PERTURB].manifest.facts["levels"]
    }
    columns = ["level", "edits_asked", "edits_made"]
    for batch in context.inputs[PERTURB].batches(VARIANTS, columns):
        short = batch.filter(pc.less(batch["edits_made"], batch["edits_asked"]))
        for name, rows in (("variants", batch), ("short", short)):
            for one in rows["level"].value_counts().to_pylist():
                found[one["values"]][name] += one["counts"]
    return found


def _targets(levels: object) -> str:
    assert isinstance(levels, dict)
    return ", ".join(
        f"{name} {categories} x {each}" for name, (categories, each) in sorted(levels.items())
    )
