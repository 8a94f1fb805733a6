"""Review a bundle: run the maintainer's recipe over it, then accept it or say every reason."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from toolkit.errors import UserError, suggest
from toolkit.recipe.recipe import Recipe
from toolkit.results.store import ResultStore
from toolkit.stages.progress import Progress, Silent
from toolkit.stages.targets import text_of
from toolkit.store.canonical import text_digest
from toolkit.store.lock import locked
from toolkit.store.workspace import Workspace
from toolkit.submissions import rules as checks
from toolkit.submissions.bundle import Bundle, read_bundle
from toolkit.submissions.claims import (
    Claims,
    claim_faults,
    read_claims,
    sample_faults,
    unknown_claims,
)
from toolkit.submissions.outgoing import record_reasons
from toolkit.submissions.predictions import by_prompt, outputs_digest
from toolkit.submissions.recipe_items import check_asks_items, split_items
from toolkit.submissions.review_log import ReviewLog
from toolkit.submissions.scoring import Desk, Scored, judge_sample, make_items, score
from toolkit.submissions.similarity import Near, copied_share, near_references, output_marks
from toolkit.submissions.verdict import Verdict

__all__ = ["COPIED", "ReviewOptions", "review"]

COPIED = 0.5
"""Share of answers that stand in another submission from which a bundle is flagged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOptions:
    """How a bundle is reviewed.

    Attributes:
        day: when it was handed in.
        version: an older version whose table is opened for it; None for the current one.
        claims: file of scores that the submitter states; None for none.
        model: the recipe's model that answers in place of the submitted answers, which makes the
            record ``re-generated``; None to score what was submitted.
        sender: who handed it in, as the platform knows it; None where nobody vouches for it.
        seed: a word that decides, with the answers, which of them are judged.
        judges: ask judges; without them nothing is accepted, so only in a dry run.
        dry_run: write nothing.
    """

    day: date
    version: str | None = None
    claims: Path | None = None
    model: str | None = None
    sender: str | None = None
    seed: str = ""
    judges: bool = True
    dry_run: bool = False

    @property
    def tier(self) -> str:
        """What the records will be."""
        return "re-scored" if self.model is None else "re-generated"


def review(
    path: Path,
    recipe: Recipe,
    store: ResultStore,
    options: ReviewOptions,
    *,
    workspace: Workspace,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
) -> Verdict:
    """Review a bundle, and add its records to the store where nothing speaks against it.

    Stated scores are compared even where something else refuses it, because metrics cost nothing;
    judges are asked last, and only about what would be accepted.

    Args:
        path: the bundle, a zip file or a folder of a stranger's.
        recipe: the maintainer's, with ``publish.submissions``.
        store: the records of the board.
        options: how to review it.
        workspace: of the maintainer; a repeated review finds all it paid for there.
        progress: hears of the runs.
        stop: set it to end a run early; nothing is accepted then.

    Returns:
        Accepted with its records, or refused with every reason.

    Raises:
        UserError: the recipe takes no submissions, asks about edited items or cannot be run, or
            the board is damaged.
        RunError: a step failed or was stopped; the same command goes on from there.
    """
    checks.rules_of(recipe)
    check_asks_items(recipe)
    _check_options(recipe, options)
    bundle, faults = read_bundle(path)
    if bundle is None:
        day = options.day.isoformat()
        return Verdict(date=day, tier=options.tier, reasons=tuple(faults), dry=True)
    name = text_digest(str(store.folder.resolve()))[:16]
    desk = Desk(workspace=workspace, progress=progress or Silent(), stop=stop or threading.Event())
    with locked(workspace.lock(f"board-{name}"), f"the board {store.folder}"):
        return _Review(bundle, recipe, ResultStore(store.folder), options, desk).run()


def _check_options(recipe: Recipe, options: ReviewOptions) -> None:
    if not options.judges and not options.dry_run:
        raise UserError(
            "a review without judges accepts nothing", hint="add --dry-run, or let judges judge"
        )
    if options.model is not None and options.model not in recipe.models:
        raise UserError(
            f"{recipe.file}: no model '{options.model}'",
            hint=suggest(options.model, list(recipe.models)),
        )


@dataclass
class _Review:
    """One review as it goes.

    Attributes:
        reasons: why the bundle is refused, so far.
        flags: what else there is to know, so far.
        scored: the records it would have, so far.
    """

    bundle: Bundle
    recipe: Recipe
    store: ResultStore
    options: ReviewOptions
    desk: Desk
    reasons: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    scored: Scored = field(default_factory=list)
    near: Near = field(default_factory=lambda: Near(compared=0, found=()))
    judged: Mapping[str, int] = field(default_factory=dict)

    def run(self) -> Verdict:
        manifest = self.bundle.manifest
        log = ReviewLog(self.store.folder)
        own = log.of(self.bundle.bundle_id)
        # A bundle that is in stays as it came in, however often it is looked at.
        day = own.day if own is not None and own.accepted else self.options.day
        released = checks.read_released(self.store.folder, self.recipe)
        rules = checks.rules_of(self.recipe)
        wrong = [
            *checks.version_reasons(manifest, self.recipe, released, self.options.version),
            *checks.prompt_reasons(manifest, self.recipe, rules),
        ]
        self.reasons += wrong
        foreign = list(checks.sender_reasons(manifest, self.options.sender))
        self.reasons += foreign
        self.reasons += checks.duplicate_reasons(self.bundle, self.store, log)
        self.reasons += checks.owner_reasons(self.bundle, self.store, log, self.options.tier)
        self.reasons += checks.reserved_reasons(manifest, self.recipe, self.options.model)
        limit = list(checks.limit_reasons(self.bundle, log, day, rules, self.options.sender))
        self.reasons += limit
        if self.options.model is None:
            self.flags += checks.failed_flags(manifest, rules)
        marks = output_marks(self.bundle.predictions)
        self._look_for_copies(log, marks)
        if not wrong:
            self._score(day)
        verdict = self._verdict(day, limited=bool(limit))
        if self.options.dry_run:
            return verdict
        # What was accepted stays in the log as it was, as its records stay on the board, and who
        # hands in somebody else's bundle takes no review of it over. The log comes first: a
        # review that is cut off after it is completed by the next one.
        if own is None or verdict.accepted or not (own.accepted or foreign):
            log.add(verdict, marks)
        for result, items in self.scored if verdict.accepted else ():
            self.store.add(result, items)
        return verdict

    def _score(self, day: date) -> None:
        make_items(self.recipe, self.bundle, self.desk)
        split = self.bundle.manifest.benchmark.split
        rows = split_items(self.recipe, split, self.desk.workspace, ["item_id"])
        wrong = checks.id_reasons(self.bundle, [row["item_id"] for row in rows])
        self.reasons += wrong
        if wrong:
            return
        self._compare_references(split)
        claims = self._claims()
        if self.reasons and not claims:
            # No score could let it in.
            return
        sample = self._sample()
        if self.recipe.metrics and (claims or not sample):
            self.scored = self._scores(day, {})
            for result, _ in self.scored:
                self.reasons += claim_faults(claims, result)
        if sample and not self.reasons:
            self.judged = {judge: len(items) for judge, items in sample.items()}
            self.scored = self._scores(day, sample)
            for result, items in self.scored:
                self.reasons += sample_faults(claims, result, items)
        self.reasons += checks.withdrawn_reasons(self.scored, self.store)
        self.reasons += record_reasons(self.scored)
        self.flags += unknown_claims(claims, tuple(result for result, _ in self.scored))
        if not self.scored and not self.reasons:
            self.reasons.append("the recipe has no score that a review could compute")

    def _sample(self) -> dict[str, tuple[str, ...]]:
        if not self.options.judges:
            return {}
        rules = checks.rules_of(self.recipe)
        drawn = judge_sample(
            self.recipe,
            self.bundle,
            self.desk.workspace,
            size=rules.judge_sample,
            seed=self.options.seed,
        )
        return {judge: items for judge, items in drawn.items() if items}

    def _scores(self, day: date, sample: Mapping[str, tuple[str, ...]]) -> Scored:
        about = {
            "date": day.isoformat(),
            "tier": self.options.tier,
            "submitter": self.bundle.manifest.submitter.name,
        }
        return score(
            self.recipe,
            self.bundle,
            self.desk,
            model=self.options.model,
            judge_items=sample,
            about=about,
        )

    def _claims(self) -> Claims:
        if self.options.claims is None:
            return {}
        return read_claims(self.options.claims, tuple(self.bundle.manifest.prompts))

    def _look_for_copies(self, log: ReviewLog, marks: Mapping[str, str]) -> None:
        about = self.bundle.manifest
        for past in log.reviews:
            other = (past.version, past.split) != (about.benchmark.version, about.benchmark.split)
            if other or past.bundle_id == self.bundle.bundle_id or not marks:
                continue
            share = copied_share(marks, past.marks())
            if share >= COPIED:
                self.flags.append(
                    f"{share:.0%} of its answers stand word by word in '{past.model}' of "
                    f"{past.submitter}"
                )

    def _compare_references(self, split: str) -> None:
        rules = checks.rules_of(self.recipe)
        references = dict(self._references(split))
        self.near = near_references(self.bundle.predictions, references, rules.near_identical)
        if not self.near.found:
            return
        told = (
            f"{len(self.near.found):,} of {self.near.compared:,} answers ({self.near.share:.1%}) "
            f"are nearly their references ({rules.near_identical:.0%} of their 3-grams or more)"
        )
        if self.near.share > rules.most_identical:
            self.reasons.append(f"{told}; {rules.most_identical:.0%} are allowed")
        else:
            self.flags.append(told)

    def _references(self, split: str) -> Iterator[tuple[str, dict[str, str | None]]]:
        for name in self.bundle.manifest.prompts:
            column = self.recipe.prompts[name].reference or self.recipe.reference
            rows = split_items(self.recipe, split, self.desk.workspace, ["item_id", column])
            yield name, {row["item_id"]: text_of(row.get(column)) for row in rows}

    def _verdict(self, day: date, *, limited: bool) -> Verdict:
        predictions = by_prompt(self.bundle.predictions)
        return Verdict(
            bundle_id=self.bundle.bundle_id,
            manifest=self.bundle.manifest,
            handed_in_by=self.options.sender or "",
            date=day.isoformat(),
            tier=self.options.tier,
            reasons=tuple(self.reasons),
            flags=tuple(self.flags),
            limited=limited,
            results=tuple(result for result, _ in self.scored),
            judged=self.judged,
            near=self.near.found,
            outputs={name: outputs_digest(rows) for name, rows in sorted(predictions.items())},
            dry=self.options.dry_run,
        )
