"""Stream the items, answers and scores of a run into the page of items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.plan.step import Step
from toolkit.report.board import Board
from toolkit.report.browser import (
    BrowserFacts,
    Competitor,
    browser_folder,
    browser_html,
    browser_index,
)
from toolkit.report.chunks import ChunkFolder
from toolkit.report.facets import Facets
from toolkit.report.inputs import STATUSES
from toolkit.report.items import AnswerEntry, AnswersWriter, ItemEntry, ItemsWriter
from toolkit.report.word_index import WordIndex
from toolkit.stages.context import Context
from toolkit.stages.report_scores import read_scores
from toolkit.stages.targets import text_of
from toolkit.store.artifact import Artifact
from toolkit.store.atomic import write_text

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["MOST_ITEMS", "competitors", "write_items"]

MOST_ITEMS: Final = 100_000
"""Items that the page holds; the rest is counted and said."""

_READ_ROWS: Final = 512

_ARTICLE_FACETS: Final = (
    *("year", "publication_types", "languages", "categories", "areas", "sjr_quartile"),
    *("leak_risk", "retracted", "journal"),
)
"""What tells PubMed articles apart; their other columns are texts, ids and dates."""


@dataclass(frozen=True, slots=True)
class _Selection:
    """The items that some generation steps asked about.

    Attributes:
        source: step of the items.
        table: its table.
        split: name of the split in the recipe.
        rows: how many of its rows were asked about, from the start.
        shown: how many of its rows the page holds.
    """

    source: str
    table: str
    split: str
    rows: int
    shown: int = 0


@dataclass(frozen=True, slots=True)
class _Held:
    """The items of a selection that the page holds.

    Attributes:
        ids: of them.
        places: of each in the page, ascending.
    """

    ids: pa.Array
    places: NDArray[np.int64]


def write_items(context: Context, board: Board) -> list[Path]:
    """Write the page of items and its parts below the folder of the step.

    Returns:
        The files.
    """
    page, data = browser_folder(context.folder)
    out = ChunkFolder(data)
    words = WordIndex()
    selections = _selections(context)
    references = _references(context)
    columns = {key: _facet_columns(context, one, references) for key, one in selections.items()}
    facets = Facets(list(dict.fromkeys(["split", *(n for c in columns.values() for n in c)])))
    items = ItemsWriter(out, words, facets)
    held: dict[tuple[str, str], _Held] = {}
    of = 0
    for key, one in sorted(selections.items(), key=lambda pair: -pair[1].rows):
        others = [there for other, there in held.items() if other[0] == one.source]
        within = _within(context, one, others)
        of += one.rows if within is None else 0
        held[key] = within or _write_selection(
            context, replace(one, shown=_room(one, items.count)), references, columns[key], items
        )
    items.close()
    steps = _ordered(context, board)
    for number, step in enumerate(steps):
        _write_answers(
            context,
            step,
            held[_key(step)],
            [score.name for score in board.scores],
            AnswersWriter(out, words, items.starts, number, STATUSES),
        )
        context.progress(number + 1, len(steps) + 1, "items")
    facts = BrowserFacts(
        name=context.recipe.name,
        title=context.recipe.title,
        access=context.access,
        competitors=competitors(context, board),
        references=references,
        items=items.count,
        of=of,
        starts=items.starts,
        facets=facets.write(out),
        words=words.write(out, items.count),
    )
    out.write("index", browser_index(facts, board))
    write_text(page, browser_html(facts))
    return [page, *out.paths]


def competitors(context: Context, board: Board) -> list[Competitor]:
    """Return the columns of answers, in the order of the leaderboard."""
    steps = _ordered(context, board)
    references = _references(context)
    titles = context.step.params["titles"]
    several = len({step.options["split"] for step in steps}) > 1
    found = []
    for step in steps:
        model, prompt = step.params["model"], step.params["prompt"]
        parts = [titles.get(model, model), prompt and f"prompt {prompt}"]
        parts.append(step.options["split"] if several else "")
        found.append(
            Competitor(
                title=", ".join(filter(None, parts)),
                kind=step.options["kind"],
                model=model,
                prompt=prompt,
                split=step.options["split"],
                reference=references.index(_reference(context, prompt)),
                answers=context.inputs[step.name].manifest.rows("generations"),
            )
        )
    return found


def _ordered(context: Context, board: Board) -> list[Step]:
    place = {(line.model, line.prompt): at for at, line in enumerate(board.lines)}
    steps = [step for step in context.plan.steps if step.stage == "generate"]
    return sorted(
        steps, key=lambda s: place.get((s.params["model"], s.params["prompt"]), len(place))
    )


def _key(step: Step) -> tuple[str, str]:
    return step.items_from, step.params["table"]


def _selections(context: Context) -> dict[tuple[str, str], _Selection]:
    found: dict[tuple[str, str], _Selection] = {}
    for step in context.plan.steps:
        if step.stage != "generate":
            continue
        key = _key(step)
        slices = context.artifacts[step.name].manifest.facts["slices"]
        rows = max((last for _, last in slices), default=0)
        before = found[key].rows if key in found else 0
        found[key] = _Selection(*key, step.options["split"], max(rows, before))
    return found


def _within(context: Context, one: _Selection, others: Sequence[_Held]) -> _Held | None:
    """Return where the items of a selection stand when a larger one of its source has them all.

    A view of a split holds the same records in the same order: each is one item of the page, so
    that answers under prompts that saw the split and its view can be read side by side.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if not others:
        return None
    table = context.inputs[one.source].read(one.table, ["item_id"])
    ids = pa.concat_arrays(table["item_id"].chunks).cast(pa.string()).slice(0, one.rows)
    for other in others:
        found = pc.index_in(ids, value_set=other.ids)
        if not found.null_count and bool((np.diff(found.to_numpy()) > 0).all()):
            return _Held(ids, other.places[found.to_numpy()])
    return None


def _room(one: _Selection, taken: int) -> int:
    return max(0, min(one.rows, MOST_ITEMS - taken))


def _reference(context: Context, prompt: str) -> str:
    own = context.recipe.prompts[prompt].reference if prompt in context.recipe.prompts else None
    return own or context.recipe.reference


def _references(context: Context) -> list[str]:
    prompts = [step.params["prompt"] for step in context.plan.steps if step.stage == "generate"]
    return list(dict.fromkeys(_reference(context, prompt) for prompt in prompts))


def _facet_columns(context: Context, one: _Selection, references: Sequence[str]) -> list[str]:
    types = _types(context.inputs[one.source], one.table)
    if "nlm_unique_id" in types:
        return [name for name in _ARTICLE_FACETS if name in types]
    texts = {"item_id", "title", context.recipe.corpus.input, *references}
    wanted = ("bool", "string", "int32", "int64", "list<")
    return [name for name, kind in types.items() if name not in texts and kind.startswith(wanted)]


def _types(artifact: Artifact, table: str) -> dict[str, str]:
    import pyarrow.parquet as pq

    for shard in artifact.shards(table):
        schema = pq.read_schema(artifact.path(shard))
        return {field.name: str(field.type) for field in schema}
    return {}


def _write_selection(
    context: Context,
    one: _Selection,
    references: Sequence[str],
    facets: Sequence[str],
    items: ItemsWriter,
) -> _Held:
    """Write the items of a selection; return their ids and places."""
    import numpy as np
    import pyarrow as pa

    artifact = context.inputs[one.source]
    given = context.recipe.corpus.input
    types = _types(artifact, one.table)
    wanted = ["item_id", "title", given, *references, *facets]
    columns = [name for name in dict.fromkeys(wanted) if name in types]
    splits = _assigned(context)
    ids: list[pa.Array] = []
    first, left = items.count, one.shown
    for batch in artifact.batches(one.table, columns, rows=_READ_ROWS):
        if not left:
            break
        batch = batch.slice(0, left)
        left -= batch.num_rows
        ids.append(batch["item_id"].cast(pa.string()))
        own = splits(ids[-1]) if splits else [one.split] * batch.num_rows
        for item, split in zip(batch.to_pylist(), own, strict=True):
            items.add(
                ItemEntry(
                    item_id=item["item_id"],
                    title=text_of(item.get("title")) or "",
                    input=text_of(item.get(given)) or "",
                    references=[text_of(item.get(name)) or "" for name in references],
                    facets={"split": split or one.split, **{n: item.get(n) for n in facets}},
                )
            )
    every = pa.concat_arrays(ids) if ids else pa.array([], pa.string())
    return _Held(every, np.arange(first, first + len(every)))


def _assigned(context: Context) -> Any:
    """Return a function from ids to the names of their splits; None without splits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    artifact = context.artifacts.get("splits")
    if artifact is None or not artifact.manifest.rows("assignment"):
        return None
    table = artifact.read("assignment", ["item_id", "split"])
    known = pa.concat_arrays(table["item_id"].chunks)
    names = pa.concat_arrays(table["split"].chunks)

    def of(ids: pa.Array) -> list[str | None]:
        found: list[str | None] = names.take(pc.index_in(ids, value_set=known)).to_pylist()
        return found

    return of


def _write_answers(
    context: Context,
    step: Step,
    held: _Held,
    scores: Sequence[str],
    writer: AnswersWriter,
) -> None:
    import numpy as np

    grid = read_scores(context, step, held.ids, scores)
    for row, place in _answers(context.inputs[step.name], held, writer):
        values, missing = grid.of(place, row["repeat"])
        writer.add(
            AnswerEntry(
                place=int(held.places[place]),
                repeat=row["repeat"],
                status=row["status"],
                answer=row["answer"],
                reason=row["reason"] or "",
                values=values,
                missing=missing,
            )
        )
    means = np.full((writer.items, len(scores)), np.nan, dtype=np.float32)
    means[held.places] = grid.means()
    writer.close(means)


def _answers(
    artifact: Artifact, held: _Held, writer: AnswersWriter
) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Yield answers with the place of their item among those held, shard after shard.

    The items of a shard follow those of the one before: blocks before its first are complete.
    """
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    columns = ["item_id", "repeat", "status", "answer", "reason"]
    for shard in artifact.shards("generations"):
        with pq.ParquetFile(artifact.path(shard)) as file:
            lowest = None
            for batch in file.iter_batches(batch_size=_READ_ROWS, columns=columns):
                places = pc.index_in(batch["item_id"], value_set=held.ids).to_pylist()
                if lowest is None:
                    lowest = min((place for place in places if place is not None), default=None)
                    if lowest is not None:
                        writer.done_before(int(held.places[lowest]))
                for row, place in zip(batch.to_pylist(), places, strict=True):
                    if place is not None:
                        yield row, place
