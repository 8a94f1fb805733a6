"""Arrow types that load for everybody, the same in every split of a configuration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolkit.gate.base import Finding, Policy
from toolkit.gate.outgoing import Outgoing, parquet_place

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["check", "unfit"]

_HINT = "write it with an explicit plain type, as `toolkit run` does"
_AGREE = "give the column one name and type in every split"


def check(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    """Refuse types that break or change a load, and splits whose columns differ.

    Seen with datasets 5.2.0: a null type in the first split breaks the others, a map has no
    counterpart, ``large_string`` breaks users' feature tests, another type in a later split is
    an error or, worse, cast in silence.
    """
    first: dict[str, tuple[str, pa.Schema]] = {}
    schemas = outgoing.schemas
    for name, problem in sorted(outgoing.unreadable.items()):
        yield Finding("schemas", name, f"not a Parquet file: {problem}", "make the release again")
    for name, schema in sorted(schemas.items()):
        for field in schema:
            for path, kind in unfit(field.name, field.type):
                yield Finding("schemas", name, f"the column '{path}' has the type {kind}", _HINT)
        if len(set(schema.names)) != len(schema.names):
            yield Finding("schemas", name, "two columns have the same name", "rename one")
        config, _ = parquet_place(name)
        other, known = first.setdefault(config, (name, schema))
        yield from _differences(name, schema, other, known)


def unfit(path: str, kind: pa.DataType) -> Iterator[tuple[str, pa.DataType]]:
    """Yield (path, type) of each type inside a column that must not be released."""
    import pyarrow as pa

    types = pa.types
    if types.is_struct(kind):
        if kind.num_fields == 0:
            yield path, kind
        for field in kind:
            yield from unfit(f"{path}.{field.name}", field.type)
    elif types.is_list(kind) or types.is_fixed_size_list(kind):
        yield from unfit(f"{path}[]", kind.value_type)
    elif not _plain(kind):
        yield path, kind


def _plain(kind: pa.DataType) -> bool:
    import pyarrow as pa

    types = pa.types
    if types.is_null(kind) or types.is_interval(kind):
        return False
    number = types.is_primitive(kind) or types.is_decimal128(kind) or types.is_decimal256(kind)
    return bool(number or types.is_string(kind) or types.is_binary(kind))


def _differences(name: str, schema: pa.Schema, other: str, known: pa.Schema) -> Iterator[Finding]:
    mine = {field.name: field.type for field in schema}
    theirs = {field.name: field.type for field in known}
    for column in sorted(mine.keys() | theirs.keys()):
        if mine.get(column) != theirs.get(column):
            message = (
                f"the column '{column}' is {_type(mine.get(column))}, and "
                f"{_type(theirs.get(column))} in {other}"
            )
            yield Finding("schemas", name, message, _AGREE)


def _type(kind: pa.DataType | None) -> str:
    return "absent" if kind is None else str(kind)
