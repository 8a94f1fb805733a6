"""A way to a server on which one request travels at a time, and back comes one reply."""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, cast
from urllib.parse import urlsplit

from toolkit.ask.check import BODY_LIMIT
from toolkit.ask.wire import connect

if TYPE_CHECKING:
    from httpcore2 import AsyncHTTP11Connection, AsyncNetworkStream

__all__ = ["Address", "DirectLane", "Lane", "NoWayError", "ProxyLane", "RawReply"]

Headers = list[tuple[bytes, bytes]]

# Servers drop idle connections after about five seconds. One reused at that very moment
# fails in a way that cannot be told from a call that was processed.
_IDLE_S: Final = 2.0


class NoWayError(Exception):
    """No connection came about: certainly nothing was sent."""


@dataclass(frozen=True, slots=True)
class RawReply:
    """What came back: the headers' names in lower case, the body capped."""

    status: int
    headers: dict[str, str]
    body: bytes


class Lane(Protocol):
    """A way to a server; used by one request at a time."""

    async def post(self, content: bytes, headers: Headers) -> RawReply:
        """Send a request and read its reply.

        Raises:
            NoWayError: nothing was sent.
            TimeoutError: no whole reply came in time.
            Exception: the connection broke, or what came is no HTTP.
        """

    async def aclose(self) -> None:
        """Drop what is open."""


class Address:
    """Where requests go, and how long they may take."""

    def __init__(
        self, url: str, *, certificates: ssl.SSLContext, connect_s: float, reply_s: float
    ) -> None:
        """Take an address apart, once for all requests.

        Args:
            url: of the endpoint, whole.
            certificates: whom to trust where it is https.
            connect_s: how long a connection may take to come about, in seconds.
            reply_s: how long a whole reply may take once it is there.
        """
        import httpcore2

        parts = urlsplit(url)
        self.url = httpcore2.URL(url)
        self.host = parts.hostname or ""
        self.tls = parts.scheme == "https"
        self.port = parts.port or (443 if self.tls else 80)
        self.host_header = (b"Host", parts.netloc.encode("idna"))
        self.certificates = certificates
        self.connect_s = connect_s
        self.reply_s = reply_s


class DirectLane:
    """One connection, kept while it is in use."""

    def __init__(self, address: Address) -> None:
        """Open nothing yet."""
        self._address = address
        self._http: AsyncHTTP11Connection | None = None

    async def post(self, content: bytes, headers: Headers) -> RawReply:
        """Send a request and read its reply; see :meth:`Lane.post`."""
        import httpcore2

        address = self._address
        http = await self._connection()
        request = httpcore2.Request(
            b"POST",
            address.url,
            headers=[
                address.host_header,
                *headers,
                (b"Content-Length", str(len(content)).encode("ascii")),
            ],
            content=content,
        )
        async with asyncio.timeout(address.reply_s):
            response = await http.handle_async_request(request)
            try:
                body = await _capped(cast("AsyncIterable[bytes]", response.stream))
            finally:
                await response.aclose()
        return _reply(response.status, response.headers, body)

    async def aclose(self) -> None:
        """Drop the connection."""
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()

    async def _connection(self) -> AsyncHTTP11Connection:
        import httpcore2

        http = self._http
        if http is not None and http.is_available() and not http.has_expired():
            return http
        await self.aclose()
        address = self._address
        certificates = address.certificates if address.tls else None
        try:
            async with asyncio.timeout(address.connect_s):
                wire = await connect(address.host, address.port, certificates)
        except (OSError, TimeoutError, UnicodeError) as error:
            raise NoWayError(str(error)) from error
        self._http = httpcore2.AsyncHTTP11Connection(
            origin=address.url.origin,
            stream=cast("AsyncNetworkStream", wire),
            keepalive_expiry=_IDLE_S,
        )
        return self._http


class ProxyLane:
    """One connection through a proxy, as the HTTP library makes it."""

    def __init__(self, address: Address, proxy: str) -> None:
        """Open nothing yet.

        Args:
            address: where requests go.
            proxy: its URL, with a name and a password where it wants them.
        """
        import httpx2

        self._address = address
        self._url = httpx2.URL(bytes(address.url).decode("ascii"))
        self._transport = httpx2.AsyncHTTPTransport(
            verify=address.certificates,
            proxy=proxy,
            limits=httpx2.Limits(max_connections=1, keepalive_expiry=_IDLE_S),
        )
        timeout = httpx2.Timeout(address.reply_s, connect=address.connect_s)
        self._extensions = {"timeout": timeout.as_dict()}

    async def post(self, content: bytes, headers: Headers) -> RawReply:
        """Send a request and read its reply; see :meth:`Lane.post`."""
        import httpx2

        request = httpx2.Request(
            "POST", self._url, headers=headers, content=content, extensions=self._extensions
        )
        # Longer than both waits inside it together, so that a connection that does not come
        # about is told from a reply that does not.
        deadline_s = self._address.connect_s + self._address.reply_s
        never_sent = (
            *(httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout),
            *(httpx2.ProxyError, httpx2.UnsupportedProtocol),
        )
        try:
            async with asyncio.timeout(deadline_s):
                response = await self._transport.handle_async_request(request)
                try:
                    body = await _capped(response.aiter_raw())
                finally:
                    await response.aclose()
        except never_sent as error:
            raise NoWayError(str(error)) from error
        except httpx2.TimeoutException as error:
            raise TimeoutError from error
        return _reply(response.status_code, response.headers.raw, body)

    async def aclose(self) -> None:
        """Drop the connection."""
        await self._transport.aclose()


async def _capped(stream: AsyncIterable[bytes]) -> bytes:
    """Return the body; of one that is too long, one byte more than the limit."""
    parts: list[bytes] = []
    size = 0
    async for part in stream:
        parts.append(part)
        size += len(part)
        if size > BODY_LIMIT:
            break
    return b"".join(parts)[: BODY_LIMIT + 1]


def _reply(status: int, raw: Headers, body: bytes) -> RawReply:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in raw}
    if headers.get("content-encoding", "").lower() in ("gzip", "x-gzip", "deflate"):
        # Not asked for; some gateways compress all the same. Capped: a few bytes can stand for
        # gigabytes.
        try:
            body = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body, BODY_LIMIT + 1)
        except zlib.error:
            body = b""
    return RawReply(status, headers, body)
