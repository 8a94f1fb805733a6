"""A run that lies on disk: its steps, its recipe, the artifacts it came to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from toolkit.errors import StoreError
from toolkit.store.artifact import Artifact, open_artifact
from toolkit.store.workspace import Workspace

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FinishedRun", "open_run"]


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run of a workspace.

    Attributes:
        name: name of its folder.
        workspace: where its artifacts lie.
        data: its ``run.json``.
        recipe: the resolved recipe that it ran.
    """

    name: str
    workspace: Workspace
    data: Mapping[str, Any]
    recipe: Mapping[str, Any]

    @property
    def steps(self) -> Mapping[str, Mapping[str, Any]]:
        """Its steps by name: stage, fingerprint, params, inputs, outcome."""
        steps: Mapping[str, Mapping[str, Any]] = self.data["steps"]
        return steps

    def artifact(self, step: str) -> Artifact:
        """Return what a step came to.

        Raises:
            StoreError: the run has no such step, or it was not finished.
        """
        about = self.steps.get(step)
        found = None
        if about is not None and about.get("fingerprint"):
            found = open_artifact(self.workspace.artifact(about["stage"], about["fingerprint"]))
        if found is None:
            raise StoreError(
                f"the run {self.name} has no finished step '{step}'",
                hint="run its recipe to the end: toolkit run RECIPE",
            )
        return found

    @property
    def cluster(self) -> str | None:
        """The column by which its leaderboard takes items together; None where each counts."""
        means = self.steps.get("leaderboard", {}).get("params", {}).get("means", {})
        column: str | None = means.get("cluster")
        return column

    def clusters(self) -> dict[str, str]:
        """Return the cluster of each of its items that has one, by item; none without a column.

        An item of a table that lacks the column stands alone, as variants' originals do where
        models answer both in tables of their own.

        Raises:
            StoreError: the items are not there any more.
        """
        found: dict[str, str] = {}
        if self.cluster is None:
            return found
        tables = {
            (name, step["params"]["table"])
            for step in self.steps.values()
            if step["stage"] == "generate"
            # The names stand sorted: which of them holds the items, only its tables say.
            for name in step["inputs"]
            if not name.startswith("validate/")
        }
        for step, table in sorted(tables):
            for batch in self.artifact(step).batches(table, ["item_id", self.cluster]):
                if self.cluster not in batch.schema.names:
                    break
                pairs = zip(batch[0].to_pylist(), batch[1].to_pylist(), strict=True)
                found |= {item: str(value) for item, value in pairs if value is not None}
        return found

    def scores(self) -> Iterator[pa.Table]:
        """Yield the scores that its leaderboard was made of, one batch a table."""
        import pyarrow as pa

        inputs = self.steps["leaderboard"]["inputs"]
        replaced = {
            name
            for step in inputs
            for name in self.artifact(step).manifest.facts.get("replaces", [])
        }
        for step in inputs:
            if step in replaced:
                continue
            for batch in self.artifact(step).batches("scores"):
                yield pa.Table.from_batches([batch])


def open_run(workspace: Workspace, name: str) -> FinishedRun:
    """Open a run by its name, by ``latest``, or by the path of its folder.

    Raises:
        StoreError: there is no such run, or a file of it is damaged.
    """
    given = Path(name)
    if len(given.parts) > 1 and (given / "run.json").is_file():
        folder = given.absolute()
        workspace = Workspace(folder.parent.parent)
    else:
        folder = workspace.run(name)
    try:
        data = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        recipe = yaml.safe_load((folder / "recipe.yaml").read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise StoreError(
            f"{folder}: the run cannot be read: {error}",
            hint="run its recipe again; results are kept",
        ) from error
    return FinishedRun(folder.name, workspace, data, recipe or {})
