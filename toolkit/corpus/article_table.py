"""Articles as an Arrow record batch of the declared schema.

Columns are built with Arrow's string builder and from buffers, not with ``pyarrow.array``: that
function imports pandas wherever it is installed (a quarter of a CPU second and 60 MB in each
worker), and makes slow work of nested columns.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, Final

from toolkit.corpus.article import Article, Correction, OtherAbstract, Section
from toolkit.records import arrow_schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["to_record_batch"]


def to_record_batch(articles: Sequence[Article]) -> pa.RecordBatch:
    """Build one batch in the schema of the ``articles`` table, rows in the order given."""
    import pyarrow as pa

    schema = _schema()
    columns: Iterable[Sequence[Any]] = (
        zip(*articles, strict=True) if articles else [()] * len(schema)
    )
    arrays = [
        (_NESTED.get(field.name) or _FLAT[str(field.type)])(values)
        for field, values in zip(schema, columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


@cache
def _schema() -> pa.Schema:
    return arrow_schema("articles")


def _strings(values: Iterable[str | None]) -> pa.Array:
    from pyarrow.lib import StringBuilder

    builder = StringBuilder()
    builder.append_values(values)
    return builder.finish()


def _integers(values: Sequence[int | None]) -> pa.Array:
    import pyarrow as pa

    data = array("i", [value or 0 for value in values])
    valid = _bits([value is not None for value in values])
    return pa.Array.from_buffers(pa.int32(), len(values), [valid, pa.py_buffer(data)])


def _booleans(values: Sequence[bool]) -> pa.Array:
    import pyarrow as pa

    return pa.Array.from_buffers(pa.bool_(), len(values), [None, _bits(values)])


def _bits(values: Sequence[bool]) -> pa.Buffer:
    """Pack truth values as Arrow does: eight to a byte, the first in the lowest bit."""
    import pyarrow as pa

    digits = "".join(["1" if value else "0" for value in reversed(values)])
    return pa.py_buffer(int(digits or "0", 2).to_bytes(len(values) // 8 + 1, "little"))


def _lists(rows: Sequence[Sequence[object]], items: pa.Array) -> pa.Array:
    import pyarrow as pa

    ends = array("i", accumulate((len(row) for row in rows), initial=0))
    offsets = pa.Array.from_buffers(pa.int32(), len(ends), [None, pa.py_buffer(ends)])
    return pa.ListArray.from_arrays(offsets, items)


def _string_lists(rows: Sequence[list[str]]) -> pa.Array:
    return _lists(rows, _strings(chain.from_iterable(rows)))


def _sections(rows: Sequence[list[Section]]) -> pa.Array:
    import pyarrow as pa

    flat = list(chain.from_iterable(rows))
    columns = [_strings([section[index] for section in flat]) for index in range(3)]
    return _lists(rows, pa.StructArray.from_arrays(columns, list(Section._fields)))


def _other_abstracts(rows: Sequence[list[OtherAbstract]]) -> pa.Array:
    import pyarrow as pa

    flat = list(chain.from_iterable(rows))
    columns = [
        _strings([other.type for other in flat]),
        _strings([other.language for other in flat]),
        _sections([other.sections for other in flat]),
    ]
    return _lists(rows, pa.StructArray.from_arrays(columns, list(OtherAbstract._fields)))


def _corrections(rows: Sequence[list[Correction]]) -> pa.Array:
    import pyarrow as pa

    flat = list(chain.from_iterable(rows))
    columns = [_strings([correction[index] for correction in flat]) for index in range(2)]
    return _lists(rows, pa.StructArray.from_arrays(columns, list(Correction._fields)))


_FLAT: Final[dict[str, Callable[[Any], pa.Array]]] = {
    "bool": _booleans,
    "int32": _integers,
    "list<item: string>": _string_lists,
    "string": _strings,
}
_NESTED: Final[dict[str, Callable[[Any], pa.Array]]] = {
    "corrections": _corrections,
    "other_abstracts": _other_abstracts,
    "sections": _sections,
}
