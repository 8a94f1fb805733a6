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
from toolkit.store.canonical import file_digest

if TYPE_CHECKING:
    from toolkit.hub.client import Client

__all__ = ["RemoteFile", "download", "download_texts", "git_oid", "matches", "remote_tree"]

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


def git_oid(path: Path) -> str:
    """Return the checksum git gives a file's bytes (40 hex digits)."""
    checksum = hashlib.sha1(usedforsecurity=False)
    checksum.update(b"blob %d\0" % path.stat().st_size)
    with path.open("rb") as handle:
        while block := handle.read(_BLOCK):
            checksum.update(block)
    return checksum.hexdigest()


def matches(path: Path, file: RemoteFile) -> bool:
    """Say whether a local file has the bytes of a remote one."""
    if path.stat().st_size != file.size:
        return False
    if file.sha256 is not None:
        return file_digest(path) == file.sha256
    return git_oid(path) == file.oid
