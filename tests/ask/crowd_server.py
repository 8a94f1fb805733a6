"""A chat server for crowds: a thousand connections, and a limit on what it takes.

As a program it prints its base URL and ends with its standard input; then it writes what it
saw as one line of JSON: calls taken and turned away, the most at once, tokens it reported, and
when it took each call. The shared fault server has a thread a connection; this has none.

    --latency S    seconds before a reply
    --at-once N    most calls at a time; the others get a 429
    --tokens N     tokens that a call is said to have read, and as many written
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from typing import Any, Self


class _Crowd:
    def __init__(self, latency: float, at_once: int | None, tokens: int) -> None:
        self.latency, self.at_once, self.tokens = latency, at_once, tokens
        self.now = 0
        self.seen: dict[str, Any] = {"taken": 0, "turned_away": 0, "peak": 0, "times": []}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                await reader.readexactly(length)
                writer.write(await self._reply())
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _reply(self) -> bytes:
        if self.at_once is not None and self.now >= self.at_once:
            self.seen["turned_away"] += 1
            return _http("429 Too Many Requests", {"error": {"message": "too many"}})
        self.now += 1
        self.seen["taken"] += 1
        self.seen["times"].append(time.time())
        self.seen["peak"] = max(self.seen["peak"], self.now)
        await asyncio.sleep(self.latency)
        self.now -= 1
        message = {"role": "assistant", "content": "Yes."}
        return _http(
            "200 OK",
            {
                "id": "1",
                "object": "chat.completion",
                "created": 0,
                "model": "m",
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": self.tokens, "completion_tokens": self.tokens},
            },
        )


def _http(status: str, body: dict[str, Any]) -> bytes:
    data = json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(data)}"
    return f"{head}\r\n\r\n".encode() + data


class CrowdServer:
    """The server as a process of its own, for the length of a block; ``seen`` is there after."""

    def __init__(self, *, latency: float = 0.0, at_once: int = 0, tokens: int = 10) -> None:
        self._command = [
            *(sys.executable, __file__, "--latency", str(latency)),
            *("--at-once", str(at_once), "--tokens", str(tokens)),
        ]

    def __enter__(self) -> Self:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        return self

    def __exit__(self, *_: object) -> None:
        self.seen: dict[str, Any] = json.loads(self._process.communicate()[0])


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--at-once", type=int, default=0, help="0 for no limit")
    parser.add_argument("--tokens", type=int, default=10)
    options = parser.parse_args()
    crowd = _Crowd(options.latency, options.at_once or None, options.tokens)
    server = await asyncio.start_server(crowd.serve, "127.0.0.1", 0, backlog=4096)
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1\n")
    sys.stdout.flush()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    sys.stdout.write(json.dumps(crowd.seen))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())
