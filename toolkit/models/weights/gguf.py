"""A model that is one GGUF file: a file of one's own, of a package, or of the Hub."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolkit.errors import MissingError, UserError, suggest
from toolkit.models.weights.digests import file_sha256, file_stamp
from toolkit.models.weights.hub import NotOnHub, hub_file, is_commit
from toolkit.models.weights.packaged import FILES, packaged_path, verified_path

__all__ = ["GgufFile"]

_HUB_NAME: Final = re.compile(r"([\w.-]+/[\w.-]+):([\w./-]+\.gguf)")


@dataclass(frozen=True, slots=True)
class GgufFile:
    """How a recipe names a GGUF file.

    Attributes:
        model: a known name or ``owner/repository:file.gguf`` on the Hub; None with a file.
        file: an explicit path, or None.
        revision: the Hub commit; None for the other two.
    """

    model: str | None
    file: Path | None = None
    revision: str | None = None

    def identify(self) -> dict[str, Any]:
        """Return what makes these weights themselves: a sha256, or a file of a Hub commit.

        No network, no download. The sha256 of a packaged file is the declared one; the file is
        checked against it when it is located.

        Raises:
            MissingError: the package is not installed, or the name is known to nobody.
            SourceError: the explicit file cannot be read.
            UserError: the name or revision is malformed.
        """
        if self.file is not None:
            return {"sha256": file_sha256(self.file)}
        package = FILES.get(self.model or "")
        if package is not None:
            if packaged_path(package) is None:
                raise self._not_installed()
            return {"sha256": package.sha256}
        repository, file, commit = self._hub_parts()
        return {"hub": repository, "file": file, "revision": commit}

    def locate(self) -> Path:
        """Return the file, downloaded from the Hub if need be, and checked.

        Raises:
            MissingError: it cannot be had; the message names the three ways.
            SourceError: the file is not the one it should be.
            UserError: the name or revision is malformed.
        """
        if self.file is not None:
            file_stamp(self.file)
            return self.file
        package = FILES.get(self.model or "")
        if package is not None:
            path = verified_path(package)
            if path is None:
                raise self._not_installed()
            return path
        repository, file, commit = self._hub_parts()
        try:
            return hub_file(repository, file, commit)
        except NotOnHub as error:
            raise self._missing(
                f"the Hub did not give {file} of {repository} at {commit[:12]}: {error}"
            ) from error

    def _hub_parts(self) -> tuple[str, str, str]:
        match = _HUB_NAME.fullmatch(self.model or "")
        if match is None:
            raise self._missing(f"no weights are known as '{self.model}'")
        if not is_commit(self.revision):
            raise UserError(
                f"the weights '{self.model}' need a revision: the 40 hex digits of a commit",
                hint="open the repository's history on the Hub, copy the commit, write "
                "revision: ...",
            )
        return match[1], match[2], str(self.revision)

    def _not_installed(self) -> MissingError:
        return self._missing(f"the weights of '{self.model}' are not installed")

    def _missing(self, problem: str) -> MissingError:
        packaged = "; ".join(f"'{name}' with `{FILES[name].install}`" for name in sorted(FILES))
        near = suggest(self.model or "", sorted(FILES))
        return MissingError(
            problem,
            hint=f"{near + '; ' if near.startswith('did') else ''}three ways to name weights: an "
            f"installed package ({packaged}), a file of your own (file: path/to/model.gguf), or "
            "the Hub (model: owner/repository:file.gguf with revision: COMMIT)",
        )
