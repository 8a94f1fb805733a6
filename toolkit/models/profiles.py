"""What servers call things, as data: one line a profile, no guessing from names.

A profile never changes what is asked, only how a server wants it spelled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolkit.errors import UserError, suggest

__all__ = ["PROFILES", "Profile", "profile_named"]


@dataclass(frozen=True, slots=True)
class Profile:
    """How one kind of server wants a request spelled.

    Attributes:
        max_tokens: the parameter that limits new tokens.
    """

    max_tokens: str = "max_tokens"


PROFILES: Final[dict[str, Profile]] = {
    "generic": Profile(),
    "llama_cpp": Profile(),
    "ollama": Profile(),
    # max_tokens is deprecated there, and refused by its reasoning models.
    "openai": Profile(max_tokens="max_completion_tokens"),
    "openrouter": Profile(),
    "vllm": Profile(),
}


def profile_named(name: str) -> Profile:
    """Return a profile.

    Raises:
        UserError: there is none of that name.
    """
    if name not in PROFILES:
        raise UserError(f"unknown profile '{name}'", hint=suggest(name, sorted(PROFILES)))
    return PROFILES[name]
