"""A Hub on 127.0.0.1, strict where the real one is, that fails as told and logs each request.

In tests: ``with HubServer() as hub``; client code gets ``hub.environment(home)``. Rules of
``hub.fail(...)`` are looked at in order; the first that matches and is due shapes the answer:

    route     regular expression that must match ``METHOD /path``
    nth       which of the matching requests from now on is the first to fail (1 by default)
    times     how many of them fail (1 by default)
    status    answer with this status instead, before anything is done
    headers   with these headers
    close     "before": drop the connection, nothing is done; "after": do it, then drop it
    delay     seconds to wait before anything is done
    before    function called before anything is done; it may kill the client
    after     function called after it was done, before the answer
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from tests.doubles.hub_call import Answer, Call
from tests.doubles.hub_routes import ROUTES
from tests.doubles.hub_store import Refused, Repo

TOKEN = "hf_" + "localtestlocaltestlocaltest"
STRANGER = "hf_" + "strangerstrangerstranger000"
READER = "hf_" + "readerreaderreaderreader000"


@dataclass
class Account:
    name: str
    orgs: tuple[str, ...] = ()
    write: bool = True


@dataclass
class Rule:
    route: str
    nth: int = 1
    times: int = 1
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    close: str = ""
    delay: float = 0.0
    before: Callable[[], None] | None = None
    after: Callable[[], None] | None = None
    seen: int = 0

    def due(self, line: str) -> bool:
        if not re.search(self.route, line):
            return False
        self.seen += 1
        return self.nth <= self.seen < self.nth + self.times


class HubServer:
    """The server; it runs in a thread of its own while the block lasts."""

    def __init__(self, *, multipart: int = 0, page: int = 50) -> None:
        self.lock = threading.RLock()
        self.repos: dict[tuple[str, str], Repo] = {}
        self.accounts = {
            TOKEN: Account("tester", ("org",)),
            STRANGER: Account("stranger"),
            READER: Account("reader", ("org",), write=False),
        }
        self.parts: dict[str, dict[int, bytes]] = {}
        self.multipart, self.page = multipart, page
        self.rules: list[Rule] = []
        self.log: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def environment(self, home: object, token: str | None = TOKEN) -> dict[str, str]:
        """Return what a client's environment needs, before it imports anything."""
        found = {
            "HF_ENDPOINT": self.url,
            "HF_HUB_DISABLE_XET": "1",
            "HF_HOME": str(home),
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        }
        return found if token is None else {**found, "HF_TOKEN": token}

    def fail(self, route: str, **how: Any) -> Rule:
        """Add a rule."""
        rule = Rule(route, **how)
        with self.lock:
            self.rules.append(rule)
        return rule

    def repo(self, name: str, kind: str = "dataset") -> Repo:
        return self.repos[(kind, name)]

    def make(self, name: str, kind: str = "dataset", **about: Any) -> Repo:
        """Make a repository behind everybody's back."""
        self.repos[(kind, name)] = Repo(kind, name, **about)
        return self.repos[(kind, name)]

    def hits(self, route: str) -> list[dict[str, Any]]:
        """Return the requests so far that match."""
        with self.lock:
            return [row for row in self.log if re.search(route, row["line"])]

    def changes(self) -> list[str]:
        """Return the requests that were to change something."""
        reads = r"validate-yaml|paths-info|preupload"
        return [
            row["line"]
            for row in self.log
            if row["line"].split()[0] not in ("GET", "HEAD") and not re.search(reads, row["line"])
        ]


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that was killed resets its connection.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: HubServer

    def log_message(self, *_: object) -> None:
        pass

    def _any(self) -> None:
        body = self._body()
        parts = urlsplit(self.path)
        line = f"{self.command} {parts.path}"
        with self.hub.lock:
            rule = next((rule for rule in self.hub.rules if rule.due(line)), None) or Rule("")
        if rule.before:
            rule.before()
        if rule.delay:
            time.sleep(rule.delay)
        if rule.close == "before":
            return self._drop(line)
        if rule.status:
            answer = Answer(rule.status, {"error": "as the test asked"}, dict(rule.headers))
        else:
            answer = self._route(parts.path, parse_qs(parts.query), body)
        if rule.after:
            rule.after()
        if rule.close == "after":
            return self._drop(line)
        self._send(line, answer)
        return None

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = _any  # noqa: N815

    def _body(self) -> bytes:
        if self.headers.get("Content-Length") is not None:
            return self.rfile.read(int(self.headers["Content-Length"]))
        parts = []
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
        return b"".join(parts)

    def _route(self, path: str, query: dict[str, list[str]], body: bytes) -> Answer:
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        account = self.hub.accounts.get(token) if scheme == "Bearer" else None
        if token and account is None:
            return _refusal(Refused(401, "Invalid credentials in Authorization header"))
        call = Call(
            hub=self.hub,
            method=self.command,
            path=path,
            query=query,
            body=body,
            headers=self.headers,
            account=account,
        )
        with self.hub.lock:
            try:
                for methods, pattern, function in ROUTES:
                    found = re.fullmatch(pattern, path)
                    if found and self.command in methods.split():
                        return function(call, **found.groupdict())
                raise Refused(404, f"no route {self.command} {path}")
            except Refused as error:
                return _refusal(error)

    def _drop(self, line: str) -> None:
        self._note(line, 0)
        self.close_connection = True

    def _send(self, line: str, answer: Answer) -> None:
        data = answer.raw if answer.raw is not None else json.dumps(answer.body).encode()
        headers = {
            "Content-Type": "application/json",
            "Content-Length": str(len(data)),
            "X-Request-Id": f"local-{len(self.hub.log)}",
            **answer.headers,
        }
        self._note(line, answer.status)
        try:
            self.send_response(answer.status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _note(self, line: str, status: int) -> None:
        row = {"line": line, "status": status, "token": bool(self.headers.get("Authorization"))}
        with self.hub.lock:
            self.hub.log.append(row)


def _refusal(error: Refused) -> Answer:
    headers = {"X-Error-Message": ascii(error.message)[1:-1]}
    if error.code:
        headers["X-Error-Code"] = error.code
    return Answer(error.status, {"error": error.message, **error.body}, headers)
