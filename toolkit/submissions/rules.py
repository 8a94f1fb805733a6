"""The rules of a leaderboard that need no score: version, ids, prompts, duplicates, limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from toolkit.errors import UserError
from toolkit.recipe.publish_section import Submissions
from toolkit.recipe.recipe import Recipe
from toolkit.release.history import HISTORY_FILE, ids_digest, read_history, version_key
from toolkit.results.items import ItemScores
from toolkit.results.names import folded, same_name
from toolkit.results.record import TIERS, Result
from toolkit.results.store import ResultStore
from toolkit.stages.release import LONE_SPLIT
from toolkit.submissions.bundle import Bundle
from toolkit.submissions.fault_list import FaultList
from toolkit.submissions.manifest import Manifest
from toolkit.submissions.predictions import by_prompt, id_faults, outputs_digest
from toolkit.submissions.review_log import ReviewLog
from toolkit.submissions.submit import prompt_digest

__all__ = [
    "Released",
    "duplicate_reasons",
    "failed_flags",
    "id_reasons",
    "limit_reasons",
    "owner_reasons",
    "prompt_reasons",
    "read_released",
    "reserved_reasons",
    "rules_of",
    "seed_warnings",
    "sender_reasons",
    "version_reasons",
    "withdrawn_reasons",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """What the repository of the board says of the benchmark's versions.

    Attributes:
        current: the version whose table is open.
        data_digest: of the version in hand; None where it is not known.
    """

    current: str
    data_digest: str | None = None


def rules_of(recipe: Recipe) -> Submissions:
    """Return the recipe's rules for submissions.

    Raises:
        UserError: it takes none, or has no version.
    """
    rules = recipe.publish.submissions if recipe.publish is not None else None
    if rules is None:
        raise UserError(
            f"{recipe.file}: the recipe takes no submissions",
            hint="add submissions: {} under publish:, or name the recipe that does",
        )
    if not recipe.version:
        raise UserError(f"{recipe.file}: the recipe has no version", hint='add version: "1.0"')
    return rules


def read_released(board: Path, recipe: Recipe) -> Released:
    """Read which version is open: the newest that is released, else the recipe's.

    Args:
        board: folder of the repository; ``releases.json`` may stand in it.
        recipe: the maintainer's.

    Raises:
        UserError: the file is damaged, or the recipe's version is not made of numbers.
    """
    path = board / HISTORY_FILE
    history = read_history(path.read_text(encoding="utf-8")) if path.is_file() else ()
    key = version_key(recipe.version) if history else None
    mine = next((one for one in history if version_key(one.version) == key), None)
    return Released(
        current=history[-1].version if history else recipe.version,
        data_digest=mine.data_digest if mine is not None else None,
    )


def version_reasons(
    manifest: Manifest, recipe: Recipe, released: Released, named: str | None
) -> Iterator[str]:
    """Yield why a bundle is not for the table that is open.

    Args:
        manifest: of the bundle.
        recipe: the maintainer's.
        released: what the repository says.
        named: an older version whose table the maintainer opens for this bundle.
    """
    mine = manifest.benchmark
    names = {recipe.name, recipe.title}
    if recipe.publish is not None:
        names |= {recipe.publish.dataset or "", recipe.publish.pretty_name or ""}
    if mine.name not in {" ".join(name.split()) for name in names if name}:
        yield f"it answers the benchmark '{mine.name}', and this is '{recipe.name}'"
    if mine.version != recipe.version:
        yield (
            f"it answers version {mine.version}, and the recipe makes version {recipe.version}; "
            f"only the recipe of version {mine.version} can score it"
        )
    if mine.version != released.current and named is None:
        yield (
            f"the table of version {mine.version} is closed, the current version is "
            f"{released.current}; --version {mine.version} opens it for this bundle"
        )
    if named is not None and not _same(named, mine.version):
        yield f"--version {named} was named, and it answers version {mine.version}"
    known = released.data_digest
    if known and mine.data_digest and mine.data_digest != known:
        yield f"it answers other data than those released as version {mine.version}"


def _same(one: str, other: str) -> bool:
    return one.removeprefix("v") == other.removeprefix("v")


def prompt_reasons(manifest: Manifest, recipe: Recipe, rules: Submissions) -> Iterator[str]:
    """Yield what is wrong with the prompts and the split."""
    split = manifest.benchmark.split
    for name, declared in sorted(manifest.prompts.items()):
        prompt = recipe.prompts.get(name)
        asked = [entry for entry in recipe.generate if name in entry.prompts]
        if prompt is None or not asked:
            known = sorted({one for entry in recipe.generate for one in entry.prompts})
            yield f"the benchmark has no prompt '{name}'; it has {', '.join(known) or 'none'}"
            continue
        splits = {_released_name(entry.split, recipe) for entry in asked}
        if rules.hidden_split is not None:
            splits.add(rules.hidden_split)
        if split not in splits:
            yield (f"prompt '{name}' is scored on {', '.join(sorted(splits))}, not on '{split}'")
        files = [Path(one) for one in (prompt.file, prompt.system, prompt.user) if one]
        if declared.text_sha256 and declared.text_sha256 != prompt_digest(files):
            yield f"the text used for prompt '{name}' is not that of the benchmark (its sha256)"


def _released_name(split: str, recipe: Recipe) -> str:
    plain = not (recipe.splits and recipe.splits.names)
    return LONE_SPLIT if plain and split == "all" else split


def sender_reasons(manifest: Manifest, sender: str | None) -> Iterator[str]:
    """Yield whether a bundle names another submitter than the one it came from."""
    stated = manifest.submitter.name
    if sender is not None and not same_name(stated, sender):
        yield f"it names '{stated}' as its submitter, and '{sender}' handed it in"


def id_reasons(bundle: Bundle, ids: Sequence[str]) -> list[str]:
    """Return how the answered ids differ from those of the split."""
    faults = FaultList()
    id_faults(bundle.predictions, list(bundle.manifest.prompts), ids, faults)
    stated = bundle.manifest.benchmark
    reasons = faults.lines()
    if not reasons and (stated.items, stated.ids_digest) != (len(ids), ids_digest(ids)):
        reasons.append("the digest of its ids is not that of the split")
    return reasons


def duplicate_reasons(bundle: Bundle, store: ResultStore, log: ReviewLog) -> Iterator[str]:
    """Yield where the same model or the same answers were accepted before."""
    manifest = bundle.manifest
    own = log.of(bundle.bundle_id)
    mine = set(own.records) if own is not None else set()
    for result in _rivals(manifest, store):
        same_model = same_name(result.model.name, manifest.model.name) or (
            manifest.model.hub_id is not None and result.model.hub_id == manifest.model.hub_id
        )
        same = same_model and result.model.revision == (manifest.model.revision or "")
        if same and result.record_id not in mine:
            which = result.model.revision or "without a stated revision"
            yield (
                f"'{result.model.name}' ({which}) with prompt '{result.prompt}' stands in the "
                f"table of version {result.version} already: record {result.record_id}"
            )
    outputs = {name: outputs_digest(rows) for name, rows in by_prompt(bundle.predictions).items()}
    for past in log.reviews:
        if (
            not past.accepted
            or past.bundle_id == bundle.bundle_id
            or same_name(past.model, manifest.model.name)
        ):
            continue
        for name in sorted(outputs):
            if outputs[name] in past.outputs.values():
                yield (
                    f"the answers to prompt '{name}' are those that {past.submitter} handed in "
                    f"for '{past.model}', word by word"
                )


def owner_reasons(bundle: Bundle, store: ResultStore, log: ReviewLog, tier: str) -> Iterator[str]:
    """Yield the names that are somebody else's: a record gives way on a higher tier only."""
    manifest = bundle.manifest
    own = log.of(bundle.bundle_id)
    for result in _rivals(manifest, store):
        known = own is not None and result.record_id in own.records
        if known or not same_name(result.model.name, manifest.model.name):
            continue
        above = TIERS.index(tier) - TIERS.index(result.tier)
        if above < 0 or (above == 0 and not same_name(result.submitter, manifest.submitter.name)):
            yield (
                f"'{result.model.name}' is the name of a model that {result.submitter} handed in "
                f"({result.tier}, record {result.record_id})"
            )


def reserved_reasons(manifest: Manifest, recipe: Recipe, regenerated: str | None) -> Iterator[str]:
    """Yield the names and repositories that are those of the recipe's own models.

    Args:
        manifest: of the bundle.
        recipe: the maintainer's.
        regenerated: the recipe's model that answers in place of the submitted answers, whose
            name it may have; None for none.
    """
    name, hub_id = folded(manifest.model.name), folded(manifest.model.hub_id or "")
    for key, model in sorted(recipe.models.items()):
        if key == regenerated:
            if hub_id and model.hub_id and hub_id != folded(model.hub_id):
                yield (
                    f"it names the repository {manifest.model.hub_id}, and '{key}', which answers "
                    f"in its place, is {model.hub_id}"
                )
            continue
        if name in {folded(one) for one in (key, model.title, model.hub_id) if one}:
            yield f"'{manifest.model.name}' is the name of a model of the benchmark's own: {key}"
        if hub_id and hub_id == folded(model.hub_id or ""):
            yield (
                f"{manifest.model.hub_id} is the repository of a model of the benchmark's own: "
                f"{key}; only its maintainer runs it"
            )


def seed_warnings(recipe: Recipe, seed: str) -> Iterator[str]:
    """Yield whether a submitter could have known which answers the judges will look at."""
    if recipe.judges and rules_of(recipe).judge_sample and not seed:
        yield (
            "no secret word decides which answers are judged: whoever knows the recipe can compute "
            "the sample before handing in; set TOOLKIT_REVIEW_SEED or --seed"
        )


def failed_flags(manifest: Manifest, rules: Submissions) -> Iterator[str]:
    """Yield the prompts of which more answers failed than the board ranks."""
    for name, prompt in sorted(manifest.prompts.items()):
        share = prompt.failed / prompt.answers
        if share > rules.max_failed:
            yield (
                f"{prompt.failed:,} of {prompt.answers:,} answers to prompt '{name}' failed "
                f"({share:.1%}), and up to {rules.max_failed:.0%} are ranked: it is listed without "
                "a rank"
            )


def withdrawn_reasons(
    scored: Iterable[tuple[Result, ItemScores | None]], store: ResultStore
) -> Iterator[str]:
    """Yield the records that were taken back before: they stay so."""
    for result, _ in scored:
        withdrawal = store.withdrawals.get(result.record_id)
        if withdrawal is not None:
            yield (
                f"its record {result.record_id} was taken back on {withdrawal.date} by "
                f"{withdrawal.by}: {withdrawal.reason}"
            )


def _rivals(manifest: Manifest, store: ResultStore) -> Iterator[Result]:
    """Yield the records that count for the same version, split and prompts."""
    for record, result in store.results.items():
        about = manifest.benchmark
        if (
            record not in store.withdrawals
            and (result.version, result.split) == (about.version, about.split)
            and result.prompt in manifest.prompts
        ):
            yield result


def limit_reasons(
    bundle: Bundle, log: ReviewLog, day: date, rules: Submissions, sender: str | None
) -> Iterator[str]:
    """Yield whether somebody handed in too many bundles within seven days.

    Bundles are counted by who handed them in as the platform knows it, and by the name in the
    bundle only where nobody vouches for it.
    """
    name = sender or bundle.manifest.submitter.name
    others = log.fullest_week(name, day, but=bundle.bundle_id)
    if len(others) >= rules.per_week:
        first = min(one.day for one in others)
        yield (
            f"{name} handed in {len(others)} other bundles within 7 days, and {rules.per_week} are "
            f"allowed; the first of them was on {first}"
        )
