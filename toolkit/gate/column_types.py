"""Which Arrow types a release may hold, and how a dataset card spells them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolkit.errors import UserError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["features", "holds_text", "release_type", "type_name"]


def release_type(kind: pa.DataType, column: str) -> pa.DataType:
    """Return the type in which a column is released.

    The large, view and dictionary forms of text and lists become their plain forms, because
    ``datasets`` keeps the difference and users' feature tests then fail; a type without any
    value (Arrow's null) becomes text, because a split that does have values could not be read
    beside it. Inside lists and structs, too.

    Args:
        kind: the type at hand.
        column: name of the column, for the message.

    Raises:
        UserError: ``datasets`` has no such type.
    """
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return release_type(kind.value_type, column)
    if types.is_null(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return pa.string()
    if _is_binary(kind):
        return pa.binary()
    if types.is_fixed_size_list(kind):
        return pa.list_(release_type(kind.value_type, column), kind.list_size)
    if _is_list(kind):
        return pa.list_(release_type(kind.value_type, column))
    if types.is_struct(kind) and kind.num_fields:
        return pa.struct([(field.name, release_type(field.type, column)) for field in kind])
    if _is_value(kind) or types.is_string(kind):
        return kind
    raise UserError(
        f"the column '{column}' has the type {kind}, which datasets cannot load",
        hint="leave it out with corpus.fields, or store it as text or as a list of structs",
    )


def holds_text(kind: pa.DataType) -> bool:
    """Return whether values of a type can hold text (or bytes), at any depth."""
    import pyarrow as pa

    types = pa.types
    if types.is_struct(kind):
        return any(holds_text(field.type) for field in kind)
    if _is_list(kind) or types.is_fixed_size_list(kind) or types.is_dictionary(kind):
        return holds_text(kind.value_type)
    return not _is_value(kind)


def features(schema: pa.Schema) -> list[dict[str, Any]]:
    """Return the columns as the card's ``dataset_info.features`` spells them.

    Args:
        schema: columns of types that :func:`release_type` returns.
    """
    return [{"name": field.name, **_feature(field.type)} for field in schema]


def type_name(kind: pa.DataType) -> str:
    """Return a type for people: ``list<string>``, ``struct<label: string>``."""
    import pyarrow as pa

    if pa.types.is_struct(kind):
        parts = ", ".join(f"{field.name}: {type_name(field.type)}" for field in kind)
        return f"struct<{parts}>"
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        return f"list<{type_name(kind.value_type)}>"
    return _dtype(kind)


def _feature(kind: pa.DataType) -> dict[str, Any]:
    import pyarrow as pa

    types = pa.types
    if types.is_struct(kind):
        return {"struct": [{"name": field.name, **_feature(field.type)} for field in kind]}
    if types.is_list(kind) or types.is_fixed_size_list(kind):
        inner = _feature(kind.value_type)
        # The short forms: `list: string` for {dtype: string}, `list: [...]` for {struct: [...]}.
        short = next(iter(inner.values())) if set(inner) in ({"dtype"}, {"struct"}) else inner
        length = {"length": kind.list_size} if types.is_fixed_size_list(kind) else {}
        return {"list": short, **length}
    return {"dtype": _dtype(kind)}


def _dtype(kind: pa.DataType) -> str:
    import pyarrow as pa

    names = {pa.float16(): "float16", pa.float32(): "float32", pa.float64(): "float64"}
    names |= {pa.date32(): "date32", pa.date64(): "date64"}
    return names.get(kind, str(kind))


def _is_value(kind: pa.DataType) -> bool:
    """Return whether a type holds a number, a truth value or a time that ``datasets`` knows."""
    import pyarrow as pa

    types = pa.types
    decimal = types.is_decimal128(kind) or types.is_decimal256(kind)
    return bool(decimal or (types.is_primitive(kind) and not types.is_interval(kind)))


def _is_binary(kind: pa.DataType) -> bool:
    import pyarrow as pa

    types = pa.types
    return bool(
        types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_binary_view(kind)
        or types.is_fixed_size_binary(kind)
    )


def _is_list(kind: pa.DataType) -> bool:
    import pyarrow as pa

    types = pa.types
    return bool(
        types.is_list(kind)
        or types.is_large_list(kind)
        or types.is_list_view(kind)
        or types.is_large_list_view(kind)
    )
