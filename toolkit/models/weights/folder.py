"""A model that is a folder of files: a folder of one's own, of a package, or of the Hub."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolkit.errors import MissingError, SourceError, UserError
from toolkit.models.weights.digests import file_sha256
from toolkit.models.weights.hub import NotOnHub, hub_folder, is_commit
from toolkit.models.weights.packaged import FOLDERS, PackagedWeights, packaged_path, verified_path

__all__ = ["ModelFolder"]

_REPOSITORY: Final = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)?")
# No pickles: a checkpoint in another format than safetensors could run code when it is read.
_FILES: Final = ("*.jinja", "*.json", "*.model", "*.safetensors", "*.txt")


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """How a recipe names a model that is a folder.

    Attributes:
        model: ``owner/repository``, or a bare name that belongs to ``owner``; None with a
            folder.
        folder: a folder of one's own, which wins over ``model``; or None.
        revision: the Hub commit, which rules the package out; or None.
        what: what messages call it.
        owner: whom bare names belong to on the Hub; empty where they stand alone.
        code: whether the model comes with Python code that is to run.
        by: how a folder of one's own is written in a recipe.
    """

    model: str | None
    folder: Path | None = None
    revision: str | None = None
    what: str = "model"
    owner: str = ""
    code: bool = False
    by: str = "folder: path/to/model"

    def identify(self) -> dict[str, Any]:
        """Return what makes these weights themselves: a sha256 or a Hub commit. No network.

        The sha256 of packaged weights is the declared one; :meth:`locate` checks the file. A
        Hub model without a revision is the commit that the local Hub cache holds.

        Raises:
            MissingError: the weights are not here and no revision says which are meant.
            SourceError: the folder holds no model.
            UserError: the name or the revision is malformed.
        """
        if self.folder is not None:
            return {"sha256": self._folder_digest(self.folder)}
        package = self._package()
        if package is not None and packaged_path(package) is not None:
            return {"sha256": package.sha256}
        if self.revision is not None:
            return {"hub": self._repository(), "revision": self.revision}
        return {"hub": self._repository(), "revision": self._from_hub(download=False).name}

    def locate(self) -> Path:
        """Return the model's folder, downloaded from the Hub if need be.

        Raises:
            MissingError: it cannot be had; the message names the three ways.
            SourceError: a file is not the one it should be.
            UserError: the name or the revision is malformed.
        """
        if self.folder is not None:
            self._folder_digest(self.folder)
            return self.folder
        package = self._package()
        path = None if package is None else verified_path(package)
        return path if path is not None else self._from_hub(download=True)

    def _repository(self) -> str:
        name = self.model or ""
        if not _REPOSITORY.fullmatch(name):
            raise UserError(
                f"'{name}' is not the name of a model",
                hint=f"write a name such as owner/repository; a folder of your own is {self.by}",
            )
        if self.revision is not None and not is_commit(self.revision):
            raise UserError(
                f"the revision '{self.revision}' of {name} is not the 40 hex digits of a commit",
                hint="a branch or tag can move; copy the commit from the repository's history",
            )
        return name if "/" in name or not self.owner else f"{self.owner}/{name}"

    def _package(self) -> PackagedWeights | None:
        """Return the package that carries the model, if one does and no commit is asked for."""
        repository = self._repository()
        return None if self.revision else FOLDERS.get(repository)

    def _patterns(self) -> tuple[str, ...]:
        return (*_FILES, "*.py") if self.code else _FILES

    def _from_hub(self, *, download: bool) -> Path:
        repository = self._repository()
        try:
            return hub_folder(repository, self.revision, self._patterns(), download=download)
        except NotOnHub as error:
            package = FOLDERS.get(repository)
            bring = "none carries this model" if package is None else f"`{package.install}`"
            raise MissingError(
                f"the weights of the {self.what} '{self.model}' are not here: no folder is named, "
                f"no package with them is installed, and the Hub gave nothing ({error})",
                hint=f"three ways to have them: a folder of your own ({self.by}), an installed "
                f"package ({bring}), or the Hub (`hf download {repository}` once, or revision: "
                "COMMIT with a connection and HF_HUB_OFFLINE unset)",
            ) from error

    def _folder_digest(self, folder: Path) -> str:
        """Return one sha256 over all files of a model that loading it can read."""
        files = sorted({path for pattern in self._patterns() for path in folder.rglob(pattern)})
        if not any(path.suffix == ".safetensors" for path in files):
            raise SourceError(
                f"the folder {folder} holds no model in safetensors format",
                hint="name a folder with a saved model: its .json files and model.safetensors",
            )
        listing = "\n".join(
            f"{path.relative_to(folder).as_posix()} {file_sha256(path)}" for path in files
        )
        return hashlib.sha256(listing.encode()).hexdigest()
