"""Weights of the Hugging Face Hub: a commit says which, the local cache comes first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

__all__ = ["NotOnHub", "hub_file", "hub_folder", "is_commit"]

_COMMIT: Final = re.compile(r"[0-9a-f]{40}")


class NotOnHub(Exception):
    """Neither the local cache nor the Hub gave the weights; the text is the first reason."""


def is_commit(revision: str | None) -> bool:
    """Return whether a revision is a whole commit; branches and tags can move."""
    return _COMMIT.fullmatch(revision or "") is not None


def hub_file(repository: str, file: str, commit: str) -> Path:
    """Return one file of a commit, downloaded if need be.

    Raises:
        NotOnHub: it cannot be had.
    """
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        return Path(hf_hub_download(repository, file, revision=commit))
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise NotOnHub(_reason(error)) from error


def hub_folder(
    repository: str, commit: str | None, patterns: Sequence[str], *, download: bool
) -> Path:
    """Return the folder of a commit; without a commit, of the one the local cache holds.

    Args:
        repository: ``owner/repository``.
        commit: 40 hex digits, or None.
        patterns: which files are wanted.
        download: whether the network may be asked for what the cache lacks.

    Raises:
        NotOnHub: it cannot be had.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    problem: Exception | None = None
    # The cache comes first: without a commit, the branch must not move under a workspace.
    # With HF_HUB_OFFLINE=1 the library itself looks no further.
    for local in (True, False) if download else (True,):
        try:
            return Path(
                snapshot_download(
                    repository,
                    revision=commit,
                    allow_patterns=list(patterns),
                    local_files_only=local,
                )
            )
        except (HfHubHTTPError, OSError, ValueError) as error:
            problem = error
    raise NotOnHub(_reason(problem)) from problem


def _reason(error: Exception | None) -> str:
    first = str(error).strip().partition("\n")[0].partition(". ")[0]
    return first or type(error).__name__
