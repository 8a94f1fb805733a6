"""A read-only Hub on 127.0.0.1: one data set at some commits, by the endpoints clients ask.

It refuses what the real one refuses: unknown repositories, revisions and files, and private
data without the right token.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

TOKEN = "hf_localtestlocaltestlocal"


class HubDouble(ThreadingHTTPServer):
    """Serves ``files[commit][path]``; ``branches`` maps names to commits."""

    daemon_threads = True

    def __init__(
        self,
        repo: str,
        files: Mapping[str, Mapping[str, bytes]],
        branches: Mapping[str, str],
        *,
        private: bool = False,
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repo = repo
        self.files = files
        self.branches = branches
        self.private = private
        self.log: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @contextmanager
    def running(self) -> Iterator[HubDouble]:
        thread = threading.Thread(target=self.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.shutdown()
            thread.join()
            self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HubDouble

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._route()

    def do_GET(self) -> None:
        self._route()

    def do_POST(self) -> None:
        self._route()

    def _route(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode()
        path = unquote(urlsplit(self.path).path)
        self.server.log.append(f"{self.command} {path}")
        api, files = f"/api/datasets/{self.server.repo}", f"/datasets/{self.server.repo}/resolve/"
        denied = self.server.private and self.headers.get("Authorization") != f"Bearer {TOKEN}"
        if denied or not (path.startswith((f"{api}/", files)) or path == api):
            self._send(401 if denied else 404, {"error": "no"}, {"X-Error-Code": "RepoNotFound"})
            return
        if path.startswith(files):
            revision, _, name = path.removeprefix(files).partition("/")
            self._file(revision, name)
            return
        kind, _, rest = path.removeprefix(api).lstrip("/").partition("/")
        revision, _, folder = rest.partition("/")
        commit = self._commit(revision or "main")
        if commit is None:
            return
        if kind in ("", "revision"):
            names = [{"rfilename": name} for name in sorted(self.server.files[commit])]
            info = {"id": self.server.repo, "sha": commit, "private": self.server.private}
            self._send(200, {**info, "gated": False, "tags": [], "siblings": names})
        elif kind == "tree":
            self._tree(commit, folder)
        elif kind == "paths-info":
            asked = [unquote(pair.partition("=")[2]) for pair in body.split("&")]
            self._send(200, [e for name in asked for e in self._entries(commit, name)])
        else:
            self._send(404, {"error": path}, {"X-Error-Code": "EntryNotFound"})

    def _commit(self, revision: str) -> str | None:
        commit = self.server.branches.get(revision, revision)
        if commit in self.server.files:
            return commit
        self._send(404, {"error": revision}, {"X-Error-Code": "RevisionNotFound"})
        return None

    def _entries(self, commit: str, name: str) -> list[dict[str, object]]:
        data = self.server.files[commit].get(name)
        if data is None:
            return []
        oid = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
        return [{"type": "file", "oid": oid, "size": len(data), "path": name}]

    def _tree(self, commit: str, folder: str) -> None:
        inside = f"{folder}/" if folder else ""
        entries: dict[str, dict[str, object]] = {}
        for name in sorted(self.server.files[commit]):
            if name.startswith(inside):
                head, slash, _ = name.removeprefix(inside).partition("/")
                path = inside + head
                directory = {"type": "directory", "oid": "0" * 40, "size": 0, "path": path}
                entries[path] = directory if slash else self._entries(commit, name)[0]
        if folder and not entries:
            self._send(404, {"error": folder}, {"X-Error-Code": "EntryNotFound"})
            return
        self._send(200, list(entries.values()))

    def _file(self, revision: str, name: str) -> None:
        commit = self._commit(revision)
        if commit is None:
            return
        data = self.server.files[commit].get(name)
        headers = {"X-Repo-Commit": commit, "Accept-Ranges": "bytes"}
        if data is None:
            self._send(404, {"error": name}, {**headers, "X-Error-Code": "EntryNotFound"})
            return
        headers["ETag"] = f'"{hashlib.sha1(data).hexdigest()}"'
        asked = self.headers.get("Range", "")
        if asked.startswith("bytes=") and self.command == "GET":
            low, _, high = asked.removeprefix("bytes=").partition("-")
            start = int(low) if low else max(0, len(data) - int(high))
            stop = min(int(high) + 1 if low and high else len(data), len(data))
            headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(data)}"
            self._send(206, data[start:stop], headers)
        else:
            self._send(200, data, headers)

    def _send(self, code: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        for key, value in {"Content-Type": kind, **(headers or {})}.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
