"""One HTTP exchange with a chat endpoint: sent once, never again behind anybody's back."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Final, Literal, Self
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from toolkit.ask.check import BODY_LIMIT
from toolkit.models.base import ServerModel
from toolkit.models.openai_compatible import is_loopback
from toolkit.store.ledger_types import LedgerRequest
from toolkit.store.redact import redact

if TYPE_CHECKING:
    from httpx2 import URL, AsyncHTTPTransport, Limits, Response

__all__ = ["ChatClient", "Exchange"]

_CONNECT_S: Final = 15.0
# Servers drop idle connections after about five seconds. One reused at that very moment
# fails in a way that cannot be told from a call that was processed.
_IDLE_S: Final = 2.0
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

    It stands on the transport of the HTTP library, one connection to a transport: a client of
    an API or of HTTP in general does more for each call than all else that a call needs here
    (docs/design/asking.md has the figures), and a pool looks at all of its connections.
    """

    def __init__(self, model: ServerModel, secret: str | None) -> None:
        """Keep whom to ask; connections open when they are needed.

        Args:
            model: whom to ask.
            secret: the key, None for a server without one.
        """
        self._model = model
        self._headers = _headers(secret)
        self._trust_env = not is_loopback(model.endpoint)
        self._proxy = _proxy_for(model.endpoint) if self._trust_env else None
        self._connect_s = min(_CONNECT_S, model.timeout_s)
        # Longer than both waits inside it together, so that a connection that does not come
        # about is told from a reply that does not.
        self._deadline_s = model.timeout_s + self._connect_s
        # The last one used is the next one used: the others go idle and are dropped.
        self._free: list[AsyncHTTPTransport] = []

    async def __aenter__(self) -> Self:
        import httpx2

        model = self._model
        query = {"api-version": model.api_version} if model.api_version else None
        self._url: URL = httpx2.URL(model.endpoint + model.path, params=query)
        self._limits: Limits = httpx2.Limits(
            max_connections=1, max_keepalive_connections=1, keepalive_expiry=_IDLE_S
        )
        timeout = httpx2.Timeout(model.timeout_s, connect=self._connect_s)
        self._extensions = {"timeout": timeout.as_dict()}
        # Read once: it takes longer than many calls.
        self._certificates: ssl.SSLContext = httpx2.create_ssl_context(trust_env=self._trust_env)
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
        import httpx2

        transport = self._free.pop() if self._free else self._new_transport()
        try:
            async with asyncio.timeout(self._deadline_s):
                return await self._send(transport, request)
        except TimeoutError:
            return Exchange("unknown", f"no whole reply within {self._deadline_s:g} s")
        except (
            *(httpx2.RequestError, httpx2.StreamError, httpx2.InvalidURL),
            *(ssl.SSLError, OSError),
        ) as error:
            return self._lost(error)
        finally:
            self._free.append(transport)

    def _new_transport(self) -> AsyncHTTPTransport:
        import httpx2

        return httpx2.AsyncHTTPTransport(
            verify=self._certificates,
            trust_env=self._trust_env,
            limits=self._limits,
            proxy=self._proxy,
        )

    async def _send(self, transport: AsyncHTTPTransport, request: LedgerRequest) -> Exchange:
        import httpx2

        key = request.key.encode("ascii")
        response = await transport.handle_async_request(
            httpx2.Request(
                "POST",
                self._url,
                headers=[*self._headers, (b"Idempotency-Key", key), (b"X-Client-Request-Id", key)],
                # The very bytes the key was computed from, not another rendering of them.
                content=request.content.encode("utf-8"),
                extensions=self._extensions,
            )
        )
        try:
            return _reply(response, await _read_capped(response), request.key)
        finally:
            await response.aclose()

    def _lost(self, error: BaseException) -> Exchange:
        import httpx2

        never_sent = (
            httpx2.ConnectError,
            httpx2.ConnectTimeout,
            httpx2.PoolTimeout,
            httpx2.ProxyError,
            httpx2.UnsupportedProtocol,
            httpx2.LocalProtocolError,
            httpx2.InvalidURL,
        )
        text = redact(str(error)).strip()
        if isinstance(error, httpx2.TimeoutException) and not isinstance(error, never_sent):
            return Exchange("unknown", f"no reply within {self._model.timeout_s:g} s")
        if isinstance(error, never_sent):
            reason = f"no connection to {self._model.endpoint}"
            return Exchange("not_sent", f"{reason}: {text}" if text else reason)
        return Exchange("unknown", f"the connection broke: {text or type(error).__name__}")


def _headers(secret: str | None) -> list[tuple[bytes, bytes]]:
    headers = [
        (b"Content-Type", b"application/json"),
        (b"Accept", b"application/json"),
        (b"Accept-Encoding", b"gzip, deflate"),
        (b"User-Agent", b"leaderboard-toolkit"),
    ]
    if secret is not None:
        headers.append((b"Authorization", b"Bearer " + secret.encode("ascii")))
    return headers


def _proxy_for(url: str) -> str | None:
    """Return the proxy that the environment names for an address, or None."""
    parts = urlsplit(url)
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    if not found or proxy_bypass(parts.netloc):
        return None
    return found if "://" in found else f"http://{found}"


async def _read_capped(response: Response) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_bytes():
        parts.append(part)
        size += len(part)
        if size > BODY_LIMIT:
            break
    return b"".join(parts)[: BODY_LIMIT + 1]


def _reply(response: Response, body: bytes, key: str) -> Exchange:
    headers = {name.lower(): value for name, value in response.headers.items()}
    stranger = any(headers.get(name, key) != key for name in _ECHOES)
    return Exchange(
        "reply", status=response.status_code, headers=headers, body=body, stranger=stranger
    )
