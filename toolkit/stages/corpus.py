"""Build the items: read the parts side by side, merge over keys, add journals, write shards."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.corpus.funnel import Funnel, part_funnel
from toolkit.corpus.journal_table import load_sjr
from toolkit.corpus.journal_titles import shared_titles
from toolkit.corpus.journals import JournalReport, join_journals
from toolkit.corpus.source import Part, PartResult, Source, dropped, surviving
from toolkit.errors import RunError, SourceError
from toolkit.plan.fingerprints import expand, pinned_facts, pinned_file
from toolkit.registry import member
from toolkit.stages.context import Context, finish
from toolkit.stages.joins import (
    JoinTable,
    is_articles,
    joined_schema,
    load_joins,
    without_journals,
)
from toolkit.stages.light import keep_pandas_out
from toolkit.store.atomic import write_json
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece
from toolkit.store.source_index import SourceIndex

if TYPE_CHECKING:
    import pyarrow as pa

    from toolkit.corpus.journal_table import JournalTable

__all__ = ["run"]

SCRATCH: Final = "scratch"


def run(context: Context) -> Manifest:
    """Build the corpus.

    Returns:
        Tables ``items`` and ``rejects``; facts ``funnel``, ``journals`` and, for a remote
        source, ``pinned``.

    Raises:
        SourceError: a source file is damaged or missing.
        RunError: no item is left.
    """
    source = _resolved(context)
    schema = source.schema()
    if context.recipe.splits is not None and "group" in schema.names:
        raise SourceError(
            "the items have a column 'group', which is where splits note what stays together",
            hint="give the column another name, e.g. corpus.fields: {my_group: group, ...}",
        )
    parts = source.parts()
    scratch = context.folder / SCRATCH
    reads = [
        _Read(part.name, source, part, _folder(scratch, k), schema) for k, part in enumerate(parts)
    ]
    results = list(context.each(_read, reads, "reading"))
    drops = source.merge(results)
    tables = _Tables(load_joins(context.recipe.corpus.join), _journals(context, results))
    writes = [
        _Write(result.part, k, context.folder, result, drops.get(result.part), tables)
        for k, result in enumerate(results)
    ]
    pieces = list(context.each(_write, writes, "writing"))
    manifest = finish(context, pieces, _facts(context, source, pieces))
    if manifest.rows("items") == 0:
        raise RunError(
            "no item is left after the rules",
            hint=f"the rejects say why, by rule: {_reasons(pieces)}; relax corpus.where",
        )
    _refuse_changed(context, source)
    shutil.rmtree(scratch, ignore_errors=True)
    return manifest


@dataclass(frozen=True, slots=True)
class _Read:
    name: str
    source: Source
    part: Part
    folder: Path
    schema: pa.Schema


@dataclass(frozen=True, slots=True)
class _Tables:
    joins: tuple[JoinTable, ...]
    journals: JournalTable | None


@dataclass(frozen=True, slots=True)
class _Write:
    name: str
    index: int
    folder: Path
    result: PartResult
    drops: pa.Table | None
    tables: _Tables


def _refuse_changed(context: Context, source: Source) -> None:
    """Refuse what was read when a file is no longer the one that was fingerprinted.

    Raises:
        SourceError: a file changed while the run was reading.
    """
    known = set(_digests(context.step.params))
    index = SourceIndex(context.plan.workspace.source_index)
    corpus = context.recipe.corpus
    paths = [*source.inputs(), *(Path(join.file) for join in corpus.join)]
    if not source.remote:
        paths += [part.path for part in source.parts() if part.path is not None]
    if corpus.journals is not None:
        paths += [Path(path) for path in expand(corpus.journals.sjr)]
    changed = [path for path in paths if index.lookup(path) not in known]
    if changed:
        # Everything read so far may be of either kind.
        shutil.rmtree(context.folder, ignore_errors=True)
        raise SourceError(
            f"{changed[0]}: the file was changed while the run was reading it",
            hint="wait until it is complete, then run the same command again",
        )


def _digests(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _digests(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _digests(inner)


def _journals(context: Context, results: Sequence[PartResult]) -> JournalTable | None:
    """Load the journal table, without the titles that several journals of the corpus share."""
    section = context.recipe.corpus.journals
    if section is None:
        return None
    table = load_sjr([Path(path) for path in expand(section.sjr)])
    known: set[tuple[str, str]] = set()
    for result in results:
        known |= _titles(result)
    return table.refusing(shared_titles(sorted(known)))


def _titles(result: PartResult) -> set[tuple[str, str]]:
    import pyarrow.parquet as pq

    names = ("nlm_unique_id", "journal")
    if not set(names) <= set(pq.read_schema(result.items).names):
        return set()
    found: set[tuple[str, str]] = set()
    with pq.ParquetFile(result.items) as file:
        for batch in file.iter_batches(columns=list(names)):
            pairs = zip(*(batch[name].to_pylist() for name in names), strict=True)
            found |= {(journal or title, title) for journal, title in pairs if title}
    return found


def _resolved(context: Context) -> Source:
    corpus = context.recipe.corpus
    cls = member("sources", corpus.source)
    params = corpus.params
    if not cls.remote:
        source: Source = cls(params, context.recipe.folder)
        return source
    facts = pinned_facts(context.plan.workspace, context.recipe) or {}
    # A branch name was resolved when the run began; what it points at now does not matter.
    fields = {field.name for field in dataclasses.fields(params)} & set(facts)
    pinned = dataclasses.replace(params, **{name: facts[name] for name in fields})
    cache = pinned_file(context.plan.workspace, context.recipe).with_suffix("")
    resolved: Source = cls(pinned, context.recipe.folder).resolve(cache, context.secrets)
    return resolved


def _folder(scratch: Path, index: int) -> Path:
    return scratch / f"{index:05d}"


def _read(task: _Read) -> PartResult:
    keep_pandas_out()
    note = task.folder / "result.json"
    done = _finished(note)
    if done is not None:
        return done
    task.folder.mkdir(parents=True, exist_ok=True)
    result = task.source.read(task.part, task.folder, task.schema)
    data = dataclasses.asdict(result)
    write_json(
        note, {key: str(value) if isinstance(value, Path) else value for key, value in data.items()}
    )
    return result


def _finished(note: Path) -> PartResult | None:
    try:
        data = json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    for name in ("items", "rejects", "keys"):
        data[name] = note.parent / Path(data[name]).name
        if not data[name].is_file():
            return None
    return PartResult(**data)


def _write(task: _Write) -> Piece:
    keep_pandas_out()
    return ensure_piece(task.folder, f"{task.index:05d}", lambda writer: _fill(task, writer))


def _fill(task: _Write, writer: PieceWriter) -> Mapping[str, Any]:
    import pyarrow.parquet as pq

    journals: list[JournalReport] = []
    unjoined: dict[str, int] = {}

    def batches() -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in surviving(task.result, task.drops):
            table = pa.Table.from_batches([batch])
            if task.tables.journals is not None:
                table, report = join_journals(table, task.tables.journals)
                journals.append(report)
            elif is_articles(table.schema):
                table = without_journals(table)
            for join in task.tables.joins:
                table, missing = join.add(table)
                unjoined[join.name] = unjoined.get(join.name, 0) + missing
            yield from table.combine_chunks().to_batches()

    schema = joined_schema(
        pq.read_schema(task.result.items), task.tables.journals is not None, task.tables.joins
    )
    writer.batches("items", schema, batches())
    writer.batches("rejects", *_rejects(task.result, task.drops))
    funnel = part_funnel(task.result, task.drops)
    return {
        "funnel": funnel.to_dict(),
        "journals": _counts(JournalReport.merge(journals)) if journals else None,
        "unjoined": unjoined,
    }


def _rejects(
    result: PartResult, drops: pa.Table | None
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    import pyarrow.parquet as pq

    def batches() -> Iterator[pa.RecordBatch]:
        with pq.ParquetFile(result.rejects) as file:
            yield from file.iter_batches()
        yield from dropped(result, drops).to_batches()

    return pq.read_schema(result.rejects), batches()


def _counts(report: JournalReport) -> dict[str, Any]:
    # Not asdict: it would rebuild each Counter from pairs and count the pairs.
    data = {field.name: getattr(report, field.name) for field in dataclasses.fields(report)}
    return {key: dict(value) if isinstance(value, dict) else value for key, value in data.items()}


def _facts(context: Context, source: Source, pieces: Sequence[Piece]) -> dict[str, Any]:
    funnel = Funnel()
    for piece in pieces:
        funnel = funnel + Funnel.from_dict(piece.facts["funnel"])
    facts: dict[str, Any] = {"funnel": funnel.to_dict()}
    reports = [piece.facts["journals"] for piece in pieces if piece.facts.get("journals")]
    if reports:
        facts["journals"] = JournalReport.merge(_report(data) for data in reports).to_dict()
    if context.recipe.corpus.join:
        names = sorted({name for piece in pieces for name in piece.facts["unjoined"]})
        facts["unjoined"] = {
            name: sum(piece.facts["unjoined"].get(name, 0) for piece in pieces) for name in names
        }
    if source.remote:
        facts["pinned"] = source.facts()
    return facts


def _report(data: Mapping[str, Any]) -> JournalReport:
    report = JournalReport()
    for field in dataclasses.fields(report):
        value, target = data[field.name], getattr(report, field.name)
        if isinstance(target, dict):
            numeric = field.name == "year_gaps"
            target.update({int(key) if numeric else key: count for key, count in value.items()})
        else:
            setattr(report, field.name, value)
    return report


def _reasons(pieces: Sequence[Piece]) -> str:
    counts: dict[str, int] = {}
    for piece in pieces:
        for _, _, reason, count in piece.facts["funnel"]["outcomes"]:
            counts[reason] = counts.get(reason, 0) + count
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{reason} {count:,}" for reason, count in ordered)
