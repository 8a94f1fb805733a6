"""What of a model's identity may be told: which weights, how its answers were drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["revision", "sampling"]

# Named one by one: an identity also holds addresses, which say where somebody's server is.
_TOLD: Final = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "max_tokens",
    "max_completion_tokens",
    "frequency_penalty",
    "presence_penalty",
    "repetition_penalty",
    "seed",
    "stop",
    "reasoning_effort",
    "thinking",
    "structured",
    "batch_size",
    "dtype",
    "device",
    "threads",
    "n_ctx",
    "runtime",
    "template",
    "variant",
)


def sampling(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that shape an answer, sorted by name."""
    both = {**identity, **_body(identity)}
    return {name: both[name] for name in sorted(_TOLD) if both.get(name) is not None}


def revision(identity: Mapping[str, Any]) -> str:
    """Return which model it was: ``sha256:`` of its weights, a commit, or its server's name."""
    weights = identity.get("weights")
    if isinstance(weights, Mapping):
        for key in ("revision", "commit"):
            if isinstance(weights.get(key), str):
                return str(weights[key])
        if isinstance(weights.get("sha256"), str):
            return f"sha256:{weights['sha256']}"
    if isinstance(identity.get("sha256"), str):
        return f"sha256:{identity['sha256']}"
    return str(_body(identity).get("model") or "")


def _body(identity: Mapping[str, Any]) -> Mapping[str, Any]:
    body = identity.get("body")
    return body if isinstance(body, Mapping) else {}
