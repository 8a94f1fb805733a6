"""Articles as an Arrow record batch of the declared schema.

Nested columns are built from flat lists and offsets: several times as fast as handing Arrow a
dictionary for each section.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from toolkit.corpus.article import Article, Correction, OtherAbstract, Section
from toolkit.records import arrow_schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["to_record_batch"]


def to_record_batch(articles: Sequence[Article]) -> pa.RecordBatch:
    """Build one batch in the schema of the ``articles`` table, rows in the order given."""
    import pyarrow as pa

    schema = arrow_schema("articles")
    columns = (
        dict(zip(Article._fields, zip(*articles, strict=True), strict=True)) if articles else {}
    )
    nested = {
        "sections": _sections(article.sections for article in articles),
        "other_abstracts": _other_abstracts(article.other_abstracts for article in articles),
        "corrections": _corrections(article.corrections for article in articles),
    }
    arrays = [
        nested[column.name]
        if column.name in nested
        else pa.array(list(columns.get(column.name, ())), column.type)
        for column in schema
    ]
    return pa.record_batch(arrays, schema=schema)


def _offsets(rows: Iterable[Sequence[object]]) -> pa.Array:
    import pyarrow as pa

    return pa.array(accumulate((len(row) for row in rows), initial=0), pa.int32())


def _sections(rows: Iterable[list[Section]]) -> pa.Array:
    import pyarrow as pa

    lists = list(rows)
    flat = [section for row in lists for section in row]
    struct = pa.StructArray.from_arrays(
        [pa.array(column, pa.string()) for column in _columns(flat, 3)], Section._fields
    )
    return pa.ListArray.from_arrays(_offsets(lists), struct)


def _other_abstracts(rows: Iterable[list[OtherAbstract]]) -> pa.Array:
    import pyarrow as pa

    lists = list(rows)
    flat = [other for row in lists for other in row]
    struct = pa.StructArray.from_arrays(
        [
            pa.array([other.type for other in flat], pa.string()),
            pa.array([other.language for other in flat], pa.string()),
            _sections(other.sections for other in flat),
        ],
        OtherAbstract._fields,
    )
    return pa.ListArray.from_arrays(_offsets(lists), struct)


def _corrections(rows: Iterable[list[Correction]]) -> pa.Array:
    import pyarrow as pa

    lists = list(rows)
    flat = [correction for row in lists for correction in row]
    struct = pa.StructArray.from_arrays(
        [pa.array(column, pa.string()) for column in _columns(flat, 2)], Correction._fields
    )
    return pa.ListArray.from_arrays(_offsets(lists), struct)


def _columns(rows: Sequence[tuple[str | None, ...]], width: int) -> list[list[str | None]]:
    return [[row[index] for row in rows] for index in range(width)]
