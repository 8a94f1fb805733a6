"""Ask the Hub again, a bounded number of times, for what asking twice cannot harm."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from toolkit.hub.failures import Passing, translated

if TYPE_CHECKING:
    from toolkit.hub.client import Patience

__all__ = ["attempt", "persist", "wait"]

T = TypeVar("T")

_CONNECT_S = 15.0


def persist(action: Callable[[], T], what: str, patience: Patience) -> T:
    """Do something that may be repeated, until the Hub answers.

    Args:
        action: calls ``huggingface_hub``; asking twice must be the same as asking once.
        what: what is done, as an error is to name it.
        patience: how often, and how long to wait in between.

    Raises:
        RunError: the Hub stayed busy or unreachable.
        UserError: as :func:`~toolkit.hub.failures.translated`.
    """
    for number in range(1, patience.tries):
        try:
            return attempt(action, what, patience)
        except Passing as error:
            wait(error, number, patience)
    return attempt(action, what, patience)


def attempt(action: Callable[[], T], what: str, patience: Patience) -> T:
    """Do something once; an answer that does not come counts as lost after a while."""
    import httpx2
    from huggingface_hub import get_session
    from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]

    disable_progress_bars()
    # Its warnings name the addresses of uploads, and these hold signatures.
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    # It waits for ever by default.
    get_session().timeout = httpx2.Timeout(patience.answer_s, connect=_CONNECT_S)
    with translated(what):
        return action()


def wait(error: Passing, number: int, patience: Patience) -> None:
    """Wait before the next try: as long as the server asks, or twice as long as before."""
    asked = error.wait_s if error.wait_s is not None else patience.first_s * 2 ** (number - 1)
    patience.pause(min(asked, patience.longest_s))
