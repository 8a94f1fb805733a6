"""Make the release: write the shards side by side, then the card, then read it all back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolkit.gate.column_types import features
from toolkit.gate.recipe import (
    PUBMED_SOURCES,
    check_hidden,
    check_names,
    check_publish,
    hidden_split,
    license_of,
)
from toolkit.gate.report import GATE_FILE, check_outgoing, require
from toolkit.recipe.publish_section import Publish
from toolkit.release.columns import ReleaseColumn, Table, choose_columns, release_schema
from toolkit.release.compose import Head, compose
from toolkit.release.publish_files import facts_policy
from toolkit.release.read_back import Block, ExpectedSplit, read_back
from toolkit.release.shards import ShardTask, cut, shard_name, write_shard
from toolkit.release.tables import SplitTable, check_filled, common_schema, ordered
from toolkit.release.withheld import Withhold
from toolkit.stages.context import Context, finish
from toolkit.stages.release_facts import card_facts
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
        by split), ``columns``, ``redistribution``, ``withheld`` (rows whose texts are left out)
        and ``card``: all that :func:`toolkit.release.compose.compose` needs.

    Raises:
        UserError: the recipe's access, licence or names do not allow it, a split is empty, a
            column cannot be loaded by ``datasets``, or the gate finds something.
        RunError: splits differ in their columns, or what ``datasets`` loads is not what was
            written.
    """
    publish = _publish(context)
    pubmed = context.recipe.corpus.source in PUBMED_SOURCES
    check_publish(publish, context.access)
    license_ = license_of(publish, pubmed=pubmed)
    splits = _split_tables(context)
    names = [split.name for split in splits]
    check_names(publish.config, names)
    check_hidden(publish, names)
    check_filled(splits)
    schema = common_schema(splits)
    table = _table(context, publish, schema, grouped=splits[0].table != "items")
    columns = choose_columns(schema, publish.redistribution, table, sjr_rights=publish.sjr_rights)
    tasks = [task for split in splits for task in _tasks(context, publish, split, columns)]
    shards = list(context.each(write_shard, tasks, "writing"))
    facts = {
        **card_facts(context, publish, table, columns),
        "license": {"id": license_.id, "name": license_.name, "link": license_.link},
        "splits": names,
    }
    piece = ensure_piece(context.folder, "texts", lambda writer: _texts(writer, context, facts))
    pieces = [*shards, piece]
    _verify(context, publish.config, splits, tasks, pieces, columns)
    rows = {task.split: 0 for task in tasks}
    for task, shard in zip(tasks, shards, strict=True):
        rows[task.split] += sum(file.rows for file in shard.shards)
    return finish(
        context,
        pieces,
        {
            "splits": rows,
            "columns": [column.name for column in columns],
            "redistribution": publish.redistribution,
            "withheld": sum(shard.facts["withheld"] for shard in shards),
            "card": facts,
        },
    )


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


def _table(context: Context, publish: Publish, schema: Any, *, grouped: bool) -> Table:
    statements = publish.redistribution == "full_text" and publish.rights is None
    return Table(
        pubmed=context.recipe.corpus.source in PUBMED_SOURCES,
        journals=context.recipe.corpus.journals is not None,
        grouped=grouped,
        withholds=hidden_split(publish) is not None or (statements and "copyright" in schema.names),
    )


def _tasks(
    context: Context, publish: Publish, split: SplitTable, columns: tuple[ReleaseColumn, ...]
) -> Iterator[ShardTask]:
    ranges = cut(split.rows, split.bytes)
    withhold = Withhold(
        hidden=split.name == hidden_split(publish),
        copyright=publish.redistribution == "full_text" and publish.rights is None,
        input=context.recipe.corpus.input,
    )
    for index, (first, last) in enumerate(ranges):
        yield ShardTask(
            name=shard_name(publish.config, split.name, index, len(ranges)),
            key=f"{split.name}-{index:05d}",
            split=split.name,
            folder=context.folder,
            items=split.items,
            table=split.table,
            first=first,
            last=last,
            columns=columns,
            withhold=withhold,
        )


def _texts(writer: PieceWriter, context: Context, facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Write card, history and the like, let the gate look at all of it, and note what it saw."""
    folder = context.folder
    texts = compose(facts, folder, Head(texts={}))
    for name, text in texts.items():
        write_text(folder / name, text)
    shards = sorted((folder / facts["config"]).glob("*.parquet"))
    names = [*texts, *(f"{facts['config']}/{path.name}" for path in shards)]
    policy = facts_policy(facts, secrets=tuple(context.secrets.values()))
    report = check_outgoing(folder, names, policy)
    require(report)
    write_text(folder / GATE_FILE, report.text())
    for name in (*texts, GATE_FILE):
        writer.adopt("release", folder / name)
    return {"counts": dict(report.counts)}


def _verify(
    context: Context,
    config: str,
    splits: Sequence[SplitTable],
    tasks: Sequence[ShardTask],
    pieces: Sequence[Piece],
    columns: tuple[ReleaseColumn, ...],
) -> None:
    names = [shard.name for piece in pieces for shard in piece.shards]
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
