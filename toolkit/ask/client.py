"""One HTTP exchange with a chat endpoint: sent once, never again behind anybody's back."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from toolkit.ask.check import BODY_LIMIT
from toolkit.models.base import ServerModel
from toolkit.models.openai_compatible import is_loopback
from toolkit.store.canonical import canonical_json
from toolkit.store.ledger_types import LedgerRequest
from toolkit.store.redact import redact

if TYPE_CHECKING:
    from httpx2 import Response
    from openai import AsyncOpenAI

__all__ = ["ChatClient", "Exchange"]

_CONNECT_S: Final = 15.0
# The library looks at each connection of a pool, and asks the kernel about the idle ones,
# twice a call; so a pool is kept small and there are as many as are needed.
_CONNECTIONS: Final = 16
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


class _NotOkError(Exception):
    """Carries a reply other than 200 out of the library, with its body capped."""

    def __init__(self, response: Response, body: bytes) -> None:
        super().__init__(response.status_code)
        self.response = response
        self.body = body


@dataclass(slots=True)
class _Pool:
    """A client with connections of its own, and how many requests are at it."""

    client: AsyncOpenAI
    busy: int = 0


class ChatClient:
    """An async client for one model; use it as an async context manager.

    No retries, no redirects (they would carry a text to a server nobody named), and no
    proxy for loopback addresses.
    """

    def __init__(self, model: ServerModel, secret: str | None) -> None:
        """Keep whom to ask; connections open when they are needed.

        Args:
            model: whom to ask.
            secret: the key, None for a server without one.
        """
        self._model = model
        self._secret = secret
        self._trust_env = not is_loopback(model.endpoint)
        self._pools: list[_Pool] = []
        self._certificates: ssl.SSLContext | None = None

    async def __aenter__(self) -> Self:
        import httpx2

        # Read once: it takes longer than many calls.
        self._certificates = httpx2.create_ssl_context(trust_env=self._trust_env)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for pool in self._pools:
            await pool.client.close()
        self._pools.clear()

    def _pool(self) -> _Pool:
        """Return the first pool with a connection to spare."""
        for pool in self._pools:
            if pool.busy < _CONNECTIONS:
                return pool
        self._pools.append(_Pool(self._new_client()))
        return self._pools[-1]

    def _new_client(self) -> AsyncOpenAI:
        import httpx2
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Omit

        connect_s = min(_CONNECT_S, self._model.timeout_s)
        version = self._model.api_version
        # What the library would read from the environment must not reach another server.
        headers: dict[str, Any] = {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit()}
        assert self._certificates is not None
        return AsyncOpenAI(
            api_key=self._secret or "none",
            base_url=self._model.endpoint,
            max_retries=0,
            timeout=httpx2.Timeout(self._model.timeout_s, connect=connect_s),
            default_headers=headers,
            default_query={"api-version": version} if version else None,
            http_client=DefaultAsyncHttpxClient(
                follow_redirects=False,
                trust_env=self._trust_env,
                verify=self._certificates,
                limits=httpx2.Limits(
                    max_connections=_CONNECTIONS,
                    max_keepalive_connections=_CONNECTIONS,
                    keepalive_expiry=_IDLE_S,
                ),
                event_hooks={"response": [_stop_at_errors]},
            ),
        )

    async def exchange(self, request: LedgerRequest) -> Exchange:
        """Send a request once and say how that ended. Raises nothing but a cancellation."""
        import httpx2
        import openai

        # Longer than both waits inside it together, so that a connection that does not come
        # about is told from a reply that does not.
        deadline_s = self._model.timeout_s + min(_CONNECT_S, self._model.timeout_s)
        pool = self._pool()
        pool.busy += 1
        try:
            async with asyncio.timeout(deadline_s):
                return await self._send(pool.client, request)
        except _NotOkError as error:
            return _reply(error.response, error.body, request.key)
        except TimeoutError:
            return Exchange("unknown", f"no whole reply within {deadline_s:g} s")
        except (openai.APIConnectionError, httpx2.RequestError, httpx2.StreamError) as error:
            return self._lost(error.__cause__ or error)
        except (ssl.SSLError, OSError) as error:
            return self._lost(error)
        finally:
            pool.busy -= 1

    async def _send(self, client: AsyncOpenAI, request: LedgerRequest) -> Exchange:
        import httpx2
        from openai import AsyncStream, Omit

        key = request.key
        headers: dict[str, str | Omit] = {"Idempotency-Key": key, "X-Client-Request-Id": key}
        if self._secret is None:
            headers["Authorization"] = Omit()
        # Asked for the bare response, the library hands it out unread and unparsed; its type
        # hints only know its own stream class.
        response: Any = await client.post(
            self._model.path,
            cast_to=httpx2.Response,
            # The very bytes the key was computed from, not another rendering of them.
            content=canonical_json(request.body).encode("utf-8"),
            options={"headers": headers},
            stream=True,
            stream_cls=AsyncStream[Any],
        )
        try:
            return _reply(response, await _read_capped(response), key)
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
        )
        text = redact(str(error)).strip()
        if isinstance(error, httpx2.TimeoutException) and not isinstance(error, never_sent):
            return Exchange("unknown", f"no reply within {self._model.timeout_s:g} s")
        if isinstance(error, never_sent):
            reason = f"no connection to {self._model.endpoint}"
            return Exchange("not_sent", f"{reason}: {text}" if text else reason)
        return Exchange("unknown", f"the connection broke: {text or type(error).__name__}")


async def _stop_at_errors(response: Response) -> None:
    # The library reads the whole body of an error, however long; this reads what is needed.
    if response.status_code != 200:
        raise _NotOkError(response, await _read_capped(response))


async def _read_capped(response: Response) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_bytes(1 << 16):
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
