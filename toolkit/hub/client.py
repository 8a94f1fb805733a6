"""Who talks to the Hub: an address and a token that nothing else ever sees."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Final, NoReturn
from urllib.parse import urlsplit

from toolkit.ask.secrets import take_secrets
from toolkit.errors import MissingError, UserError

if TYPE_CHECKING:
    from huggingface_hub import HfApi

__all__ = ["DEFAULT_ENDPOINT", "Client", "Patience", "connect"]

DEFAULT_ENDPOINT: Final = "https://huggingface.co"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the Hub is waited for.

    Attributes:
        tries: most times a request is made.
        first_s: seconds before the second try; each later wait is twice as long.
        longest_s: most seconds of one wait, whatever the server asks for.
        answer_s: seconds without a byte after which an answer counts as lost.
        pause: what waits.
    """

    tries: int = 6
    first_s: float = 0.5
    longest_s: float = 60.0
    answer_s: float = 300.0
    pause: Callable[[float], None] = sleep


@dataclass(frozen=True, slots=True)
class Client:
    """A connection to the Hub. It is never pickled, and its ``repr`` holds no token."""

    endpoint: str
    token: str = field(repr=False)
    patience: Patience = field(default_factory=Patience)

    @property
    def api(self) -> HfApi:
        """The library's own client. It holds no token: each call is given it."""
        from huggingface_hub import HfApi

        # Without a token of ours it must not fall back on the one the machine is logged in with.
        return HfApi(endpoint=self.endpoint, token=False, library_name="leaderboard-toolkit")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a client of the Hub holds a token: it is not pickled")


def connect(
    token_env: str = "HF_TOKEN",  # noqa: S107 - the name of a variable
    *,
    folder: Path | None = None,
    patience: Patience | None = None,
) -> Client:
    """Return a client for the Hub at ``HF_ENDPOINT``.

    The token is taken out of the environment, so that no process started later has it, and is
    masked in whatever this program prints.

    Args:
        token_env: environment variable that holds the token.
        folder: folder of the recipe; its ``.env`` may hold the token, too.
        patience: how long to wait for the Hub.

    Raises:
        MissingError: the variable is not set, or ``HF_HUB_OFFLINE`` is.
        UserError: the address is none, or would send the token in the clear.
    """
    endpoint = _endpoint()
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        raise MissingError(
            "the Hub cannot be reached: HF_HUB_OFFLINE is set", hint="unset HF_HUB_OFFLINE"
        )
    token = take_secrets([token_env], folder=folder)[token_env]
    return Client(endpoint, token, patience or Patience())


def _endpoint() -> str:
    endpoint = os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or DEFAULT_ENDPOINT
    parts = urlsplit(endpoint)
    refuse = partial(UserError, hint=f"unset HF_ENDPOINT, or set it to {DEFAULT_ENDPOINT}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise refuse("HF_ENDPOINT is not the address of a Hub")
    if parts.username or parts.password:
        raise refuse("HF_ENDPOINT holds a user name or a password")
    from toolkit.recipe.loopback import is_loopback

    if parts.scheme == "http" and not is_loopback(endpoint):
        raise refuse("HF_ENDPOINT starts with http://: the token would be sent in the clear")
    return endpoint
