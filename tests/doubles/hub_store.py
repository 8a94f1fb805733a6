"""The repositories of the Hub double: commits, branches, tags, pull requests, large files."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.doubles.hub_checks import card_errors, eval_errors

LARGE = (".parquet", ".arrow", ".bin", ".png", ".zip")
REGULAR_LIMIT = 10 << 20
_PATH = re.compile(r"(?!.*(^|/)(\.git|\.cache)(/|$))(?!.*(^|/)\.\.?(/|$))[^/\\\0]+(/[^/\\\0]+)*")
_clock = itertools.count()


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, message: str, code: str = "", **body: object) -> None:
        super().__init__(message)
        self.status, self.message, self.code, self.body = status, message, code, body


@dataclass(frozen=True)
class Entry:
    """A file of a commit: its bytes, or what points to a large file."""

    data: bytes | None = None
    sha256: str = ""
    size: int = 0

    @property
    def pointer(self) -> bytes:
        lines = ("version https://git-lfs.github.com/spec/v1", f"oid sha256:{self.sha256}")
        return ("\n".join((*lines, f"size {self.size}")) + "\n").encode()

    def oid(self) -> str:
        data = self.pointer if self.data is None else self.data
        return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()

    def listed(self, path: str) -> dict:
        if self.data is not None:
            return {"type": "file", "oid": self.oid(), "size": len(self.data), "path": path}
        about = {"oid": self.sha256, "size": self.size, "pointerSize": len(self.pointer)}
        return {
            "type": "file",
            "oid": self.oid(),
            "size": self.size,
            "path": path,
            "lfs": about,
        }


@dataclass(frozen=True)
class Commit:
    oid: str
    tree: dict[str, Entry]
    title: str
    message: str
    parent: str | None


@dataclass
class Repo:
    kind: str
    id: str
    private: bool = False
    gated: bool = False
    commits: dict[str, Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    pulls: dict[str, str] = field(default_factory=dict)
    discussions: list[dict] = field(default_factory=list)
    objects: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        attributes = "".join(f"*{suffix} filter=lfs -text\n" for suffix in LARGE).encode()
        first = self.add({".gitattributes": Entry(attributes)}, "initial commit", "", None)
        self.branches["main"] = first

    def add(self, tree: dict[str, Entry], title: str, message: str, parent: str | None) -> str:
        text = json.dumps([title, message, parent, next(_clock)])
        oid = hashlib.sha1(text.encode()).hexdigest()
        self.commits[oid] = Commit(oid, dict(tree), title, message, parent)
        return oid

    def find(self, revision: str) -> Commit:
        """Return the commit of a branch, a tag, a pull request or a (short) commit."""
        name = revision.removeprefix("refs/heads/")
        for names in (self.branches, self.tags, self.pulls):
            if name in names:
                return self.commits[names[name]]
        for oid, commit in self.commits.items():
            if len(name) >= 7 and oid.startswith(name):
                return commit
        raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")

    def commit(self, revision: str, lines: list[dict], *, pull: bool) -> tuple[str, int | None]:
        """Make a commit; return it, and the number of a pull request that was opened."""
        header = lines[0]
        if header.get("key") != "header" or not header["value"].get("summary"):
            raise Refused(400, "a commit needs a summary")
        if not pull and revision not in self.branches and revision not in self.pulls:
            raise Refused(400, f"{revision} is no branch")
        base = self.find(revision)
        parent = header["value"].get("parentCommit")
        if parent and not pull and not base.oid.startswith(parent):
            raise Refused(412, "A commit has happened since. Please refresh and try again.")
        tree = dict(base.tree)
        self._apply(tree, lines[1:])
        value = header["value"]
        oid = self.add(tree, value["summary"], value.get("description", ""), base.oid)
        if pull:
            return oid, self.open_pull(value["summary"], oid)
        if revision in self.branches:
            self.branches[revision] = oid
        else:
            self.pulls[revision] = oid
        return oid, None

    def open_pull(self, title: str, oid: str) -> int:
        number = len(self.discussions) + 1
        self.discussions.append({"num": number, "title": title, "status": "open"})
        self.pulls[f"refs/pr/{number}"] = oid
        return number

    def _apply(self, tree: dict[str, Entry], lines: list[dict]) -> None:
        seen = set()
        for line in lines:
            value = line["value"]
            path = value["path"]
            if not _PATH.fullmatch(path) or path in seen:
                raise Refused(400, f"invalid or repeated path {path!r}")
            seen.add(path)
            if line["key"] == "file":
                tree[path] = self._regular(path, value)
            elif line["key"] == "lfsFile":
                tree[path] = self._large(path, value)
            elif line["key"] == "deletedFile":
                if tree.pop(path, None) is None:
                    raise Refused(404, "A file with this name doesn't exist", "EntryNotFound")
            elif line["key"] == "deletedFolder":
                inside = [name for name in tree if name.startswith(path.rstrip("/") + "/")]
                for name in inside:
                    del tree[name]
            else:
                raise Refused(400, f"unknown operation {line['key']}")

    def _regular(self, path: str, value: dict) -> Entry:
        import base64

        if value.get("encoding") != "base64":
            raise Refused(400, "unknown encoding")
        data = base64.b64decode(value["content"], validate=True)
        if len(data) > REGULAR_LIMIT:
            raise Refused(400, f"{path} is larger than 10 MiB and must be stored as LFS")
        if path == "README.md":
            errors, _ = card_errors(data.decode(), self.kind)
            if errors:
                raise Refused(400, f"Invalid metadata in README.md: {'; '.join(errors)}")
        if path == "eval.yaml" and self.kind == "dataset" and (found := eval_errors(data.decode())):
            raise Refused(400, f"Invalid eval.yaml: {'; '.join(found)}")
        return Entry(data)

    def _large(self, path: str, value: dict) -> Entry:
        known = self.objects.get(value["oid"])
        if known is None:
            raise Refused(
                400, f"LFS pointer pointed to a file that does not exist: {path}, {value['oid']}"
            )
        if value.get("size", len(known)) != len(known):
            raise Refused(400, f"the size of {path} is not that of its object")
        return Entry(None, value["oid"], len(known))

    def squash(self, branch: str, message: str) -> None:
        if branch not in self.branches:
            raise Refused(400, f"invalid reference for a branch: {branch}")
        head = self.commits[self.branches[branch]]
        self.branches[branch] = self.add(head.tree, message, "", None)

    def history(self, revision: str) -> list[Commit]:
        found = [self.find(revision)]
        while found[-1].parent is not None:
            found.append(self.commits[found[-1].parent])
        return found

    def references(self) -> dict[str, str]:
        return {**self.branches, **{f"tag:{t}": c for t, c in self.tags.items()}, **self.pulls}

    def delete_objects(self, shas: Iterable[str], *, rewrite: bool) -> None:
        gone = set(shas)
        for sha in gone:
            if self.objects.pop(sha, None) is None:
                raise Refused(404, f"no object {sha}", "EntryNotFound")
        if not rewrite:
            return
        for branch, head in list(self.branches.items()):
            line = list(reversed(self.history(head)))
            if any(entry.sha256 in gone for commit in line for entry in commit.tree.values()):
                parent = None
                for old in line:
                    tree = {p: e for p, e in old.tree.items() if e.sha256 not in gone}
                    parent = self.add(tree, old.title, old.message, parent)
                self.branches[branch] = parent

    def read(self, entry: Entry) -> bytes:
        if entry.data is not None:
            return entry.data
        if entry.sha256 not in self.objects:
            raise Refused(404, "Entry not found", "EntryNotFound")
        return self.objects[entry.sha256]
