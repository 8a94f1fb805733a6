"""The texts of a table, however deep they stand, with the rows they stand in; bytes, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

__all__ = ["Texts", "matches", "table_texts"]


@dataclass(frozen=True, slots=True)
class Texts:
    """The values of a text column, or of a text inside a list or a struct.

    Attributes:
        column: its path, e.g. ``sections.text``.
        values: the texts, an Arrow array of strings or bytes.
        rows: number of each text's row in the table, from 0.
    """

    column: str
    values: pa.Array
    rows: npt.NDArray[np.int64]


def table_texts(table: pa.Table) -> tuple[Texts, ...]:
    """Return every text of a table, column by column."""
    import numpy as np

    rows = np.arange(table.num_rows, dtype=np.int64)
    found: list[Texts] = []
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        found += _texts(name, column, rows)
    return tuple(found)


def matches(texts: Texts, pattern: str) -> Iterator[tuple[int, str]]:
    """Yield (row, text) of the texts that an RE2 pattern is found in."""
    import numpy as np
    import pyarrow.compute as pc

    if len(texts.values) == 0:
        return
    hit = pc.fill_null(pc.match_substring_regex(texts.values, pattern), False)
    for at in np.flatnonzero(hit.to_numpy(zero_copy_only=False)):
        found = texts.values[int(at)].as_py()
        text = found if isinstance(found, str) else found.decode("utf-8", "replace")
        yield int(texts.rows[at]), text


def _texts(path: str, array: pa.Array, rows: npt.NDArray[np.int64]) -> Iterator[Texts]:
    import pyarrow as pa
    import pyarrow.compute as pc

    types = pa.types
    kind = array.type
    if types.is_dictionary(kind):
        array = array.dictionary_decode()
        kind = array.type
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        yield Texts(path, array.cast(pa.large_string()), rows)
    elif types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        yield Texts(path, array.cast(pa.large_binary()), rows)
    elif types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        parents = pc.list_parent_indices(array).to_numpy()
        yield from _texts(path, pc.list_flatten(array), rows[parents])
    elif types.is_struct(kind):
        for field, values in zip(kind, array.flatten(), strict=True):
            yield from _texts(f"{path}.{field.name}", values, rows)
