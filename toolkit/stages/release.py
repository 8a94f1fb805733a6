"""Make the release: write the shards side by side, then the card, then read it all back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolkit.corpus.funnel import KEPT, Funnel
from toolkit.corpus.rules import RULES
from toolkit.recipe.publish_section import Publish
from toolkit.release.card import CardInputs, FunnelLine, card_text
from toolkit.release.check import folder_faults
from toolkit.release.column_types import features
from toolkit.release.columns import ReleaseColumn, Table, choose_columns, release_schema
from toolkit.release.front_matter import SplitInfo
from toolkit.release.gate import PUBMED_SOURCES, check_names, check_publish, license_of
from toolkit.release.read_back import Block, ExpectedSplit, read_back
from toolkit.release.shards import ShardTask, cut, shard_name, write_shard
from toolkit.release.tables import SplitTable, check_filled, common_schema, ordered
from toolkit.stages.context import Context, finish
from toolkit.store.artifact import Artifact
from toolkit.store.atomic import write_text
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece

__all__ = ["run"]

LONE_SPLIT: Final = "test"
"""The split of a recipe that makes none: its items are there to evaluate on."""


def run(context: Context) -> Manifest:
    """Make the release.

    Returns:
        The files of a Hub dataset repository, all in table ``release``; facts ``splits`` (rows
        by split), ``columns`` and ``redistribution``.

    Raises:
        UserError: the recipe's access, licence or names do not allow it, a split is empty, or
            a column cannot be loaded by ``datasets``.
        RunError: splits differ in their columns, or what ``datasets`` loads is not what was
            written.
    """
    publish = _publish(context)
    pubmed = context.recipe.corpus.source in PUBMED_SOURCES
    check_publish(publish, context.access)
    license_ = license_of(publish, pubmed=pubmed)
    splits = _split_tables(context)
    check_names(publish.config, [split.name for split in splits])
    check_filled(splits)
    table = Table(
        pubmed=pubmed,
        journals=context.recipe.corpus.journals is not None,
        grouped=splits[0].table != "items",
    )
    columns = choose_columns(
        common_schema(splits), publish.redistribution, table, sjr_rights=publish.sjr_rights
    )
    tasks = [task for split in splits for task in _tasks(context, publish.config, split, columns)]
    shards = list(context.each(write_shard, tasks, "writing"))
    infos = [_info(split, tasks, shards) for split in splits]
    inputs = CardInputs(
        license=license_,
        columns=columns,
        splits=infos,
        pubmed=pubmed,
        sjr=any(column.name == "sjr" for column in columns) and table.journals,
        sjr_withheld=table.journals and pubmed and not publish.sjr_rights,
        **_card_facts(context, publish),
    )
    pieces = [*shards, ensure_piece(context.folder, "readme", lambda w: _card(w, context, inputs))]
    _verify(context, publish.config, splits, tasks, pieces, columns)
    facts = {
        "splits": {info.name: info.rows for info in infos},
        "columns": [column.name for column in columns],
        "redistribution": publish.redistribution,
    }
    return finish(context, pieces, facts)


def _publish(context: Context) -> Publish:
    publish = context.recipe.publish
    assert publish is not None
    return publish


def _split_tables(context: Context) -> list[SplitTable]:
    made = context.artifacts.get("splits")
    sizes = made.manifest.facts["splits"]["sizes"] if made is not None else {}
    if sizes:
        items = context.inputs["splits"]
        return [SplitTable(name, items, f"items_{name}") for name in ordered(sizes)]
    return [SplitTable(LONE_SPLIT, _corpus(context), "items")]


def _corpus(context: Context) -> Artifact:
    # A recipe of views alone reads the splits and the corpus; rows that the corpus's
    # validation took out are then gone from what the splits read, and must be from this too.
    checked = context.artifacts.get("validate/corpus")
    if checked is not None and "corpus" in checked.manifest.facts.get("replaces", []):
        return checked
    return context.inputs["corpus"]


def _tasks(
    context: Context, config: str, split: SplitTable, columns: tuple[ReleaseColumn, ...]
) -> Iterator[ShardTask]:
    ranges = cut(split.rows, split.bytes)
    for index, (first, last) in enumerate(ranges):
        yield ShardTask(
            name=shard_name(config, split.name, index, len(ranges)),
            key=f"{split.name}-{index:05d}",
            folder=context.folder,
            items=split.items,
            table=split.table,
            first=first,
            last=last,
            columns=columns,
        )


def _info(split: SplitTable, tasks: Sequence[ShardTask], pieces: Sequence[Piece]) -> SplitInfo:
    mine = [p for task, p in zip(tasks, pieces, strict=True) if task.table == split.table]
    return SplitInfo(
        name=split.name,
        rows=sum(shard.rows for piece in mine for shard in piece.shards),
        num_bytes=sum(piece.facts["num_bytes"] for piece in mine),
        file_bytes=sum(shard.bytes for piece in mine for shard in piece.shards),
        files=len(mine),
    )


def _card(writer: PieceWriter, context: Context, inputs: CardInputs) -> Mapping[str, Any]:
    path = context.folder / "README.md"
    write_text(path, card_text(inputs))
    writer.adopt("release", path)
    return {}


def _verify(
    context: Context,
    config: str,
    splits: Sequence[SplitTable],
    tasks: Sequence[ShardTask],
    pieces: Sequence[Piece],
    columns: tuple[ReleaseColumn, ...],
) -> None:
    names = [shard.name for piece in pieces for shard in piece.shards]
    faults = folder_faults(context.folder, names)
    # Our own files just written: a fault here is one of this program, not of the user.
    assert not faults, faults
    context.progress(0, 1, "reading back")
    expected = [
        ExpectedSplit(
            config=config,
            split=split.name,
            features=features(release_schema(columns)),
            blocks=[
                Block(sum(shard.rows for shard in piece.shards), piece.facts["digests"])
                for task, piece in zip(tasks, pieces, strict=False)
                if task.table == split.table
            ],
        )
        for split in splits
    ]
    read_back(
        {name: context.folder / name for name in names},
        expected,
        context.folder / ".read_back",
        stopped=context.stop.is_set,
    )
    context.progress(1, 1, "reading back")


def _card_facts(context: Context, publish: Publish) -> dict[str, Any]:
    recipe = context.recipe
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
        "languages": publish.languages,
        "level": publish.redistribution,
        "source": recipe.corpus.source,
        "funnel": list(_funnel(context, funnel)),
        "files": [name for name in funnel.files() if name not in funnel.skipped],
        "skipped": list(funnel.skipped),
        "pinned": list(_pinned(facts.get("pinned", {}))),
        "unsplit": report["rejected"],
        "leaks": [(kind, leaks[kind]["clusters"]) for kind in sorted(leaks)],
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


def _funnel(context: Context, funnel: Funnel) -> Iterator[FunnelLine]:
    remaining = funnel.read
    for step in funnel.steps(list(RULES)):
        if step.rule == KEPT:
            continue
        meaning = "rows of the source" if step.rule == "read" else RULES.get(step.rule, "")
        yield FunnelLine(step.rule, meaning, step.removed, step.remaining)
        remaining = step.remaining
    for kind in ("corpus", "splits"):
        checked = context.artifacts.get(f"validate/{kind}")
        removed = checked.manifest.facts.get("taken_out", 0) if checked is not None else 0
        if removed:
            remaining -= removed
            meaning = f"failed the expectations of the {kind}"
            yield FunnelLine(f"quarantined ({kind})", meaning, removed, remaining)


def _pinned(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a remote source was resolved to; the values come from others."""
    for name, value in sorted(facts.items()):
        if isinstance(value, str | int) and not isinstance(value, bool):
            yield f"{name.replace('_', ' ')}: {value}."
        elif value:
            yield f"{name.replace('_', ' ')}: {len(value)}."
