"""Take finished calls out of a ledger and into another one, so that nobody pays for them twice.

Only finished calls travel. Claims, open requests and calls of unknown outcome belong to the
runs of one workspace. Money stays with those who spent it: an imported call costs nothing here.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolkit.errors import SourceError, StoreError
from toolkit.store.atomic import replacing
from toolkit.store.canonical import canonical_json, digest
from toolkit.store.ledger import Ledger

__all__ = ["FORMAT", "Imported", "export_ledger", "import_ledger", "merge_ledger"]

FORMAT: Final = "leaderboard-toolkit ledger 1"
"""First line of an export, as ``{"format": ...}``."""

_BATCH: Final = 200
_TEXTS: Final = ("provider", "base_url", "api_version", "state", "status", "reason", "content_type")


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: calls that are new here, and calls that were here already."""

    new: int
    present: int


def export_ledger(ledger: Ledger, file: Path) -> int:
    """Write all finished calls as JSON Lines, in the order of their keys.

    The file holds prompts and replies in full: it is as confidential as the data asked about.

    Returns:
        The number of calls written.
    """
    count = 0
    with replacing(file) as temporary, temporary.open("w", encoding="utf-8") as handle:
        handle.write(canonical_json({"format": FORMAT}) + "\n")
        for row in _finished(ledger):
            handle.write(canonical_json(row) + "\n")
            count += 1
    return count


def import_ledger(ledger: Ledger, file: Path) -> Imported:
    """Add the calls of an export. A file with a fault is refused before anything is added.

    Raises:
        SourceError: the file is no export, or a line is damaged; the message names it.
        StoreError: a call here has another reply than the file says.
    """
    for _ in _read_export(file):
        pass
    return _add_all(ledger, _read_export(file))


def merge_ledger(ledger: Ledger, other: Path) -> Imported:
    """Add the finished calls of another ledger, which is left as it is.

    Raises:
        StoreError: the other one cannot be opened, or both have another reply to a request.
    """
    if not other.exists():
        raise StoreError(f"no ledger at {other}", hint="give the path of a ledger.sqlite")
    with Ledger(other) as source:
        return _add_all(ledger, _finished(source))


def _finished(ledger: Ledger) -> Iterator[dict[str, Any]]:
    last = ""
    while rows := ledger.submit(lambda db, after=last: _page(db, after)).result():  # type: ignore[misc]
        yield from rows
        last = str(rows[-1]["key"])


def _page(db: sqlite3.Connection, after: str) -> list[dict[str, Any]]:
    cursor = db.execute(
        "SELECT key, provider, base_url, api_version, body, repeat, state, status, requests.reason,"
        " content_type, response, http_status, prompt_tokens, completion_tokens,"
        " reasoning_tokens FROM requests JOIN calls USING (key)"
        # The reply is that of the last finished call; a refusal may have been asked again.
        " WHERE key > ? AND state IN ('done', 'failed') AND attempt = (SELECT MAX(attempt)"
        " FROM calls AS other WHERE other.key = requests.key AND outcome IN ('done', 'failed'))"
        " ORDER BY key LIMIT ?",
        (after, _BATCH),
    )
    names = [column[0] for column in cursor.description]
    rows = []
    for values in cursor:
        row = dict(zip(names, values, strict=True))
        row["body"] = json.loads(row["body"])
        row["response"] = base64.b64encode(row["response"]).decode("ascii")
        rows.append(row)
    return rows


def _read_export(file: Path) -> Iterator[dict[str, Any]]:
    with file.open("rb") as handle:
        for number, line in enumerate(handle, 1):
            where = f"{file.name}:{number}"
            try:
                row = json.loads(line.decode("utf-8"))
            except (ValueError, RecursionError) as error:
                raise _damaged(where, "not a line of JSON in UTF-8") from error
            if number == 1:
                if row != {"format": FORMAT}:
                    raise _damaged(where, "not an export of a ledger that this version reads")
                continue
            if fault := _fault(row):
                raise _damaged(where, fault)
            yield row


def _damaged(where: str, fault: str) -> SourceError:
    return SourceError(f"{where}: {fault}", hint="export it again with `toolkit ledger export`")


def _fault(row: Any) -> str:
    if not isinstance(row, dict) or not isinstance(row.get("body"), dict):
        return "no call"
    if not all(isinstance(row.get(name), str) for name in _TEXTS):
        return "a text is missing"
    if row["state"] not in ("done", "failed") or not isinstance(row.get("repeat"), int):
        return "no finished call"
    try:
        base64.b64decode(str(row.get("response")), validate=True)
    except (ValueError, binascii.Error):
        return "the reply is no base64"
    identity = {name: row[name] for name in ("provider", "base_url", "api_version", "body")}
    # The key is computed, not believed: a wrong one would answer another request.
    if digest({**identity, "repeat": row["repeat"]}) != row.get("key"):
        return "the key is not that of the request"
    return ""


def _add_all(ledger: Ledger, rows: Iterator[dict[str, Any]]) -> Imported:
    futures = [ledger.submit(lambda db, row=row: _add(db, row, ledger.path)) for row in rows]  # type: ignore[misc]
    added = [bool(future.result()) for future in futures]
    return Imported(new=sum(added), present=len(added) - sum(added))


def _add(db: sqlite3.Connection, row: Mapping[str, Any], path: Path) -> bool:
    response = base64.b64decode(row["response"])
    checksum = hashlib.sha256(response).hexdigest()
    found = db.execute(
        "SELECT state, response_sha256 FROM requests WHERE key = ?", (row["key"],)
    ).fetchone()
    if found is not None and found[0] in ("done", "failed"):
        if found[1] != checksum:
            raise StoreError(
                f"{path} and the import have different replies to the request {row['key'][:12]}",
                hint="both were paid; the reply that is here stays. Leave that line out",
            )
        return False
    if found is not None and found[0] == "claimed":
        raise StoreError(
            f"the request {row['key'][:12]} is being asked right now",
            hint="import again when no run is using this workspace",
        )
    db.execute(
        "INSERT INTO requests (key, provider, base_url, api_version, body, repeat, state, status,"
        " reason, content_type, response, response_sha256)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET"
        " state = excluded.state, status = excluded.status, reason = excluded.reason,"
        " content_type = excluded.content_type, response = excluded.response,"
        " response_sha256 = excluded.response_sha256",
        (
            *(row["key"], row["provider"], row["base_url"], row["api_version"]),
            *(canonical_json(row["body"]), row["repeat"], row["state"], row["status"]),
            *(row["reason"], row["content_type"], response, checksum),
        ),
    )
    db.execute(
        "INSERT INTO calls (key, attempt, run, outcome, http_status, reason, sent_at,"
        " prompt_tokens, completion_tokens, reasoning_tokens, reserved_pico_usd, cost_pico_usd)"
        " SELECT ?, COALESCE(MAX(attempt), 0) + 1, '(imported)', ?, ?, ?,"
        " strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), ?, ?, ?, 0, 0 FROM calls WHERE key = ?",
        (
            *(row["key"], row["state"], row.get("http_status"), row["reason"]),
            *(row.get("prompt_tokens"), row.get("completion_tokens")),
            *(row.get("reasoning_tokens"), row["key"]),
        ),
    )
    return True
