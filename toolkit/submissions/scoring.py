"""Score a submission: the maintainer's recipe over its answers, every call through the ledger."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from toolkit.execute import run_recipe
from toolkit.recipe.recipe import Recipe
from toolkit.results.from_run import results_of_run
from toolkit.results.items import ItemScores
from toolkit.results.record import Result
from toolkit.stages.progress import Progress
from toolkit.store.atomic import write_text
from toolkit.store.canonical import canonical_json, digest, text_digest
from toolkit.store.workspace import Workspace
from toolkit.submissions.archive import PREDICTIONS
from toolkit.submissions.bundle import Bundle
from toolkit.submissions.derive import Competitor, derived_recipe, replay_rows, sampled_judges
from toolkit.submissions.recipe_items import split_items

__all__ = ["Desk", "Scored", "judge_sample", "make_items", "score"]

Scored = list[tuple[Result, ItemScores | None]]
"""Records, one a prompt, with the scores of their items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where a review works.

    Attributes:
        workspace: of the maintainer.
        progress: hears of the runs.
        stop: set it to end a run early.
    """

    workspace: Workspace
    progress: Progress
    stop: threading.Event


def make_items(recipe: Recipe, bundle: Bundle, desk: Desk) -> None:
    """Make the items of the benchmark, or find them made.

    Raises:
        UserError: the recipe cannot be run.
        RunError: a step failed.
    """
    run_recipe(
        derived_recipe(
            recipe, Competitor(manifest=bundle.manifest, answers=_answers(bundle, desk))
        ),
        workspace=desk.workspace,
        until="splits",
        progress=desk.progress,
        stop=desk.stop,
    )


def score(
    recipe: Recipe,
    bundle: Bundle,
    desk: Desk,
    *,
    model: str | None = None,
    judge_items: Mapping[str, tuple[str, ...]],
    about: Mapping[str, str],
) -> Scored:
    """Score the answers of a bundle, or those of the maintainer's own model.

    Args:
        recipe: the maintainer's.
        bundle: the submission.
        desk: where to work.
        model: the recipe's model whose answers count instead of the submitted ones.
        judge_items: items whose answers each judge looks at.
        about: ``date``, ``tier`` and ``submitter`` of the records.

    Raises:
        UserError: the recipe cannot be run.
        RunError: a step failed, a budget is spent, or the run was stopped; what was paid for
            stays, and the same review goes on from there.
    """
    competitor = Competitor(
        manifest=bundle.manifest,
        answers=_answers(bundle, desk),
        model=model,
        judge_items=judge_items,
    )
    run = run_recipe(
        derived_recipe(recipe, competitor),
        workspace=desk.workspace,
        until="leaderboard",
        progress=desk.progress,
        stop=desk.stop,
    )
    return [
        (_owned(result, bundle, regenerated=model is not None), items)
        for result, items in results_of_run(run.folder, **about)
    ]


def judge_sample(
    recipe: Recipe, bundle: Bundle, workspace: Workspace, *, size: int, seed: str
) -> dict[str, tuple[str, ...]]:
    """Return the items whose answers are judged again, by judge.

    The sample follows from the recipe's seed, the answers and ``seed``: the same review draws the
    same one, and nobody can know it before the answers are written.

    Args:
        recipe: the maintainer's.
        bundle: the submission.
        workspace: where the recipe's items lie.
        size: most items for each judge.
        seed: a word of the maintainer's; may be empty.
    """
    drawn = digest([recipe.seed, bundle.manifest.files[PREDICTIONS].sha256, seed])
    found: dict[str, tuple[str, ...]] = {}
    for judge in sampled_judges(recipe):
        params = recipe.judges[judge].params
        prompts = getattr(params, "prompts", ()) or tuple(bundle.manifest.prompts)
        items = {
            one.item_id
            for one in bundle.predictions
            if one.output is not None and one.prompt in prompts
        }
        split = getattr(params, "split", None)
        if split is not None:
            items &= {row["item_id"] for row in split_items(recipe, split, workspace, ["item_id"])}
        found[judge] = tuple(sorted(_lowest(items, drawn, size)))
    return found


def _lowest(items: Iterable[str], seed: str, size: int) -> list[str]:
    return sorted(items, key=lambda item: (text_digest([seed, item]), item))[:size]


def _answers(bundle: Bundle, desk: Desk) -> Path:
    """Return the file that provider ``replay`` reads, in the maintainer's workspace."""
    text = "".join(canonical_json(row) + "\n" for row in replay_rows(bundle.predictions))
    folder = desk.workspace.root / "submissions" / bundle.bundle_id[:32]
    path = folder / "answers.jsonl"
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        write_text(path, text)
    return path


def _owned(result: Result, bundle: Bundle, *, regenerated: bool) -> Result:
    """Return a record under the submitter's name for the model, with what he declared of it."""
    about = bundle.manifest.model
    model = replace(
        result.model,
        name=about.name,
        title=about.name,
        kind="model",
        hub_id=about.hub_id,
        # What replayed the answers has a version, too, but it did not write them.
        revision=about.revision or (result.model.revision if regenerated else ""),
        provider=result.model.provider if regenerated else "",
    )
    return replace(
        result,
        model=model,
        split=bundle.manifest.benchmark.split,
        generation=result.generation if regenerated else dict(bundle.manifest.generation),
    )
