"""Where a model's server is, and the name of the variable that holds its key."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urlsplit

from toolkit.errors import UserError
from toolkit.models.profiles import PROFILES, Profile
from toolkit.store.redact import looks_secret, redact

if TYPE_CHECKING:
    from toolkit.models.openai_compatible import OpenAICompatibleParams

__all__ = ["check_key_name", "clean_url"]

_PUBLIC: Final = frozenset(profile.base_url for profile in PROFILES.values() if profile.base_url)
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PATHS: Final = ("/chat/completions", "/completions")


def clean_url(url: str) -> str:
    """Return a base URL as it is compared and kept: lower-case host, no trailing slash.

    Raises:
        UserError: it is no HTTP address, or holds more than one.
    """
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, usable = SplitResult("", "", "", "", ""), False
    shown = redact(url)
    if not usable:
        raise UserError(
            f"base_url '{shown}' is no http(s) address",
            hint="write it like https://api.example.org/v1",
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UserError(
            f"base_url '{shown}' holds more than an address",
            hint="keys belong into a variable named by api_key_env, versions into api_version",
        )
    path = parts.path.rstrip("/")
    for ending in _PATHS:
        if path.endswith(ending):
            raise UserError(
                f"base_url '{shown}' ends with {ending}",
                hint=f"write {url.strip().rstrip('/').removesuffix(ending)}",
            )
    return f"{parts.scheme}://{parts.netloc.lower()}{path}"


def check_key_name(params: OpenAICompatibleParams, profile: Profile) -> None:
    """Refuse a server without an address, one without the key it needs, and a literal key.

    Raises:
        UserError: one of these.
    """
    name = params.api_key_env
    if params.base_url is None and profile.base_url is None:
        raise UserError(
            f"the profile '{params.profile}' has no address of its own",
            hint="write base_url: with the address of the server",
        )
    if name is None:
        public = params.base_url is None or params.base_url.rstrip("/") in _PUBLIC
        if public:
            usual = profile.api_key_env or "OPENAI_API_KEY"
            raise UserError(
                "this endpoint needs a key, and the recipe names no variable for it",
                hint=f"write api_key_env: {usual}, or the base_url of your own server",
            )
        return
    if looks_secret(name) or not _VARIABLE.fullmatch(name):
        # The value is not repeated: it may be the key itself.
        raise UserError(
            "api_key_env holds something that is no name of an environment variable",
            hint="never write a key into a recipe; write api_key_env: MY_KEY and set MY_KEY",
        )
