"""The items of a release on the Hub, at the tag of its version."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolkit.errors import MissingError, RunError, UserError
from toolkit.release.history import HISTORY_FILE
from toolkit.submissions.benchmark import Benchmark
from toolkit.submissions.released import released_benchmark, split_pattern

__all__ = ["hub_benchmark"]


def hub_benchmark(dataset: str, version: str | None, split: str) -> Benchmark:
    """Return a split of a released version; files go through the cache of ``huggingface_hub``.

    Args:
        dataset: ``org/name``.
        version: the version, whose tag is ``v`` and its number.
        split: name of the split.

    Raises:
        UserError: there is no such dataset, version or split, or it is not to be read.
        RunError: the Hub cannot be reached.
    """
    if version is None:
        raise UserError(
            f"{dataset}: a submission is made for one version",
            hint=f"write {dataset}@v1.0, or whichever the card names",
        )
    tag = f"v{version}"
    folder = _fetch(dataset, tag, ["README.md", HISTORY_FILE])
    pattern = split_pattern(_card(folder), split, f"{dataset}@{tag}")
    folder = _fetch(dataset, tag, ["README.md", HISTORY_FILE, pattern])
    return released_benchmark(folder, split, name=dataset, version=version)


def _card(folder: Path) -> str:
    try:
        return (folder / "README.md").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            "the dataset has no card that can be read", hint="name a published benchmark"
        ) from error


def _fetch(dataset: str, revision: str, patterns: list[str]) -> Path:
    from huggingface_hub import snapshot_download

    with _told(f"{dataset} at {revision}"):
        folder = snapshot_download(
            dataset, repo_type="dataset", revision=revision, allow_patterns=patterns
        )
    return Path(folder)


@contextmanager
def _told(what: str) -> Iterator[None]:
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    try:
        yield
    except RevisionNotFoundError:
        raise UserError(
            f"{what} does not exist", hint="write the version as the card's releases name it"
        ) from None
    except GatedRepoError:
        raise UserError(
            f"{what} is gated and this account has no access",
            hint="accept its terms on the Hub, and set HF_TOKEN",
        ) from None
    except (RepositoryNotFoundError, HFValidationError):
        raise UserError(
            f"{what} does not exist, or is private", hint="correct the name, or set HF_TOKEN"
        ) from None
    except OfflineModeIsEnabled:
        raise MissingError(
            f"{what} cannot be reached: HF_HUB_OFFLINE is set", hint="unset HF_HUB_OFFLINE"
        ) from None
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        # Only the kind: a message of the library can hold an address with its query.
        raise RunError(
            f"{what} cannot be read: {type(error).__name__}",
            hint="check the network and HF_ENDPOINT, then run the command again",
        ) from None
