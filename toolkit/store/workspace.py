"""Where things are: one folder with artifacts, runs, the ledger and the index of sources."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from toolkit.errors import StoreError, suggest

__all__ = ["Workspace", "find_workspace"]


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folder that holds all that runs produce and share.

    ``artifacts/<stage>/<fingerprint>/`` is shared between runs;
    ``runs/<name>-<first 8 of the plan's fingerprint>/`` holds one run's recipe, log, report;
    ``ledger.sqlite`` holds every paid call, ``answers/`` what models computed in workers.
    """

    root: Path

    @property
    def artifacts(self) -> Path:
        """Folder of all artifacts."""
        return self.root / "artifacts"

    @property
    def runs(self) -> Path:
        """Folder of all runs."""
        return self.root / "runs"

    @property
    def ledger(self) -> Path:
        """The ledger of paid calls."""
        return self.root / "ledger.sqlite"

    @property
    def answers(self) -> Path:
        """Answers of models that compute in workers."""
        return self.root / "answers"

    @property
    def source_index(self) -> Path:
        """Checksums of source files."""
        return self.root / "sources.json"

    def artifact(self, stage: str, fingerprint: str) -> Path:
        """Return the folder of an artifact, whether it exists or not."""
        return self.artifacts / stage / fingerprint[:32]

    def lock(self, name: str) -> Path:
        """Return the lock file called ``name``."""
        return self.root / "locks" / f"{name}.lock"

    def run(self, name: str) -> Path:
        """Return the folder of a run.

        Args:
            name: the folder's name, or ``latest``.

        Raises:
            StoreError: there is no such run.
        """
        if name == "latest":
            found = sorted(
                (path for path in self.runs.glob("*/run.json")),
                key=lambda path: path.stat().st_mtime_ns,
            )
            if found:
                return found[-1].parent
            raise StoreError(
                f"no run in the workspace {self.root}", hint="start one: toolkit run RECIPE"
            )
        folder = self.runs / name
        if not (folder / "run.json").is_file():
            known = sorted(path.parent.name for path in self.runs.glob("*/run.json"))
            raise StoreError(f"no run called '{name}' in {self.root}", hint=suggest(name, known))
        return folder


def find_workspace(given: str | os.PathLike[str] | None = None) -> Workspace:
    """Return the workspace: the one given, else ``TOOLKIT_WORKSPACE``, else ``.toolkit`` here."""
    root = given or os.environ.get("TOOLKIT_WORKSPACE") or ".toolkit"
    return Workspace(Path(root).absolute())
