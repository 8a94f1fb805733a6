"""A request to the Hub double, and its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.doubles.hub_store import Refused, Repo

if TYPE_CHECKING:
    from tests.doubles.hub_server import Account, HubServer


@dataclass
class Answer:
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None


@dataclass
class Call:
    hub: HubServer
    method: str
    path: str
    query: Mapping[str, list[str]]
    body: bytes
    headers: Any
    account: Account | None

    def json(self) -> Any:
        return json.loads(self.body) if self.body else {}

    def flag(self, name: str) -> bool:
        return self.query.get(name, ["false"])[0].lower() in ("1", "true")

    def repo(self, kind: str | None, name: str) -> Repo:
        found = self.hub.repos.get(((kind or "models").removesuffix("s"), name))
        if found is None or (found.private and not self.owns(found)):
            raise Refused(404 if self.account else 401, "Repository not found", "RepoNotFound")
        return found

    def owns(self, repo: Repo) -> bool:
        owner = repo.id.split("/")[0]
        return self.account is not None and owner in (self.account.name, *self.account.orgs)

    def writable(self, kind: str | None, name: str) -> Repo:
        repo = self.repo(kind, name)
        if self.account is None:
            raise Refused(401, "Invalid username or password.")
        if not self.owns(repo) or not self.account.write:
            raise Refused(403, "you must use a write token of the owner of this repository")
        return repo


def page(call: Call, rows: list[Any]) -> Answer:
    start = int(call.query.get("cursor", ["0"])[0])
    end = start + call.hub.page
    headers = {}
    if end < len(rows):
        keep = "".join(f"&{k}={v[0]}" for k, v in call.query.items() if k != "cursor")
        headers["Link"] = f'<{call.hub.url}{call.path}?cursor={end}{keep}>; rel="next"'
    return Answer(body=rows[start:end], headers=headers)
