"""What servers call things and what they take, as data: one entry a profile.

A profile never changes what is asked, only how a server wants it spelled, and which parameters
it would refuse or silently ignore. Facts about single models stand in families: patterns of
whole names, declared with where they are documented, never a guess from a key or a part of a
name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from toolkit.errors import UserError, suggest

__all__ = ["PROFILES", "Family", "Profile", "profile_named"]

Structured = Literal["json_schema", "json_object", "none"]
Effort = Literal["reasoning_effort", "reasoning", "none"]


@dataclass(frozen=True, slots=True)
class Family:
    """Models of a server that differ from its others.

    Attributes:
        pattern: regular expression of their whole names.
        sampling: ``never`` where temperature, top_p and the like are refused; ``without_effort``
            where they are refused unless the reasoning effort is ``none``.
        why: what is documented, for messages.
        refused: further parameters that are refused.
        thinks: reasoning cannot be switched off.
        least_tokens: the fewest new tokens of a call that only proves something; one that
            reasons may be refused when there is no room to.
    """

    pattern: str
    sampling: Literal["never", "without_effort"]
    why: str
    refused: frozenset[str] = frozenset()
    thinks: bool = False
    least_tokens: int = 16


@dataclass(frozen=True, slots=True)
class Profile:
    """How one kind of server wants a request spelled.

    Attributes:
        base_url: its address, where there is only one.
        api_key_env: the variable its key usually stands in.
        max_tokens: the parameter that limits new tokens.
        structured: how a reply by a JSON Schema is asked for; ``none`` where that is ignored.
        effort: how a reasoning effort is spelled: as ``reasoning_effort``, inside
            ``reasoning: {effort}``, or not at all.
        thinking_off: keys of the body that switch thinking off; None where nothing does.
        ignored: parameters that the server takes and silently ignores.
        highest_temperature: above it the server clamps in silence; None for no such limit.
        batch: has the Files and Batches endpoints.
        completions: has the completions endpoint.
        key_header: where its key goes: a bearer token, or a header of its own.
        families: models with rules of their own; the first that matches holds.
    """

    base_url: str | None = None
    api_key_env: str | None = None
    max_tokens: str = "max_tokens"
    structured: Structured = "none"
    effort: Effort = "reasoning_effort"
    thinking_off: Mapping[str, Any] | None = None
    ignored: frozenset[str] = field(default_factory=frozenset)
    highest_temperature: float | None = None
    batch: bool = False
    completions: bool = True
    key_header: Literal["Authorization", "api-key"] = "Authorization"
    families: tuple[Family, ...] = ()

    def family(self, model: str) -> Family | None:
        """Return the rules of a model, None for those of the server."""
        return next((f for f in self.families if re.fullmatch(f.pattern, model)), None)


_NO_SAMPLING: Final = "a model that reasons takes neither temperature nor top_p"

# OpenAI, "Reasoning models" and the reference of chat completions (stop); for the chat-latest
# models of 5.1 and later, which take no other temperature than 1, the servers' replies.
_OPENAI_FAMILIES: Final = (
    Family(
        r"(?:o3|o4-mini)(?:-\d[\d-]*)?",
        "never",
        _NO_SAMPLING,
        refused=frozenset({"stop"}),
        thinks=True,
    ),
    Family(r"(?:o1|o3|o4)(?:-[\w.-]+)?", "never", _NO_SAMPLING, thinks=True),
    Family(
        r"gpt-5(?:-(?:mini|nano|pro|codex)(?:-[\w.-]+)?|-\d[\d-]*)?",
        "never",
        _NO_SAMPLING,
        thinks=True,
    ),
    Family(r"gpt-5\.\d+-chat-latest", "never", "it takes only the default temperature"),
    Family(
        r"gpt-5\.\d+(?:-[\w.-]+)?",
        "without_effort",
        "it takes temperature and top_p only with reasoning_effort: none",
    ),
)

_CHAT_TEMPLATE_OFF: Final = {"chat_template_kwargs": {"enable_thinking": False}}

PROFILES: Final[dict[str, Profile]] = {
    # Ignored fields and the cap on temperature: Anthropic, "OpenAI SDK compatibility".
    "anthropic": Profile(
        base_url="https://api.anthropic.com/v1",
        api_key_env="ANTHROPIC_API_KEY",
        effort="none",
        thinking_off={},
        ignored=frozenset({"seed"}),
        highest_temperature=1.0,
        completions=False,
    ),
    # Both of its addresses, /openai/v1 and the dated ones, take a key only of a header of its
    # own; a bearer token is an Entra one on the dated address. Deployments should be called
    # like their models: families go by that name.
    "azure": Profile(
        api_key_env="AZURE_OPENAI_API_KEY",
        key_header="api-key",
        max_tokens="max_completion_tokens",
        structured="json_schema",
        thinking_off={"reasoning_effort": "none"},
        batch=True,
        families=_OPENAI_FAMILIES,
    ),
    "gemini": Profile(
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        api_key_env="GEMINI_API_KEY",
        structured="json_schema",
        thinking_off={"reasoning_effort": "none"},
        completions=False,
    ),
    "generic": Profile(batch=True),
    "llama_cpp": Profile(structured="json_schema", thinking_off=_CHAT_TEMPLATE_OFF),
    "ollama": Profile(structured="json_schema", thinking_off={"reasoning_effort": "none"}),
    # max_tokens is deprecated there, and refused by its reasoning models.
    "openai": Profile(
        base_url="https://api.openai.com/v1",
        api_key_env="OPENAI_API_KEY",
        max_tokens="max_completion_tokens",
        structured="json_schema",
        thinking_off={"reasoning_effort": "none"},
        batch=True,
        families=_OPENAI_FAMILIES,
    ),
    "openrouter": Profile(
        base_url="https://openrouter.ai/api/v1",
        api_key_env="OPENROUTER_API_KEY",
        structured="json_schema",
        effort="reasoning",
        thinking_off={"reasoning": {"enabled": False}},
    ),
    "vllm": Profile(structured="json_schema", thinking_off=_CHAT_TEMPLATE_OFF),
}


def profile_named(name: str) -> Profile:
    """Return a profile.

    Raises:
        UserError: there is none of that name.
    """
    if name not in PROFILES:
        raise UserError(f"unknown profile '{name}'", hint=suggest(name, sorted(PROFILES)))
    return PROFILES[name]
