"""What stands in a repository: its files by name and checksum, and their texts."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.errors import RunError
from toolkit.hub.failures import NotThere
from toolkit.hub.repository import Repository
from toolkit.hub.retry import persist

if TYPE_CHECKING:
    from toolkit.hub.client import Client

__all__ = [
    "Fingerprint",
    "RemoteFile",
    "download",
    "download_texts",
    "fingerprint",
    "matches",
    "remote_tree",
]

_BLOCK = 1 << 20
_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a commit.

    Attributes:
        oid: git's checksum of the file; of a large file, of its pointer.
        sha256: of a large file's bytes (64 hex digits); None for a file that git holds itself.
        size: bytes.
    """

    oid: str
    sha256: str | None
    size: int


def remote_tree(client: Client, repository: Repository, revision: str) -> dict[str, RemoteFile]:
    """Return the files of a commit by name; none where repository or revision does not exist.

    Raises:
        UserError: the token may not see it.
        RunError: the Hub cannot be reached.
    """
    from huggingface_hub.hf_api import RepoFile

    def ask() -> dict[str, RemoteFile]:
        entries = client.api.list_repo_tree(
            repository.id,
            recursive=True,
            revision=revision,
            repo_type=repository.kind,
            token=client.token,
        )
        return {
            entry.path: RemoteFile(
                entry.blob_id, entry.lfs.sha256 if entry.lfs else None, entry.size
            )
            for entry in entries
            if isinstance(entry, RepoFile)
        }

    try:
        return dict(sorted(persist(ask, f"the files of {repository}", client.patience).items()))
    except NotThere:
        return {}


def download(
    client: Client,
    repository: Repository,
    revision: str,
    files: Mapping[str, RemoteFile],
    folder: Path,
) -> None:
    """Fetch files of a commit into a folder, and compare their checksums.

    No cache of the user's is read or written: what is taken down must not stay in one.

    Args:
        client: who asks.
        repository: where they stand.
        revision: a commit.
        files: the files, as :func:`remote_tree` lists them.
        folder: where they go, under the same names.

    Raises:
        UserError: a file is not there.
        RunError: a file came with other bytes, or the Hub cannot be reached.
    """
    with (
        tempfile.TemporaryDirectory(prefix="toolkit-hub-") as scratch,
        ThreadPoolExecutor(_AT_ONCE) as pool,
    ):

        def fetch(name: str) -> None:
            where = f"{name} of {repository}"
            fetched = persist(
                lambda: client.api.hf_hub_download(
                    repository.id,
                    name,
                    repo_type=repository.kind,
                    revision=revision,
                    local_dir=scratch,
                    token=client.token,
                ),
                where,
                client.patience,
            )
            if not matches(Path(fetched), files[name]):
                raise RunError(
                    f"{where}: other bytes came than the Hub lists", hint="run the command again"
                )
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(fetched, folder / name)

        for done in [pool.submit(fetch, name) for name in sorted(files)]:
            done.result()


def download_texts(
    client: Client, repository: Repository, revision: str, files: Mapping[str, RemoteFile]
) -> dict[str, str]:
    """Return files of a commit as UTF-8 text, by name.

    Raises:
        UserError: one is not there.
        RunError: one is no UTF-8 or has other bytes than listed, or the Hub cannot be reached.
    """
    found = {}
    with tempfile.TemporaryDirectory(prefix="toolkit-hub-") as scratch:
        download(client, repository, revision, files, Path(scratch))
        for name in sorted(files):
            try:
                found[name] = (Path(scratch) / name).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                raise RunError(
                    f"{name} of {repository} is no UTF-8 text", hint="correct it on the Hub"
                ) from None
    return found


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What the bytes of a file are known by, in git and as a large file.

    Attributes:
        sha256: of the bytes (64 hex digits).
        oid: git's checksum of the bytes (40 hex digits).
        size: bytes.
    """

    sha256: str
    oid: str
    size: int

    def matches(self, file: RemoteFile) -> bool:
        """Say whether a remote file has these bytes."""
        if self.size != file.size:
            return False
        return self.oid == file.oid if file.sha256 is None else self.sha256 == file.sha256


def fingerprint(path: Path) -> Fingerprint:
    """Return the fingerprint of a file, which is read once."""
    size = path.stat().st_size
    checksum, git = hashlib.sha256(), hashlib.sha1(usedforsecurity=False)
    git.update(b"blob %d\0" % size)
    with path.open("rb") as handle:
        while block := handle.read(_BLOCK):
            checksum.update(block)
            git.update(block)
    return Fingerprint(checksum.hexdigest(), git.hexdigest(), size)


def matches(path: Path, file: RemoteFile) -> bool:
    """Say whether a local file has the bytes of a remote one."""
    return path.stat().st_size == file.size and fingerprint(path).matches(file)
