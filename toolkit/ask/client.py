"""One HTTP exchange with a chat endpoint: sent once, never again behind anybody's back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Literal, Self
from urllib.parse import urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

from toolkit.ask.lane import Address, DirectLane, Lane, NoWayError, ProxyLane
from toolkit.models.base import ServerModel
from toolkit.recipe.loopback import is_loopback
from toolkit.store.ledger_types import LedgerRequest
from toolkit.store.redact import redact

__all__ = ["ChatClient", "Exchange"]

_CONNECT_S: Final = 15.0
_ECHOES: Final = ("idempotency-key", "x-client-request-id")


@dataclass(frozen=True, slots=True)
class Exchange:
    """How one exchange ended.

    Attributes:
        kind: ``reply`` (some HTTP reply came, whole), ``not_sent`` (certainly not
            processed) or ``unknown``.
        reason: why there is no reply.
        status: HTTP status of the reply.
        headers: its headers, names in lower case.
        body: its body; of one over the limit only one byte more than the limit.
        stranger: the reply names another request than ours.
    """

    kind: Literal["reply", "not_sent", "unknown"]
    reason: str = ""
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    stranger: bool = False


class ChatClient:
    """An async client for one model; use it as an async context manager.

    No retries, no redirects (they would carry a text to a server nobody named), no cookies,
    and no proxy for loopback addresses; for others the one that the environment names.

    It stands on the protocol layer of the HTTP library, one connection to a lane: a client of
    an API, or of HTTP in general, does more for each call than all else that a call needs
    here, and a pool looks at all of its connections (docs/design/asking.md has the figures).
    """

    def __init__(self, model: ServerModel, secret: str | None) -> None:
        """Keep whom to ask; connections open when they are needed.

        Args:
            model: whom to ask.
            secret: the key, None for a server without one.
        """
        self._model = model
        self._headers = _headers(secret, model.key_header)
        # The last one used is the next one used: the others go idle and are dropped.
        self._free: list[Lane] = []

    async def __aenter__(self) -> Self:
        import httpx2

        model = self._model
        trust_env = not is_loopback(model.endpoint)
        url = model.endpoint + model.path
        if model.api_version:
            url += "?" + urlencode({"api-version": model.api_version})
        certificates = httpx2.create_ssl_context(trust_env=trust_env)
        certificates.set_alpn_protocols(["http/1.1"])
        self._proxy = _proxy_for(model.endpoint) if trust_env else None
        self._address = Address(
            url,
            certificates=certificates,
            connect_s=min(_CONNECT_S, model.timeout_s),
            reply_s=model.timeout_s,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        while self._free:
            await self._free.pop().aclose()

    async def exchange(self, request: LedgerRequest) -> Exchange:
        """Send a request once and say how that ended. Raises nothing but a cancellation."""
        lane = self._free.pop() if self._free else self._new_lane()
        key = request.key.encode("ascii")
        headers = [*self._headers, (b"Idempotency-Key", key), (b"X-Client-Request-Id", key)]
        try:
            # The very bytes the key was computed from, not another rendering of them.
            reply = await lane.post(request.content.encode("utf-8"), headers)
        except NoWayError as error:
            text, reason = redact(str(error)).strip(), f"no connection to {self._model.endpoint}"
            return Exchange("not_sent", f"{reason}: {text}" if text else reason)
        except TimeoutError:
            return Exchange("unknown", f"no whole reply within {self._model.timeout_s:g} s")
        except Exception as error:  # noqa: BLE001 - whatever it is, the call may have been paid
            text = redact(str(error)).strip() or type(error).__name__
            return Exchange("unknown", f"the connection broke: {text}")
        finally:
            self._free.append(lane)
        stranger = any(reply.headers.get(name, request.key) != request.key for name in _ECHOES)
        return Exchange(
            "reply",
            status=reply.status,
            headers=reply.headers,
            body=reply.body,
            stranger=stranger,
        )

    def _new_lane(self) -> Lane:
        if self._proxy is None:
            return DirectLane(self._address)
        return ProxyLane(self._address, self._proxy)


def _headers(secret: str | None, key_header: str) -> list[tuple[bytes, bytes]]:
    headers = [
        (b"Content-Type", b"application/json"),
        (b"Accept", b"application/json"),
        (b"Accept-Encoding", b"identity"),
        (b"User-Agent", b"leaderboard-toolkit"),
    ]
    if secret is not None:
        scheme = "Bearer " if key_header == "Authorization" else ""
        headers.append((key_header.encode("ascii"), (scheme + secret).encode("ascii")))
    return headers


def _proxy_for(url: str) -> str | None:
    """Return the proxy that the environment names for an address, or None."""
    parts = urlsplit(url)
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    if not found or proxy_bypass(parts.netloc):
        return None
    return found if "://" in found else f"http://{found}"
