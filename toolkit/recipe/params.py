"""Frozen dataclasses as the one source of a recipe's keys: JSON Schema out, instances in.

Field types may be ``str, int, float, bool, Literal[...], tuple[T, ...], X | None,
Mapping[str, T], Any`` and nested frozen dataclasses. A field's metadata may hold

- ``about``: what it means, for the schema and the reference pages;
- ``minimum``, ``maximum``, ``pattern``: bounds of a value;
- ``scalar``: True where a list may be written as a single value;
- ``path``: True where values are files or globs relative to the recipe;
- ``cosmetic``: True where a value can never change a result, such as a timeout.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal, get_args, get_origin

__all__ = ["build", "canonical_params", "json_schema", "key_of", "path_values", "type_hints"]

_SCALARS: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def json_schema(cls: type) -> dict[str, Any]:
    """Return the closed JSON Schema of a parameters dataclass.

    Raises:
        TypeError: a field has a type that recipes do not know.
    """
    properties: dict[str, Any] = {}
    required: list[str] = []
    hints = type_hints(cls)
    for field in dataclasses.fields(cls):
        properties[key_of(field.name)] = _field_schema(field, hints[field.name])
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            required.append(key_of(field.name))
    schema: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
    if required:
        schema["required"] = required
    return schema


@cache
def type_hints(cls: type) -> Mapping[str, Any]:
    """Return the resolved types of a dataclass's fields."""
    return typing.get_type_hints(cls)


def build(cls: type, data: Mapping[str, Any]) -> Any:
    """Make an instance from data that has passed :func:`json_schema`.

    Args:
        cls: the dataclass.
        data: the mapping of the recipe.
    """
    hints = type_hints(cls)
    fields = {key_of(name): name for name in hints}
    return cls(**{fields[key]: _convert(hints[fields[key]], value) for key, value in data.items()})


def key_of(name: str) -> str:
    """Return the recipe key of a field; ``from_`` is written ``from``."""
    return name.removesuffix("_")


def path_values(cls: type, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield (path inside ``data``, text) of every value that names files.

    Args:
        cls: the dataclass.
        data: the mapping of the recipe; may still be faulty.
    """
    hints = type_hints(cls)
    for field in dataclasses.fields(cls):
        key = key_of(field.name)
        if key not in data:
            continue
        if field.metadata.get("path"):
            yield from _texts(data[key], (key,))
        else:
            yield from _nested_paths(hints[field.name], data[key], (key,))


def canonical_params(instance: Any) -> dict[str, Any]:
    """Return the values that can change a result, as JSON; values that are paths are left out.

    Paths are left out because files count by their content, wherever they lie.
    """
    result: dict[str, Any] = {}
    for field in dataclasses.fields(instance):
        if field.metadata.get("path") or field.metadata.get("cosmetic"):
            continue
        result[field.name] = _plain(getattr(instance, field.name))
    return result


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return canonical_params(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _field_schema(field: dataclasses.Field[Any], hint: Any) -> dict[str, Any]:
    schema = _type_schema(hint)
    metadata = field.metadata
    inner = schema["items"] if schema.get("type") == "array" else schema
    for key in ("minimum", "maximum", "pattern"):
        if key in metadata:
            inner[key] = metadata[key]
    if metadata.get("scalar"):
        # One value or a list of them, told apart by type alone: no oneOf, no vague message.
        item = schema["items"]
        schema = {"if": {"type": "array"}, "then": {"items": item}, "else": item}
    if "about" in metadata:
        schema = {"description": metadata["about"], **schema}
    default = field.default
    if default is not dataclasses.MISSING and isinstance(default, str | int | float | bool):
        schema = {**schema, "default": default}
    return schema


def _type_schema(hint: Any) -> dict[str, Any]:
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if hint is Any:
        return {}
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (typing.Union, types.UnionType):
        return _union_schema(args)
    if origin is tuple:
        return _tuple_schema(args)
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _type_schema(args[1])}
    if dataclasses.is_dataclass(hint):
        return json_schema(typing.cast(type, hint))
    raise TypeError(f"a recipe cannot hold the type {hint!r}")


def _tuple_schema(args: tuple[Any, ...]) -> dict[str, Any]:
    if len(args) == 2 and args[1] is Ellipsis:
        return {"type": "array", "items": _type_schema(args[0])}
    kinds = [_type_schema(arg) for arg in args]
    return {
        "type": "array",
        "prefixItems": kinds,
        "items": False,
        "minItems": len(kinds),
        "maxItems": len(kinds),
    }


def _union_schema(args: tuple[Any, ...]) -> dict[str, Any]:
    parts = [_type_schema(arg) for arg in args if arg is not type(None)]
    merged: dict[str, Any] = {}
    kinds: list[str] = []
    for part in parts:
        kind = part.get("type", "string" if "enum" in part else None)
        if kind is None:
            return {}
        kinds.append(kind)
        merged.update({key: value for key, value in part.items() if key != "type"})
    if type(None) in args:
        kinds.append("null")
        if "enum" in merged:
            merged["enum"] = [*merged["enum"], None]
    return {"type": kinds if len(kinds) > 1 else kinds[0], **merged}


def _convert(hint: Any, value: Any) -> Any:
    origin, args = get_origin(hint), get_args(hint)
    if value is None or hint is Any:
        return value
    if origin in (typing.Union, types.UnionType):
        return _convert_union(args, value)
    if origin is tuple:
        values = value if isinstance(value, list) else [value]
        kinds = [args[0]] * len(values) if args[-1] is Ellipsis else args
        return tuple(_convert(kind, item) for kind, item in zip(kinds, values, strict=True))
    if origin is not None and origin is not Literal and issubclass(origin, Mapping):
        return {key: _convert(args[1], item) for key, item in value.items()}
    if dataclasses.is_dataclass(hint):
        return build(typing.cast(type, hint), value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def _convert_union(args: tuple[Any, ...], value: Any) -> Any:
    for arg in args:
        kind = get_origin(arg) or arg
        if isinstance(value, dict) and (dataclasses.is_dataclass(arg) or kind is Mapping):
            return _convert(arg, value)
        if isinstance(value, dict) and isinstance(kind, type) and issubclass(kind, Mapping):
            return _convert(arg, value)
        if isinstance(value, list) and kind is tuple:
            return _convert(arg, value)
    if float in args and int not in args:
        return _convert(float, value)
    return value


def _texts(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, (*path, key))


def _nested_paths(
    hint: Any, value: Any, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    origin, args = get_origin(hint), get_args(hint)
    if dataclasses.is_dataclass(hint) and isinstance(value, dict):
        for inner, text in path_values(typing.cast(type, hint), value):
            yield (*path, *inner), text
    elif origin in (typing.Union, types.UnionType):
        for arg in args:
            yield from _nested_paths(arg, value, path)
    elif origin is tuple and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _nested_paths(args[0], item, (*path, index))
    elif isinstance(value, dict) and args and len(args) == 2:
        for key, item in value.items():
            yield from _nested_paths(args[1], item, (*path, key))
