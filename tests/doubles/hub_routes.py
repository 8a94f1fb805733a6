"""The addresses of the Hub double, and what each does."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote

from tests.doubles.hub_call import Answer, Call, page
from tests.doubles.hub_checks import card_errors
from tests.doubles.hub_lfs import (
    lfs_batch,
    lfs_complete,
    lfs_delete,
    lfs_files,
    lfs_put,
    lfs_verify,
)
from tests.doubles.hub_store import LARGE, REGULAR_LIMIT, Refused

if TYPE_CHECKING:
    pass

KIND = r"/api/(?P<kind>models|datasets|spaces)/(?P<id>[^/]+/[^/]+)"
PLAIN = r"/(?:(?P<kind>datasets|spaces)/)?(?P<id>[^/]+/[^/]+)"


def whoami(call: Call) -> Answer:
    if call.account is None:
        raise Refused(401, "Invalid username or password.")
    role = "write" if call.account.write else "read"
    return Answer(
        body={
            "type": "user",
            "id": "1",
            "name": call.account.name,
            "orgs": [{"name": name, "type": "org"} for name in call.account.orgs],
            "auth": {"type": "access_token", "accessToken": {"displayName": "x", "role": role}},
        }
    )


def validate(call: Call) -> Answer:
    given = call.json()
    errors, warnings = card_errors(given["content"], given["repoType"])
    body = {
        "errors": [{"message": text} for text in errors],
        "warnings": [{"message": text} for text in warnings],
    }
    return Answer(400 if errors else 200, body)


def create_repo(call: Call) -> Answer:
    if call.account is None:
        raise Refused(401, "Invalid username or password.")
    given = call.json()
    owner = given.get("organization") or call.account.name
    if owner not in (call.account.name, *call.account.orgs) or not call.account.write:
        raise Refused(403, f"You don't have the rights to create a repository under {owner}")
    kind, name = given.get("type", "model"), f"{owner}/{given['name']}"
    if not re.fullmatch(r"[\w][\w.-]{0,95}", given["name"]):
        raise Refused(400, "invalid name")
    if kind == "space" and given.get("sdk") not in ("static", "gradio", "docker"):
        raise Refused(400, "a Space needs an sdk")
    url = f"{call.hub.url}/{'' if kind == 'model' else kind + 's/'}{name}"
    if (kind, name) in call.hub.repos:
        raise Refused(409, f"You already created this {kind} repo", url=url)
    call.hub.make(name, kind, private=given.get("visibility") == "private")
    return Answer(body={"url": url, "name": name, "id": "1"})


def preupload(call: Call, kind: str, id: str, rev: str) -> Answer:
    repo = (
        call.repo(kind, id)
        if call.flag("create_pr") and call.account is not None
        else call.writable(kind, id)
    )
    tree = repo.find(unquote(rev)).tree
    files = call.json()["files"]
    if len(files) > 256:
        raise Refused(400, "too many files")
    ignored = tree[".gitignore"].data.decode().split() if ".gitignore" in tree else []
    answers = []
    for file in files:
        path = file["path"]
        large = file["size"] > REGULAR_LIMIT or path.endswith(LARGE)
        answer = {
            "path": path,
            "uploadMode": "lfs" if large else "regular",
            "shouldIgnore": path in ignored,
        }
        if path in tree:
            answer["oid"] = tree[path].sha256 or tree[path].oid()
        answers.append(answer)
    return Answer(body={"files": answers})


def commit(call: Call, kind: str, id: str, rev: str) -> Answer:
    pull = call.flag("create_pr")
    if pull:
        repo = call.repo(kind, id)
        if call.account is None:
            raise Refused(401, "Invalid username or password.")
    else:
        repo = call.writable(kind, id)
    lines = [json.loads(line) for line in call.body.splitlines() if line.strip()]
    oid, number = repo.commit(unquote(rev), lines, pull=pull)
    base = f"{call.hub.url}/{'' if kind == 'models' else kind + '/'}{id}"
    body = {"success": True, "commitOid": oid, "commitUrl": f"{base}/commit/{oid}"}
    if number is not None:
        body["pullRequestUrl"] = f"{base}/discussions/{number}"
    return Answer(body={**body, "hookOutput": ""})


def tag(call: Call, kind: str, id: str, rev: str) -> Answer:
    repo = call.writable(kind, id)
    if call.method == "DELETE":
        if repo.tags.pop(unquote(rev), None) is None:
            raise Refused(404, "Tag not found", "RevisionNotFound")
        return Answer(body={})
    oid, name = repo.find(unquote(rev)).oid, call.json()["tag"]
    if name in repo.tags:
        raise Refused(409, "Tag reference exists already")
    repo.tags[name] = oid
    return Answer(body={})


def branch(call: Call, kind: str, id: str, name: str) -> Answer:
    repo, name = call.writable(kind, id), unquote(name)
    if call.method == "DELETE":
        if name == "main":
            raise Refused(403, "main cannot be deleted")
        if repo.branches.pop(name, None) is None:
            raise Refused(404, "no such branch", "RevisionNotFound")
        return Answer(body={})
    if name in repo.branches:
        raise Refused(409, "Reference already exists")
    if name.startswith("refs/"):
        raise Refused(400, "invalid reference for a branch")
    repo.branches[name] = repo.find(call.json().get("startingPoint", "main")).oid
    return Answer(body={})


def squash(call: Call, kind: str, id: str, name: str) -> Answer:
    call.writable(kind, id).squash(unquote(name), call.json()["message"])
    return Answer(body={})


def refs(call: Call, kind: str, id: str) -> Answer:
    repo = call.repo(kind, id)

    def listed(names: Mapping[str, str], prefix: str) -> list[dict[str, str]]:
        return [
            {"name": name, "ref": prefix + name, "targetCommit": oid} for name, oid in names.items()
        ]

    body = {
        "branches": listed(repo.branches, "refs/heads/"),
        "tags": listed(repo.tags, "refs/tags/"),
        "converts": [],
    }
    if call.query.get("include_prs"):
        body["pullRequests"] = listed(repo.pulls, "")
    return Answer(body=body)


def info(call: Call, kind: str, id: str, rev: str = "main") -> Answer:
    repo = call.repo(kind, id)
    found = repo.find(unquote(rev))
    return Answer(
        body={
            "_id": "1",
            "id": repo.id,
            "author": repo.id.split("/")[0],
            "sha": found.oid,
            "private": repo.private,
            "gated": repo.gated,
            "disabled": False,
            "tags": [],
            "downloads": 0,
            "likes": 0,
            "lastModified": "2026-01-01T00:00:00.000Z",
            "createdAt": "2026-01-01T00:00:00.000Z",
            "siblings": [{"rfilename": path} for path in sorted(found.tree)],
        }
    )


def commits(call: Call, kind: str, id: str, rev: str) -> Answer:
    rows = [
        {
            "id": one.oid,
            "title": one.title,
            "message": one.message,
            "date": "2026-01-01T00:00:00.000Z",
            "authors": [{"user": "tester"}],
        }
        for one in call.repo(kind, id).history(unquote(rev))
    ]
    return page(call, rows)


def tree(call: Call, kind: str, id: str, rev: str, path: str | None = None) -> Answer:
    files = call.repo(kind, id).find(unquote(rev)).tree
    prefix = unquote(path or "").strip("/")
    base = prefix + "/" if prefix else ""
    deep = call.flag("recursive")
    rows: dict[str, dict[str, Any]] = {}
    for name, entry in sorted(files.items()):
        if not name.startswith(base):
            continue
        parts = name[len(base) :].split("/")
        for depth in range(1, len(parts)):
            if deep or depth == 1:
                folder = base + "/".join(parts[:depth])
                rows.setdefault(folder, _directory(folder))
        if deep or len(parts) == 1:
            rows[name] = entry.listed(name)
    if prefix and not rows:
        raise Refused(404, f"{prefix} does not exist", "EntryNotFound")
    return page(call, list(rows.values()))


def _directory(path: str) -> dict[str, Any]:
    oid = hashlib.sha1(path.encode()).hexdigest()
    return {"type": "directory", "oid": oid, "size": 0, "path": path}


def paths_info(call: Call, kind: str, id: str, rev: str) -> Answer:
    files = call.repo(kind, id).find(unquote(rev)).tree
    if "json" in call.headers.get("Content-Type", ""):
        asked = call.json()["paths"]
    else:
        asked = parse_qs(call.body.decode()).get("paths", [])
    rows = []
    for path in (name.strip("/") for name in asked):
        if path in files:
            rows.append(files[path].listed(path))
        elif any(name.startswith(path + "/") for name in files):
            rows.append(_directory(path))
    return Answer(body=rows)


def discussions(call: Call, kind: str, id: str) -> Answer:
    repo = call.repo(kind, id)
    if call.method == "POST":
        if call.account is None:
            raise Refused(401, "Invalid username or password.")
        number = repo.open_pull(call.json()["title"], repo.branches["main"])
        return Answer(body={"num": number, "pullRequest": True, "url": ""})
    rows = [
        {
            **row,
            "author": {"name": "tester"},
            "createdAt": "2026-01-01T00:00:00.000Z",
            "repo": {"name": repo.id, "type": repo.kind},
            "isPullRequest": True,
        }
        for row in repo.discussions
    ]
    return Answer(body={"discussions": rows, "count": len(rows), "start": 0})


def resolve(call: Call, kind: str | None, id: str, rev: str, path: str) -> Answer:
    repo = call.repo(kind, id)
    found = repo.find(unquote(rev))
    entry = found.tree.get(unquote(path))
    headers = {"X-Repo-Commit": found.oid, "Accept-Ranges": "bytes"}
    if entry is None:
        return Answer(
            404,
            {"error": "Entry not found"},
            {**headers, "X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"},
        )
    data = repo.read(entry)
    headers |= {"ETag": f'"{entry.sha256 or entry.oid()}"', "Content-Type": "application/octet"}
    if entry.sha256:
        headers |= {"X-Linked-Etag": f'"{entry.sha256}"', "X-Linked-Size": str(entry.size)}
    wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", call.headers.get("Range") or "")
    if not wanted or call.method != "GET":
        return Answer(200, None, headers, raw=data)
    first = int(wanted[1]) if wanted[1] else max(len(data) - int(wanted[2]), 0)
    last = int(wanted[2]) if wanted[1] and wanted[2] else len(data) - 1
    if first >= len(data):
        return Answer(416, None, {**headers, "Content-Range": f"bytes */{len(data)}"})
    part = data[first : last + 1]
    end = first + len(part) - 1
    headers["Content-Range"] = f"bytes {first}-{end}/{len(data)}"
    return Answer(206, None, headers, raw=part)


ROUTES = (
    ("GET", r"/api/whoami-v2", whoami),
    ("POST", r"/api/validate-yaml", validate),
    ("POST", r"/api/repos/create", create_repo),
    ("POST", KIND + r"/preupload/(?P<rev>[^/]+)", preupload),
    ("POST", PLAIN + r"\.git/info/lfs/objects/batch", lfs_batch),
    ("POST", PLAIN + r"\.git/info/lfs/verify", lfs_verify),
    ("PUT", r"/_lfs/(?P<kind>\w+)/(?P<id>[^/]+/[^/]+)/(?P<oid>[0-9a-f]{64})", lfs_put),
    (
        "PUT",
        r"/_lfs/(?P<kind>\w+)/(?P<id>[^/]+/[^/]+)/(?P<oid>[0-9a-f]{64})/part/(?P<number>\d+)",
        lfs_put,
    ),
    (
        "POST",
        r"/_lfs/(?P<kind>\w+)/(?P<id>[^/]+/[^/]+)/(?P<oid>[0-9a-f]{64})/complete",
        lfs_complete,
    ),
    ("POST", KIND + r"/commit/(?P<rev>[^/]+)", commit),
    ("POST DELETE", KIND + r"/tag/(?P<rev>[^/]+)", tag),
    ("POST DELETE", KIND + r"/branch/(?P<name>[^/]+)", branch),
    ("POST", KIND + r"/super-squash/(?P<name>[^/]+)", squash),
    ("GET", KIND + r"/refs", refs),
    ("GET", KIND + r"/commits/(?P<rev>[^/]+)", commits),
    ("GET", KIND + r"/tree/(?P<rev>[^/]+)(?:/(?P<path>.*))?", tree),
    ("POST", KIND + r"/paths-info/(?P<rev>[^/]+)", paths_info),
    ("GET", KIND + r"/lfs-files", lfs_files),
    ("POST", KIND + r"/lfs-files/batch", lfs_delete),
    ("GET POST", KIND + r"/discussions", discussions),
    (
        "GET HEAD",
        KIND + r"(?:/revision/(?P<rev>[^/]+))?",
        lambda c, kind, id, rev: info(c, kind, id, rev or "main"),
    ),
    ("GET HEAD", PLAIN + r"/resolve/(?P<rev>[^/]+)/(?P<path>.+)", resolve),
)
