"""A real server with batch endpoints on 127.0.0.1; what it was told and did lies on disk.

As a program: ``python tests/doubles/batch_server.py --folder DIR --rules JSON``; it prints its base
URL. Each batch, in the order of creation, takes the next rule; the last rule holds for all further
ones. Keys of a rule:

    polls       looks at it before it has ended (default 1)
    status      how it ends: completed (default), expired, cancelled, failed
    done        requests that are answered (default all)
    errors      custom ids' positions that stand in the error file with this code and words
    shuffle     lines in reverse order
    twice       repeat the first line with another text
    missing     leave the last so many lines out
    torn        cut the last line in half
    swap        exchange the custom ids of the first two lines for unknown ones
    faults      [code, words] of a failed batch
    silent      create the batch and drop the connection instead of answering
    upload      seconds between storing its input file and answering
    delay       seconds between creating the batch and answering
    hold        it does not end before the file ``go`` lies in the server's folder
    lines       raw lines put before the others in the output file
    texts       answers, by position; the good text of the chat server otherwise
    refusals    positions that are refused
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.doubles.chat_server import good_reply
from tests.doubles.program import ServerProgram


class _Store:
    """Files and batches of the server, durable before anything is answered."""

    def __init__(self, folder: Path, rules: list[dict[str, Any]]) -> None:
        self.folder = folder
        self.rules = rules or [{}]
        self.lock = threading.RLock()
        self.batches: dict[str, dict[str, Any]] = {}
        for file in sorted(folder.glob("batch_*.json")):
            data = json.loads(file.read_text())
            self.batches[data["id"]] = data

    def log(self, what: str, **more: Any) -> None:
        with (self.folder / "log.jsonl").open("a") as handle:
            handle.write(json.dumps({"what": what, **more}) + "\n")
            handle.flush()
            os.fsync(handle.fileno())

    def add_file(self, data: bytes) -> str:
        with self.lock:
            name = f"file-{len(list(self.folder.glob('file-*'))):04d}"
            (self.folder / name).write_bytes(data)
            self.log("upload", file=name, lines=data.count(b"\n"))
            return name

    @property
    def next_rule(self) -> dict[str, Any]:
        return self.rules[min(len(self.batches), len(self.rules) - 1)]

    def create(self, body: dict[str, Any]) -> dict[str, Any]:
        with self.lock:
            number = len(self.batches)
            rule = self.next_rule
            batch = {
                "id": f"batch_{number:04d}",
                "object": "batch",
                "endpoint": body["endpoint"],
                "completion_window": "24h",
                "created_at": 1,
                "input_file_id": body["input_file_id"],
                "metadata": body.get("metadata"),
                "status": "validating",
                "rule": rule,
                "polls": 0,
            }
            self.batches[batch["id"]] = batch
            lines = (self.folder / body["input_file_id"]).read_text().splitlines()
            ids = [json.loads(line)["custom_id"] for line in lines]
            self.log("create", batch=batch["id"], ids=ids)
            self.save(batch)
            return batch

    def save(self, batch: dict[str, Any]) -> None:
        (self.folder / f"{batch['id']}.json").write_text(json.dumps(batch))

    def look(self, batch_id: str) -> dict[str, Any]:
        with self.lock:
            batch = self.batches[batch_id]
            batch["polls"] += 1
            held = batch["rule"].get("hold") and not (self.folder / "go").exists()
            over = batch["polls"] > batch["rule"].get("polls", 1) and not held
            if over and "output_file_id" not in batch:
                self._end(batch)
            elif batch["status"] == "validating":
                batch["status"] = "in_progress"
            self.save(batch)
            return batch

    def _end(self, batch: dict[str, Any]) -> None:
        rule = batch["rule"]
        batch["status"] = rule.get("status", "completed")
        if batch["status"] == "failed":
            code, words = rule.get("faults", ["invalid_request", "no"])
            batch["errors"] = {"object": "list", "data": [{"code": code, "message": words}]}
            batch["output_file_id"] = None
            return
        requests = [
            json.loads(line)
            for line in (self.folder / batch["input_file_id"]).read_text().splitlines()
        ]
        output, errors = _answered(requests, rule)
        batch["output_file_id"] = self.add_file(output) if output else None
        batch["error_file_id"] = self.add_file(errors) if errors else None


def _answered(requests: list[dict[str, Any]], rule: dict[str, Any]) -> tuple[bytes, bytes]:
    """The bytes of the output file and of the error file."""
    wrong = {int(place): fault for place, fault in rule.get("errors", {}).items()}
    done = rule.get("done", len(requests))
    output, errors = [], []
    for place, request in enumerate(requests):
        line: dict[str, Any] = {"custom_id": request["custom_id"], "error": None}
        if place in wrong:
            code, words = wrong[place]
            errors.append(line | {"response": None, "error": {"code": code, "message": words}})
        elif place < done:
            reply = good_reply(request["body"])
            if place < len(rule.get("texts", [])):
                reply["choices"][0]["message"]["content"] = rule["texts"][place]
            if place in rule.get("refusals", []):
                reply["choices"][0]["message"] |= {"content": None, "refusal": "I cannot."}
            output.append(line | {"response": {"status_code": 200, "body": reply}})
        elif rule.get("status") in ("expired", "cancelled"):
            code = f"batch_{rule['status']}"
            errors.append(line | {"response": None, "error": {"code": code, "message": code}})
    first = "".join(f"{line}\n" for line in rule.get("lines", [])).encode()
    return first + _lines(_spoiled(output, rule), rule), _lines(errors, {})


def _spoiled(lines: list[dict[str, Any]], rule: dict[str, Any]) -> list[dict[str, Any]]:
    if rule.get("twice"):
        other = json.loads(json.dumps(lines[0]))
        other["response"]["body"]["choices"][0]["message"]["content"] = "Something else."
        lines = [*lines, other]
    if rule.get("swap"):
        lines = [
            {**line, "custom_id": "stranger"} if n < 2 else line for n, line in enumerate(lines)
        ]
    if rule.get("missing"):
        lines = lines[: -rule["missing"]]
    return lines[::-1] if rule.get("shuffle") else lines


def _lines(lines: list[dict[str, Any]], rule: dict[str, Any]) -> bytes:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    return (text[: -len(text.splitlines()[-1]) // 2] if rule.get("torn") else text).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store: _Store

    def log_message(self, *args: Any) -> None: ...

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.endswith("/files"):
            mark = re.search(r"boundary=(\S+)", self.headers["content-type"])
            assert mark is not None
            parts = data.split(b"--" + mark[1].encode())
            part = next(part for part in parts if b"filename=" in part)
            name = self.store.add_file(part.split(b"\r\n\r\n", 1)[1].removesuffix(b"\r\n"))
            time.sleep(self.store.next_rule.get("upload", 0))
            size = (self.store.folder / name).stat().st_size
            self._say(
                {
                    "id": name, "object": "file", "bytes": size, "created_at": 1,
                    "filename": "requests.jsonl", "purpose": "batch", "status": "processed",
                }
            )  # fmt: skip
            return
        batch = self.store.create(json.loads(data))
        time.sleep(batch["rule"].get("delay", 0))
        if batch["rule"].get("silent"):
            self.close_connection = True
            return
        self._say(batch)

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path.endswith("/content"):
            self._send((self.store.folder / path.split("/")[-2]).read_bytes(), "text/plain")
        elif path.endswith("/batches"):
            data = list(self.store.batches.values())
            self._say({"object": "list", "data": data, "has_more": False})
        else:
            self._say(self.store.look(path.split("/")[-1]))

    def _say(self, value: Any) -> None:
        self._send(json.dumps(value).encode(), "application/json")

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        with suppress(BrokenPipeError, ConnectionResetError):
            self.end_headers()
            self.wfile.write(data)


class BatchServer(ServerProgram):
    """The server as a process of its own, for the length of a block."""

    def __init__(self, folder: Path, rules: list[dict[str, Any]] | None = None) -> None:
        self.folder = folder / "batch-server"
        self.folder.mkdir(exist_ok=True)
        super().__init__(__file__, "--folder", str(self.folder), "--rules", json.dumps(rules or []))

    @property
    def created(self) -> list[list[str]]:
        """The custom ids of each batch, in the order of creation."""
        file = self.folder / "log.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        return [row["ids"] for line in lines if (row := json.loads(line))["what"] == "create"]

    @property
    def billed(self) -> tuple[int, int]:
        """Tokens read and written in all answers that the server has given."""
        read = written = 0
        for file in self.folder.glob("batch_*.json"):
            output = json.loads(file.read_text()).get("output_file_id")
            for line in (self.folder / output).read_text().splitlines() if output else []:
                usage = json.loads(line)["response"]["body"]["usage"]
                read += usage["prompt_tokens"]
                written += usage["completion_tokens"]
        return read, written


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--rules", default="[]")
    options = parser.parse_args()
    _Handler.store = _Store(options.folder, json.loads(options.rules))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}/v1\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
