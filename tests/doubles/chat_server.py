"""A real chat server on 127.0.0.1 that fails as told and logs each call before it answers.

As a program: ``python tests/doubles/chat_server.py --port 0 --log FILE --script JSON``; it
prints its base URL. In tests: ``with ChatServer(tmp_path, script=[...]) as server``.

The script is a list of rules. The first rule that has uses left, and whose ``match`` stands in
the last message, shapes the reply; without one the reply is a good answer. Keys of a rule:

    match     text that must stand in the last message
    times     how often the rule applies (default 1; 0 = always)
    delay     seconds to wait before replying
    status    HTTP status (default 200)
    headers   headers to add or replace
    body      the body itself: text, or JSON that is dumped
    size      a body of so many bytes
    charset   charset the body is encoded in (default utf-8)
    patch     keys to replace in the good reply
    message   keys to replace in its message
    finish    its finish_reason
    close     "before": drop the connection without a reply; "torn": after half of the body
    echo      Idempotency-Key to send back
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.doubles.program import ServerProgram


def good_reply(body: dict[str, Any]) -> dict[str, Any]:
    """A valid completion whose text depends on the request alone."""
    prompt = json.dumps(body["messages"], sort_keys=True)
    mark = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:12]
    text = f"Treatment {mark} lowered risk. More trials are needed."
    read, written = len(prompt.split()), len(text.split())
    return {
        "id": f"chatcmpl-{time.time_ns()}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": f"{body['model']}-served",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
        },
    }


class _State:
    def __init__(self, log: Path, script: list[dict[str, Any]], latency: float) -> None:
        self.lock = threading.Lock()
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.script = script
        self.left = [rule.get("times", 1) or float("inf") for rule in script]
        self.latency = latency
        self.now = self.peak = 0

    def record(self, row: dict[str, Any], last: str) -> dict[str, Any]:
        with self.lock:
            rule: dict[str, Any] = {}
            for index, candidate in enumerate(self.script):
                if self.left[index] > 0 and candidate.get("match", "") in last:
                    self.left[index] -= 1
                    rule = candidate
                    break
            self.now += 1
            self.peak = max(self.peak, self.now)
            row = {**row, "in_flight": self.now, "rule": rule.get("match", "")}
            os.write(self.log, json.dumps(row).encode() + b"\n")
            os.fsync(self.log)
        return rule


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: _State

    def log_message(self, *args: Any) -> None: ...

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        body = json.loads(raw)
        row = {
            "key": self.headers.get("idempotency-key"),
            "path": self.path,
            "authorization": self.headers.get("authorization"),
            "headers": sorted(name.lower() for name in self.headers),
            "body": body,
            "time": time.time(),
        }
        rule = self.state.record(row, body["messages"][-1]["content"])
        try:
            time.sleep(rule.get("delay", self.state.latency))
            self._reply(rule, body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            with self.state.lock:
                self.state.now -= 1

    def _reply(self, rule: dict[str, Any], body: dict[str, Any]) -> None:
        if rule.get("close") == "before":
            self.close_connection = True
            return
        data = self._data(rule, body)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(data))}
        if "echo" in rule:
            headers["Idempotency-Key"] = rule["echo"]
        self.send_response(rule.get("status", 200))
        for name, value in {**headers, **rule.get("headers", {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if rule.get("close") == "torn":
            data = data[: len(data) // 2]
            self.close_connection = True
        self.wfile.write(data)
        self.wfile.flush()

    def _data(self, rule: dict[str, Any], body: dict[str, Any]) -> bytes:
        if "size" in rule:
            return b" " * rule["size"]
        if "body" in rule:
            text = rule["body"]
            return (text if isinstance(text, str) else json.dumps(text)).encode(
                rule.get("charset", "utf-8")
            )
        reply = {**good_reply(body), **rule.get("patch", {})}
        if "message" in rule:
            reply["choices"][0]["message"].update(rule["message"])
        if "finish" in rule:
            reply["choices"][0]["finish_reason"] = rule["finish"]
        return json.dumps(reply, ensure_ascii=False).encode(rule.get("charset", "utf-8"))


class _Server(ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True


class ChatServer(ServerProgram):
    """The server as a process of its own, for the length of a block."""

    def __init__(
        self,
        folder: Path,
        script: list[dict[str, Any]] | None = None,
        *,
        latency: float = 0.0,
        port: int = 0,
    ) -> None:
        self.log = folder / "server.jsonl"
        super().__init__(
            *(__file__, "--port", str(port), "--log", str(self.log)),
            *("--script", json.dumps(script or []), "--latency", str(latency)),
        )

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Each call received so far, in order."""
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    @property
    def hits(self) -> Counter[str]:
        """How often each key was received."""
        return Counter(call["key"] for call in self.calls)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--script", default="[]", help="JSON, or @FILE")
    parser.add_argument("--latency", type=float, default=0.0)
    options = parser.parse_args()
    script = options.script
    if script.startswith("@"):
        script = Path(script[1:]).read_text()
    _Handler.state = _State(options.log, json.loads(script), options.latency)
    server = _Server(("127.0.0.1", options.port), _Handler)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}/v1\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
