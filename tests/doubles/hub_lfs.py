"""Large files of the Hub double: announced, sent whole or in parts, listed, deleted for good."""

from __future__ import annotations

import hashlib
from typing import Any

from tests.doubles.hub_call import Answer, Call, page
from tests.doubles.hub_store import Entry, Refused, Repo


def lfs_batch(call: Call, kind: str | None, id: str) -> Answer:
    pulls = call.account is not None and "refs/pr" in str(call.json().get("ref", ""))
    repo = call.repo(kind, id) if pulls else call.writable(kind, id)
    given = call.json()
    if given.get("operation") != "upload":
        raise Refused(400, "only uploads")
    objects = []
    for thing in given["objects"]:
        oid, size = thing["oid"], thing["size"]
        answer: dict[str, Any] = {"oid": oid, "size": size}
        if oid not in repo.objects:
            base = f"{call.hub.url}/_lfs/{repo.kind}/{repo.id}/{oid}"
            upload: dict[str, Any] = {"href": base}
            part = call.hub.multipart
            if part and size > part:
                count = -(-size // part)
                links = {str(n): f"{base}/part/{n}" for n in range(1, count + 1)}
                upload = {"href": f"{base}/complete", "header": {"chunk_size": str(part), **links}}
            verify = {"href": f"{call.hub.url}{call.path.replace('objects/batch', 'verify')}"}
            answer["actions"] = {"upload": upload, "verify": verify}
        objects.append(answer)
    transfer = "multipart" if call.hub.multipart else "basic"
    return Answer(
        body={"transfer": transfer, "objects": objects},
        headers={"Content-Type": "application/vnd.git-lfs+json"},
    )


def _keep(repo: Repo, oid: str, data: bytes) -> None:
    if hashlib.sha256(data).hexdigest() != oid:
        raise Refused(400, "the sha256 of the bytes is not the oid")
    repo.objects[oid] = data


def lfs_put(call: Call, kind: str, id: str, oid: str, number: str | None = None) -> Answer:
    repo = call.hub.repos[(kind, id)]
    if number is None:
        _keep(repo, oid, call.body)
    else:
        call.hub.parts.setdefault(oid, {})[int(number)] = call.body
    return Answer(headers={"ETag": f'"{hashlib.sha256(call.body).hexdigest()[:16]}"'})


def lfs_complete(call: Call, kind: str, id: str, oid: str) -> Answer:
    parts = call.hub.parts.pop(oid, {})
    given = call.json()["parts"]
    tags = [hashlib.sha256(parts.get(p["partNumber"], b"")).hexdigest()[:16] for p in given]
    if tags != [part["etag"].strip('"') for part in given] or len(given) != len(parts):
        raise Refused(400, "parts are missing")
    _keep(call.hub.repos[(kind, id)], oid, b"".join(parts[n] for n in sorted(parts)))
    return Answer(body={"oid": oid})


def lfs_verify(call: Call, kind: str | None, id: str) -> Answer:
    given = call.json()
    data = call.repo(kind, id).objects.get(given["oid"])
    if data is None or len(data) != given["size"]:
        raise Refused(404, "no such object")
    return Answer(body={})


def lfs_files(call: Call, kind: str, id: str) -> Answer:
    repo = call.writable(kind, id)
    names = {
        entry.sha256: path
        for one in repo.commits.values()
        for path, entry in one.tree.items()
        if entry.sha256
    }
    rows = [
        {
            "fileOid": sha,
            "filename": names.get(sha, ""),
            "oid": Entry(None, sha, len(data)).oid(),
            "pushedAt": "2026-01-01T00:00:00.000Z",
            "ref": "main",
            "size": len(data),
        }
        for sha, data in sorted(repo.objects.items())
    ]
    return page(call, rows)


def lfs_delete(call: Call, kind: str, id: str) -> Answer:
    given = call.json()["deletions"]
    call.writable(kind, id).delete_objects(given["sha"], rewrite=given["rewriteHistory"])
    return Answer(body={})
