"""A chat endpoint that costs its client as little as possible: for benchmarks, not for tests.

    python bench/chat_endpoint.py --latency 0.1

One event loop, one protocol a connection, the same reply to every request after a fixed wait,
about 0.05 ms of CPU a call. It prints its base URL and ends with its standard input.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
from typing import Self

_REPLY = json.dumps(
    {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": "The treatment lowered the risk. " * 8},
            }
        ],
        "usage": {"prompt_tokens": 300, "completion_tokens": 64, "total_tokens": 364},
    }
).encode()
_DATA = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(_REPLY)
) + _REPLY


class _Connection(asyncio.Protocol):
    latency = 0.0

    def __init__(self) -> None:
        self._data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._data += data
        end = self._data.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self._data[:end].lower()
        start = head.index(b"content-length:") + len(b"content-length:")
        length = int(head[start:].split(b"\r\n", 1)[0])
        if len(self._data) < end + 4 + length:
            return
        self._data = self._data[end + 4 + length :]
        if self.latency:
            asyncio.get_running_loop().call_later(self.latency, self._reply)
        else:
            self._reply()

    def _reply(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(_DATA)


class ChatEndpoint:
    """The endpoint as a process of its own, for the length of a block."""

    def __init__(self, latency: float) -> None:
        self._command = [sys.executable, __file__, "--latency", str(latency)]

    def __enter__(self) -> Self:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


async def serve(latency: float) -> None:
    _Connection.latency = latency
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Connection, "127.0.0.1", 0, backlog=4096)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--latency", type=float, default=0.1, help="seconds before a reply (0.1)")
    asyncio.run(serve(parser.parse_args().latency))


if __name__ == "__main__":
    main()
