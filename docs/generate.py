"""Write the pages of ``docs/reference`` from what the program itself knows.

``python docs/generate.py`` writes them; a test compares what would be written with what stands
there. The recipe's keys come from the public JSON Schema, members from the registry, commands
from the command line's own declarations.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click

from toolkit.cli.main import cli
from toolkit.metrics.base import ScoreDefinition
from toolkit.models.profiles import PROFILES, Profile
from toolkit.recipe.language import member_schema, recipe_schema
from toolkit.registry import Kind, is_built, member, names, params_class

__all__ = ["REFERENCE", "main", "pages"]

REFERENCE: Final = Path(__file__).resolve().parent / "reference"

_MADE: Final = "<!-- Made by docs/generate.py: change the program, then run `make docs`. -->"
_MEMBERS: Final[dict[str, Kind]] = {
    "corpus": "sources",
    "models": "models",
    "judges": "judges",
}
_UNBUILT: Final = "Checked by this version, not run yet."


def main() -> None:
    """Write all pages."""
    REFERENCE.mkdir(exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """Return the text of each page by its file name."""
    return {
        "analyses.md": _analyses_page(),
        "cli.md": _cli_page(),
        "metrics.md": _metrics_page(),
        "profiles.md": _profiles_page(),
        "recipe.md": _recipe_page(),
        # Recipes name this file in their first lines, so that editors complete them.
        "recipe.schema.json": json.dumps(recipe_schema(), indent=2, ensure_ascii=False) + "\n",
    }


def _cli_page() -> str:
    lines = ["# Commands", "", _MADE, "", *_command_body(cli, "toolkit")]
    context = click.Context(cli, info_name="toolkit")
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        if command is None:
            raise LookupError(f"the command line lists '{name}' and does not have it")
        lines += _command(command, f"toolkit {name}", context)
    return _finish(lines)


def _command(command: click.Command, path: str, parent: click.Context) -> list[str]:
    lines = [f"## {path}", "", *_command_body(command, path, parent)]
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path, parent=parent)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                lines += _command(inner, f"{path} {name}", context)
    return lines


def _command_body(
    command: click.Command, path: str, parent: click.Context | None = None
) -> list[str]:
    context = click.Context(command, info_name=path, parent=parent)
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    lines = ["```", usage, "```", "", _prose(command.help), ""]
    records = [
        record
        for param in command.get_params(context)
        if isinstance(param, click.Option)
        and param is not command.get_help_option(context)
        and (record := param.get_help_record(context)) is not None
    ]
    if records:
        lines += _table(("option", "meaning"), [(f"`{name}`", text) for name, text in records])
    return lines


def _metrics_page() -> str:
    lines = ["# Metrics", "", _MADE, "", "How to read them: [Metrics](../metrics.md).", ""]
    for name in names("metrics"):
        lines += _member("metrics", name, level=2)
    return _finish(lines)


def _analyses_page() -> str:
    lines = [
        "# Analyses", "", _MADE, "",
        "Which answers which question: [Statistics](../statistics.md), "
        "[Figures](../figures.md), [Subgroups](../subgroups.md), [Agreement](../agreement.md).", "",
    ]  # fmt: skip
    for name in names("analyses"):
        lines += _member("analyses", name, level=2)
    return _finish(lines)


def _profiles_page() -> str:
    head = ("profile", "address", "key", "limit", "JSON by schema", "effort", "thinking: off",
            "ignored", "batch", "completions")  # fmt: skip
    lines = [
        "# Profiles of servers", "", _MADE, "",
        "How `openai_compatible` spells a request: [Models](../models.md).", "",
        *_table(head, [_profile_row(name, profile) for name, profile in PROFILES.items()]),
        "## Models with rules of their own", "",
        "A name belongs to a family when the whole of it matches.", "",
    ]  # fmt: skip
    shared: dict[tuple[str, ...], list[str]] = {}
    for name, profile in PROFILES.items():
        for family in profile.families:
            refused = [*sorted(family.refused)] + (["thinking: off"] if family.thinks else [])
            row = (_code(family.pattern), family.why, ", ".join(map(_code, refused)))
            shared.setdefault(row, []).append(name)
    rows = [(*row[:1], ", ".join(found), *row[1:]) for row, found in shared.items()]
    lines += _table(("names", "profiles", "temperature and top_p", "refused, too"), rows)
    return _finish(lines)


def _profile_row(name: str, profile: Profile) -> tuple[str, ...]:
    off = profile.thinking_off
    ignored = [_code(key) for key in sorted(profile.ignored)]
    if profile.highest_temperature is not None:
        ignored.append(f"`temperature` above {profile.highest_temperature:g}")
    return (
        _code(name),
        profile.base_url or "`base_url`",
        f"{_code(profile.key_header)}" if profile.key_header != "Authorization" else "bearer token",
        _code(profile.max_tokens),
        profile.structured if profile.structured == "none" else _code(profile.structured),
        "none" if profile.effort == "none" else _code(profile.effort),
        "refused" if off is None else _code(json.dumps(off)) if off else "it is the default",
        ", ".join(ignored),
        "yes" if profile.batch else "no",
        "yes" if profile.completions else "no",
    )


def _code(text: str) -> str:
    return f"`{text}`"


def _recipe_page() -> str:
    properties: dict[str, dict[str, Any]] = recipe_schema()["properties"]
    lines = [
        "# Keys of a recipe", "", _MADE, "",
        "The same as JSON Schema, for editors: [recipe.schema.json](recipe.schema.json), which "
        "`toolkit schema` prints. A dot goes one level down; "
        "`*` stands for a name of your choice.", "",
    ]  # fmt: skip
    plain = {key: value for key, value in properties.items() if not _is_section(key, value)}
    lines += _keys({"properties": plain, "required": recipe_schema()["required"]})
    for key, schema in properties.items():
        if key not in plain:
            lines += _section(key, schema)
    return _finish(lines)


def _is_section(key: str, schema: dict[str, Any]) -> bool:
    return key in ("metrics", "analyses") or "object" in schema["type"]


def _section(key: str, schema: dict[str, Any]) -> list[str]:
    lines = [f"## {key}", ""]
    if key == "metrics":
        return [*lines, "A list of names, or of `{name: parameters}`: [Metrics](metrics.md).", ""]
    if key == "analyses":
        return [*lines, "A list of names, or of `{name: parameters}`: [Analyses](analyses.md).", ""]
    if _told_apart(schema):
        lines += _shared_keys(schema)
    else:
        lines += _keys(schema)
    if key in _MEMBERS:
        for name in names(_MEMBERS[key]):
            lines += _member(_MEMBERS[key], name)
    return lines


def _told_apart(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a section that holds one branch for each member, or {}."""
    for part in (schema, schema.get("additionalProperties")):
        if isinstance(part, dict) and "allOf" in part:
            return part
    return {}


def _shared_keys(schema: dict[str, Any]) -> list[str]:
    told_apart = _told_apart(schema)
    branches = [branch["then"] for branch in told_apart["allOf"]]
    first = branches[0]["properties"]
    common = {
        name: value
        for name, value in first.items()
        if all(branch["properties"].get(name) == value for branch in branches)
    }
    own = {
        name: {"description": "each is described below", **value}
        for name, value in told_apart["properties"].items()
    }
    required = set.intersection(*(set(branch["required"]) for branch in branches))
    inner = {
        "properties": {**common, **own},
        "required": sorted(required | set(told_apart.get("required", []))),
    }
    return _keys(inner if told_apart is schema else {"additionalProperties": inner})


def _member(kind: Kind, name: str, *, level: int = 3) -> list[str]:
    built = is_built(kind, name)
    documented: Any = member(kind, name) if built else params_class(kind, name)
    lines = ["#" * level + f" {name}", "", _prose(documented.__doc__), ""]
    if not built:
        lines += [_UNBUILT, ""]
    schema = member_schema(kind, name)
    if schema["properties"]:
        lines += _keys(schema)
    if built and kind == "metrics":
        metric = documented(documented.Params())
        lines += _scores(metric.definitions())
    return lines


def _scores(definitions: tuple[ScoreDefinition, ...]) -> list[str]:
    rows = [(f"`{item.name}`", item.title, _range(item), _direction(item)) for item in definitions]
    return _table(("score", "title", "range", "better"), rows)


def _range(item: ScoreDefinition) -> str:
    low = "-inf" if item.low is None else f"{item.low:g}"
    high = "inf" if item.high is None else f"{item.high:g}"
    return f"{low} to {high}"


def _direction(item: ScoreDefinition) -> str:
    return f"near {item.target:g}" if item.direction == "target" else item.direction


def _keys(schema: dict[str, Any]) -> list[str]:
    rows = [
        (f"`{path}`", _type(value), _default(value, required), value.get("description", ""))
        for path, value, required in _walk(schema, "")
    ]
    return _table(("key", "value", "default", "meaning"), rows)


def _walk(schema: dict[str, Any], prefix: str) -> Iterator[tuple[str, dict[str, Any], bool]]:
    required = schema.get("required", [])
    for key, value in schema.get("properties", {}).items():
        yield f"{prefix}{key}", value, key in required
        yield from _walk_inside(value, f"{prefix}{key}")
    if not prefix or not schema.get("properties"):
        yield from _walk_inside({k: v for k, v in schema.items() if k != "properties"}, prefix)


def _walk_inside(schema: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any], bool]]:
    if schema.get("properties"):
        yield from _walk({"properties": schema["properties"], **_required(schema)}, f"{path}.")
    inner = _inner(schema)
    if inner:
        star = "*." if isinstance(schema.get("additionalProperties"), dict) else ""
        dot = "." if path and not path.endswith(".") else ""
        yield from _walk({"properties": inner["properties"], **_required(inner)}, path + dot + star)


def _inner(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the object that the values of a map or the elements of a list are, or {}."""
    for part in (schema.get("additionalProperties"), schema.get("items"), schema.get("then")):
        if isinstance(part, dict):
            if part.get("properties"):
                return part
            found = _inner(part)
            if found:
                return found
    return {}


def _required(schema: dict[str, Any]) -> dict[str, Any]:
    return {"required": schema.get("required", [])}


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{_yaml(value)}`" for value in schema["enum"] if value is not None)
    if "prefixItems" in schema:
        return "[" + ", ".join(_type(item) for item in schema["prefixItems"]) + "]"
    if "if" in schema and "then" in schema:
        return _alternatives(schema)
    kinds = schema.get("type", "anything")
    words = [
        _one_type(kind, schema)
        for kind in ([kinds] if isinstance(kinds, str) else kinds)
        if kind != "null"
    ]
    return " or ".join(words) + _bounds(schema)


def _alternatives(schema: dict[str, Any]) -> str:
    alone, several = schema["then"], schema["else"]
    if schema["if"].get("type") == "array":
        alone, several = schema["else"], schema["then"]
    one = _type({"type": "object", **alone}) if alone.get("properties") else _type(alone)
    inner = several.get("items", several)
    return one + (", or a list of them" if inner == alone or "items" in several else "")


def _one_type(kind: str, schema: dict[str, Any]) -> str:
    if kind == "array":
        items = schema.get("items")
        return "list" + (f" of {_type(items)}" if isinstance(items, dict) and items else "")
    if kind == "object":
        values = schema.get("additionalProperties")
        if isinstance(values, dict) and values and not values.get("properties"):
            return f"name: {_type(values)}"
        return "keys"
    return {"string": "text", "integer": "whole number", "boolean": "true or false"}.get(kind, kind)


def _bounds(schema: dict[str, Any]) -> str:
    if schema.get("type") == "object":
        return ""
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f", {low:.12g} to {high:.12g}"
    if low is not None:
        return f", at least {low:.12g}"
    return f", at most {high:.12g}" if high is not None else ""


def _default(schema: dict[str, Any], required: bool) -> str:
    if required:
        return "**required**"
    return f"`{_yaml(schema['default'])}`" if "default" in schema else ""


def _yaml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) or '""'


def _prose(text: str | None) -> str:
    return inspect.cleandoc(text or "").replace("``", "`")


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        cells = (" ".join(cell.split()).replace("|", "\\|") for cell in row)
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def _finish(lines: list[str]) -> str:
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    main()
