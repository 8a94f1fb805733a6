"""Turn what jsonschema finds into faults a person can act on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolkit.errors import Fault, suggest
from toolkit.recipe.strict_yaml import Mark, Path

__all__ = ["Places", "dotted", "schema_faults"]


class Places:
    """Where the values of a resolved recipe stand, over all files it was put together from."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.values: dict[Path, Mark] = {}
        self.keys: dict[Path, Mark] = {}

    def fault(self, path: Path, reason: str, suggestion: str = "", *, key: bool = False) -> Fault:
        """Make a fault at the value (or its key) nearest to ``path``."""
        mark = self.keys.get(path) if key else None
        for end in range(len(path), -1, -1):
            mark = mark or self.values.get(path[:end])
        mark = mark or Mark(self._file, 1, 1)
        return Fault(mark.file, mark.line, mark.column, dotted(path), reason, suggestion)


def dotted(path: Path) -> str:
    """Write a path as people do: ``models.gpt.stop[0]``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def schema_faults(
    data: Any, schema: Mapping[str, Any], places: Places, path: Path = ()
) -> list[Fault]:
    """Return every fault of ``data``, which stands at ``path``, against ``schema``, in no order."""
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(dict(schema))
    found: dict[tuple[Path, str], Fault] = {}
    for error in validator.iter_errors(data):
        # jsonschema reports a bad name as a broken pattern of the mapping it stands in.
        named = "propertyNames" in list(error.schema_path)[-2:-1]
        broken = _Broken(
            (*path, *error.absolute_path),
            "propertyNames" if named else str(error.validator),
            error.validator_value,
            error.instance,
            error.schema if isinstance(error.schema, dict) else {},
            error.message,
        )
        for fault in _faults(broken, places):
            found.setdefault((broken.path, fault.reason), fault)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _Broken:
    """What jsonschema says of one fault, with plain types."""

    path: Path
    rule: str
    wanted: Any
    instance: Any
    schema: dict[str, Any]
    message: str


def _faults(error: _Broken, places: Places) -> Iterator[Fault]:
    path = error.path
    if error.rule == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        for extra in sorted(set(error.instance) - set(known)):
            yield places.fault(
                (*path, extra), f"unknown key '{extra}'", suggest(extra, known), key=True
            )
    elif error.rule == "required":
        missing = [name for name in error.wanted if name not in error.instance]
        # One error comes for each missing key; only its own is reported.
        names = [name for name in missing if error.message.startswith(repr(name))]
        for name in names:
            yield places.fault(path, f"key '{name}' is missing", _about(error, name), key=True)
    elif error.rule == "propertyNames":
        yield places.fault(
            (*path, error.instance),
            f"name '{error.instance}' may hold only letters, digits and _",
            key=True,
        )
    else:
        yield places.fault(path, *_reason(error))


def _about(error: _Broken, name: str) -> str:
    about = error.schema.get("properties", {}).get(name, {}).get("description", "")
    return f"add it: {about}" if about else "add it"


def _reason(error: _Broken) -> tuple[str, str]:
    instance, wanted = error.instance, error.wanted
    if error.rule == "type":
        return _type_reason(instance, wanted if isinstance(wanted, list) else [wanted])
    if error.rule in ("enum", "const"):
        known = [
            str(value)
            for value in (wanted if isinstance(wanted, list) else [wanted])
            if value is not None
        ]
        return f"{_shown(instance)} is not one of: {', '.join(known)}", (
            suggest(instance, known) if isinstance(instance, str) else ""
        )
    if error.rule == "minimum":
        return f"{_shown(instance)} is below the minimum {wanted}", ""
    if error.rule == "maximum":
        return f"{_shown(instance)} is above the maximum {wanted}", ""
    if error.rule == "pattern":
        about = error.schema.get("description", "")
        return f"{_shown(instance)} does not have the form {wanted}", about
    if error.rule == "anyOf":
        return "write `type:`, or `extends:` another judge", ""
    if error.rule in ("minItems", "maxItems"):
        return f"wants {wanted} values, has {len(instance)}", ""
    if error.rule in ("minProperties", "maxProperties"):
        return "wants exactly one name with its parameters", "write `- name: {key: value}`"
    return error.message, ""


_NAMES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}


def _type_reason(instance: Any, wanted: list[str]) -> tuple[str, str]:
    names = [_NAMES[kind] for kind in wanted]
    reason = f"{_shown(instance)} is not {' or '.join(names)}"
    if "boolean" in wanted and str(instance).lower() in ("yes", "on", "no", "off"):
        truth = "true" if str(instance).lower() in ("yes", "on") else "false"
        return reason, f"write {truth}"
    if "string" in wanted and isinstance(instance, int | float):
        return reason, f'put it in quotes: "{instance}"'
    if isinstance(instance, dict) and len(instance) == 1 and next(iter(instance.values())) is None:
        return reason, f'braces make a mapping; put it in quotes: "{{{next(iter(instance))}}}"'
    return reason, ""


def _shown(value: Any) -> str:
    text = (
        {True: "true", False: "false", None: "null"}.get(value)
        if isinstance(value, bool | None)
        else None
    )
    text = text or (f"'{value}'" if isinstance(value, str) else str(value))
    return text if len(text) <= 60 else text[:57] + "..."
