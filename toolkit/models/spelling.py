"""Write parameters the way a profile wants them, and refuse those its server would not keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolkit.errors import UserError
from toolkit.models.profiles import Profile

if TYPE_CHECKING:
    from toolkit.models.openai_compatible import OpenAICompatibleParams

__all__ = ["check_spelling", "effort_keys", "schema_keys"]


def effort_keys(effort: str | None, profile: Profile) -> dict[str, Any]:
    """Return the keys of the body that ask for a reasoning effort."""
    if effort is None:
        return {}
    if profile.effort == "reasoning":
        return {"reasoning": {"effort": effort}}
    return {"reasoning_effort": effort}


def schema_keys(schema: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    """Return the keys of the body that ask for JSON by a schema; none where that is ignored."""
    if profile.structured == "json_schema":
        closed, strict = _closed(schema)
        return {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "reply", "strict": strict, "schema": closed},
            }
        }
    if profile.structured == "json_object":
        return {"response_format": {"type": "json_object"}}
    return {}


def _closed(schema: Any) -> tuple[Any, bool]:
    """Return a schema whose objects allow no further keys, and whether it can be kept strictly.

    Strictly means what the servers that offer it ask for: every object is closed and requires
    all of its keys.
    """
    if isinstance(schema, list):
        parts = [_closed(item) for item in schema]
        return [part for part, _ in parts], all(strict for _, strict in parts)
    if not isinstance(schema, Mapping):
        return schema, True
    pairs = {key: _closed(value) for key, value in schema.items()}
    found = {key: value for key, (value, _) in pairs.items()}
    strict = all(kept for _, kept in pairs.values())
    if schema.get("type") == "object":
        properties = schema.get("properties")
        if not isinstance(properties, Mapping):
            return found, False
        found.setdefault("additionalProperties", False)
        strict = strict and set(schema.get("required", ())) == set(properties)
        strict = strict and found["additionalProperties"] is False
    return found, strict


def check_spelling(params: OpenAICompatibleParams, profile: Profile) -> None:
    """Refuse parameters that the server would refuse, ignore or clamp.

    Raises:
        UserError: all of them in one message.
    """
    faults = [
        *_sampling_faults(params, profile),
        *_ignored_faults(params, profile),
        *_thinking_faults(params, profile),
        *_endpoint_faults(params, profile),
    ]
    if faults:
        raise UserError(
            "; ".join(fault for fault, _ in faults),
            hint="; ".join(dict.fromkeys(hint for _, hint in faults)),
        )


def _sampling_faults(params: OpenAICompatibleParams, profile: Profile) -> list[tuple[str, str]]:
    family = profile.family(params.model)
    if family is None:
        return []
    faults = [
        (f"'{params.model}' does not take {name}", f"remove {name}")
        for name in sorted(family.refused)
        if getattr(params, name)
    ]
    open_ = family.sampling == "without_effort" and params.reasoning_effort in (None, "none")
    given = [name for name in ("temperature", "top_p") if getattr(params, name) is not None]
    if given and not open_:
        what = " and ".join(given)
        faults.append((f"'{params.model}' does not take {what}: {family.why}", f"remove {what}"))
    return faults


def _ignored_faults(params: OpenAICompatibleParams, profile: Profile) -> list[tuple[str, str]]:
    faults = [
        (f"this server ignores {name}", f"remove {name}")
        for name in sorted(profile.ignored)
        if getattr(params, name, None) is not None
    ]
    highest = profile.highest_temperature
    if highest is not None and params.temperature is not None and params.temperature > highest:
        faults.append(
            (
                f"this server lowers a temperature of {params.temperature:g} to {highest:g}",
                f"write temperature: {highest:g} or less",
            )
        )
    return faults


def _thinking_faults(params: OpenAICompatibleParams, profile: Profile) -> list[tuple[str, str]]:
    faults = []
    if params.reasoning_effort is not None and profile.effort == "none":
        faults.append(("this server ignores reasoning_effort", "remove reasoning_effort"))
    family = profile.family(params.model)
    if params.thinking == "off" and family is not None and family.thinks:
        faults.append(
            (f"'{params.model}' always reasons", "write a low reasoning_effort, not thinking: off")
        )
    if params.thinking == "off" and profile.thinking_off is None:
        faults.append(
            (
                f"the profile '{params.profile}' does not know how to switch thinking off",
                "name the server's profile, or write what it wants into extra_body",
            )
        )
    if params.thinking == "off" and params.reasoning_effort not in (None, "none"):
        faults.append(("thinking is off, reasoning_effort says otherwise", "keep one of the two"))
    return faults


def _endpoint_faults(params: OpenAICompatibleParams, profile: Profile) -> list[tuple[str, str]]:
    faults = []
    if params.execution == "batch" and not profile.batch:
        faults.append(
            (
                f"the profile '{params.profile}' has no batch endpoint",
                "write execution: interactive",
            )
        )
    if params.endpoint == "completions" and not profile.completions:
        faults.append(
            (
                f"the profile '{params.profile}' has no completions endpoint",
                "write endpoint: chat",
            )
        )
    return faults
