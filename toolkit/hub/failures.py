"""What the Hub's errors mean, in words; none holds a token, a header or an address with one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from toolkit.errors import RunError, UserError
from toolkit.store.redact import redact

__all__ = ["Conflict", "HeadMoved", "NotThere", "Passing", "translated"]

_BUSY: Final = frozenset((408, 425, 429, 500, 502, 503, 504, 520, 522, 524))
_AGAIN: Final = "run the same command again: nothing is done twice"


class NotThere(UserError):
    """A repository, revision or file does not exist, or the token may not see it."""


class Conflict(UserError):
    """What was to be made exists already."""


class HeadMoved(RunError):
    """Somebody else changed the branch since it was looked at."""


class Passing(RunError):
    """The Hub was busy or unreachable, or its answer was lost: what was asked may have happened.

    Attributes:
        wait_s: seconds that the server asks to wait; None where it does not say.
    """

    wait_s: float | None = None


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Turn the errors of ``huggingface_hub`` into those of this program.

    Args:
        what: what was being done, as the message is to name it.

    Raises:
        NotThere: no such repository, revision or file.
        Conflict: it exists already.
        HeadMoved: the branch is not where it was.
        Passing: trying again may help.
        UserError: the token may not do this, or the Hub refuses what was sent.
    """
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        yield
    except HfHubHTTPError as error:
        raise _http(what, error) from None
    except (httpx2.TransportError, ConnectionError, TimeoutError) as error:
        raise Passing(f"{what}: {_brief(error)}", hint=_AGAIN) from None
    except LocalEntryNotFoundError as error:
        raise Passing(f"{what}: {_brief(error.__cause__ or error)}", hint=_AGAIN) from None
    except (RuntimeError, ValueError) as error:
        raise _wrapped(what, error) from None


def _wrapped(what: str, error: Exception) -> Exception:
    """Return what an error of the library's own stands for: it hides the one of the request."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError

    found: BaseException | None = error
    while found is not None:
        if isinstance(found, HfHubHTTPError) and found is not error:
            return _http(what, found) if "metadata" not in str(error) else _card(what, error)
        if isinstance(found, httpx2.TransportError | ConnectionError | TimeoutError):
            return Passing(f"{what}: {_brief(found)}", hint=_AGAIN)
        found = found.__cause__ or found.__context__
    text = _brief(error)
    if "xet" in f"{type(error).__module__} {text}".lower():
        return Passing(
            f"{what}: {text}",
            hint="where the servers of Xet cannot be reached, HF_HUB_DISABLE_XET=1 sends the "
            "files by another way",
        )
    return UserError(f"{what}: {text}", hint="correct it and run the same command again")


def _card(what: str, error: Exception) -> UserError:
    return UserError(
        f"{what}: the Hub refuses the card: {_brief(error)}",
        hint="correct what it names in the recipe's `publish` section; nothing was committed",
    )


def _http(what: str, error: Any) -> Exception:
    response = error.response
    status = response.status_code
    code = response.headers.get("X-Error-Code", "")
    said = _said(response)
    if status == 412:
        return HeadMoved(f"{what}: the branch was changed in the meantime", hint=_AGAIN)
    if status == 409:
        return Conflict(f"{what}: it exists already{said}", hint="look at it on the Hub")
    if status in _BUSY:
        passing = Passing(f"{what}: the Hub answered {status}{said}", hint=_AGAIN)
        passing.wait_s = _wait(response.headers)
        return passing
    if status == 404 or code in ("RepoNotFound", "RevisionNotFound", "EntryNotFound"):
        return NotThere(
            f"{what}: it does not exist, or the token may not see it",
            hint="check the name, and that the token belongs to an account with access to it",
        )
    if status in (401, 403):
        return UserError(
            f"{what}: the Hub refuses the token ({status}){said}",
            hint="make one with write access to this repository at "
            "https://huggingface.co/settings/tokens",
        )
    return UserError(
        f"{what}: the Hub refuses it ({status}){said}", hint="nothing was changed by this request"
    )


def _said(response: Any) -> str:
    try:
        body = response.json()
    except Exception:  # noqa: BLE001 - a body of any kind, or none that was read
        return ""
    text = body.get("error") if isinstance(body, dict) else None
    return f": {_clean(text)}" if isinstance(text, str) and text else ""


def _wait(headers: Any) -> float | None:
    """Return what ``Retry-After`` asks for, or the reset of the Hub's own ``RateLimit``."""
    given = str(headers.get("Retry-After", "")).strip()
    if given.isdigit():
        return float(given)
    for part in str(headers.get("RateLimit", "")).split(";"):
        name, _, value = part.strip().partition("=")
        if name == "t" and value.isdigit():
            return float(value)
    return None


def _brief(error: BaseException) -> str:
    return _clean(str(error)) or type(error).__name__


def _clean(text: str) -> str:
    plain = "".join(c if c.isprintable() else " " for c in redact(text))
    return " ".join(plain.split())[:300]
