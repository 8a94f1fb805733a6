"""One connection to a server, for the HTTP library to speak over.

The library's own network layer serves several event loops and re-arms timers, cancel scopes
and selectors around each read and write; that is half of what a call costs it. This one only
knows asyncio, and its caller sets one deadline for the whole exchange.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import Any, Final

__all__ = ["Wire", "connect"]

_MOST_UNREAD: Final = 1 << 20
"""Bytes that may wait to be read before the server is made to wait."""


async def connect(host: str, port: int, certificates: ssl.SSLContext | None) -> Wire:
    """Open a connection.

    Args:
        host: name or address.
        port: of TCP.
        certificates: whom to trust, for a connection over TLS; None for one without.

    Raises:
        OSError: it does not come about, or (as ``ssl.SSLError``) its certificate is refused.
    """
    loop = asyncio.get_running_loop()
    _, wire = await loop.create_connection(
        Wire, host, port, ssl=certificates, happy_eyeballs_delay=0.25
    )
    return wire


class Wire(asyncio.Protocol):
    """A network stream as the HTTP library wants it; made by :func:`connect`."""

    def __init__(self) -> None:
        """Have no transport yet."""
        self._unread: list[bytes] = []
        self._size = 0
        self._over = False
        self._error: Exception | None = None
        self._reader: asyncio.Future[None] | None = None
        self._may_write = asyncio.Event()
        self._may_write.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Keep what came."""
        self._unread.append(data)
        self._size += len(data)
        if self._size > _MOST_UNREAD:
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        """Note that nothing more will come."""
        self._over = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note why nothing more will come."""
        self._over = True
        self._error = exc
        self._may_write.set()
        self._wake()

    def pause_writing(self) -> None:
        """Have writers wait."""
        self._may_write.clear()

    def resume_writing(self) -> None:
        """Let writers go on."""
        self._may_write.set()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what has come, empty at the end.

        Args:
            max_bytes: not kept to: the library takes whatever it is given.
            timeout: not kept to: the caller's deadline is for the whole exchange.

        Raises:
            httpcore2.ReadError: the connection broke.
        """
        if not self._unread and not self._over:
            self._reader = asyncio.get_running_loop().create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        if self._unread:
            data = self._unread[0] if len(self._unread) == 1 else b"".join(self._unread)
            if self._size > _MOST_UNREAD and not self._over:
                self._transport.resume_reading()
            self._unread.clear()
            self._size = 0
            return data
        if self._error is not None:
            import httpcore2

            raise httpcore2.ReadError(str(self._error) or type(self._error).__name__)
        return b""

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes, waiting while too many are on their way.

        Raises:
            httpcore2.WriteError: the connection broke.
        """
        if self._over and self._transport.is_closing():
            import httpcore2

            raise httpcore2.WriteError(str(self._error or "the connection is closed"))
        self._transport.write(buffer)
        if not self._may_write.is_set():
            await self._may_write.wait()

    async def aclose(self) -> None:
        """Drop the connection."""
        # Not closed in order: over TLS that waits for the server's leave to go.
        self._transport.abort()

    def get_extra_info(self, info: str) -> Any:
        """Return the one thing that is asked of an idle connection: whether it said anything.

        It has nothing to say then but that it ends, or what belongs to no request.
        """
        return info == "is_readable" and (self._over or bool(self._unread))

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)
