"""Which items a submission answers: those of a version and split of a benchmark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolkit.errors import UserError
from toolkit.release.history import ids_digest
from toolkit.store.workspace import Workspace
from toolkit.submissions.manifest import BenchmarkRef

__all__ = ["Benchmark", "find_benchmark"]

_HUB: Final = re.compile(r"(?P<dataset>[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(@v?(?P<version>.+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """A split of a version.

    Attributes:
        name: name of the benchmark.
        version: its version.
        split: the split.
        item_ids: ids of its items.
        data_digest: sha256 of the version's data as released; None where it is not released.
    """

    name: str
    version: str
    split: str
    item_ids: tuple[str, ...]
    data_digest: str | None = None

    def ref(self) -> BenchmarkRef:
        """Return what a manifest says of it."""
        return BenchmarkRef(
            name=self.name,
            version=self.version,
            split=self.split,
            items=len(self.item_ids),
            ids_digest=ids_digest(self.item_ids),
            data_digest=self.data_digest,
        )


def find_benchmark(what: str, split: str, workspace: Workspace) -> Benchmark:
    """Return a split of a benchmark.

    Args:
        what: a recipe that was run, the folder of a release, or ``org/name@v1.0`` on the Hub.
        split: name of the split.
        workspace: where a recipe was run.

    Raises:
        UserError: there is no such benchmark, version or split.
    """
    path = Path(what)
    if path.is_dir():
        from toolkit.submissions.released import released_benchmark

        return released_benchmark(path, split)
    if path.is_file():
        from toolkit.recipe.load import load_recipe
        from toolkit.submissions.recipe_items import recipe_benchmark

        return recipe_benchmark(load_recipe(path), split, workspace)
    found = _HUB.fullmatch(what)
    if found is None or what.endswith((".yaml", ".yml")):
        raise UserError(
            f"no benchmark '{what}'",
            hint="name a recipe, the folder of a release, or org/dataset@v1.0",
        )
    from toolkit.submissions.hub_release import hub_benchmark

    return hub_benchmark(found["dataset"], found["version"], split)
