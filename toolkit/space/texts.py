"""Texts that may stand beside scores: those of the release, and the answers to its items."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from toolkit.diff.finished_run import open_run
from toolkit.report.text import printable, shorten
from toolkit.space.kept_back import kept_back
from toolkit.store.canonical import text_digest
from toolkit.store.workspace import Workspace

__all__ = ["MOST_TEXTS", "ItemTexts", "as_shown"]

MOST_TEXTS: Final = 200
"""Items of a split whose texts stand on the page, the first by their ids."""

_LENGTH: Final = 3_000
"""Characters of a text that are shown."""


class ItemTexts:
    """Reads the texts of a run's release; what the release leaves out is not shown either."""

    def __init__(self, folder: Path, split: str, withdrawn: Collection[str] = ()) -> None:
        """Read the first items of a released split.

        Args:
            folder: folder of the run; its release is of open data in full text.
            split: the split.
            withdrawn: ids of items that were taken down.

        Raises:
            StoreError: an artifact of the run is gone or damaged.
        """
        self._run = open_run(Workspace(folder.absolute().parent.parent), str(folder.absolute()))
        self._split = split
        self._withdrawn = frozenset(withdrawn)
        self._references: set[str] = set()
        self._items = self._released()

    def answers(self, model: str, prompt: str) -> Mapping[str, str | None]:
        """Return the first answer of a competitor to each of the items; empty where it has none.

        An answer that is the reference of another item is left out unless that one is released.
        """
        found: dict[str, str | None] = {}
        others = self._of_others(model)
        for name, step in self._run.steps.items():
            params = step["params"]
            mine = step["stage"] == "generate" and params["table"] in (
                f"items_{self._split}",
                "items",
            )
            if not mine or (params["model"], params["prompt"]) != (model, prompt):
                continue
            columns = ["item_id", "answer"]
            for row in self._run.artifact(name).rows("generations", columns):
                answer = row["answer"]
                if row["item_id"] not in self._items:
                    continue
                if not others or (answer and text_digest(answer) in self._references):
                    found.setdefault(row["item_id"], answer)
        return found

    def kept_back(self) -> Iterator[str]:
        """Yield every text that the release leaves out; none may stand in what is shown."""
        if "release" in self._run.steps:
            yield from kept_back(self._run, self._withdrawn)

    def _of_others(self, model: str) -> bool:
        """Return whether a competitor answers with the references of other items."""
        from toolkit.models.baseline import Baseline, BaselineParams

        about = self._run.recipe["models"].get(model) or {}
        if about.get("provider") != Baseline.name:
            return False
        params = BaselineParams(variant=about["variant"])
        return "other_reference" in Baseline(params, Path()).needs

    def row(self, item: str, answers: Mapping[str, str | None]) -> list[str] | None:
        """Return title, input, reference and answer of an item; None where none may be shown."""
        if item not in self._items or answers.get(item) is None:
            return None
        return [*self._items[item], as_shown(answers[item])]

    def _released(self) -> dict[str, list[str]]:
        import pyarrow.parquet as pq

        if "release" not in self._run.steps:
            return {}
        recipe = self._run.recipe
        pubmed = recipe["corpus"].get("source") in ("pubmed_xml", "eutils")
        reference = recipe["corpus"].get("reference") or ("conclusion" if pubmed else "")
        wanted = ["title", recipe["corpus"].get("input") or "input", reference]
        release = self._run.artifact("release")
        found: dict[str, list[str]] = {}
        config = (recipe.get("publish") or {}).get("config") or "default"
        for shard in release.shards("release"):
            if not shard.name.startswith(f"{config}/{self._split}-"):
                continue
            with pq.ParquetFile(release.path(shard)) as file:
                names = [name for name in wanted if name in file.schema_arrow.names]
                for batch in file.iter_batches(500, columns=["item_id", *names]):
                    for row in batch.to_pylist():
                        # A reference that the release leaves out is under somebody's copyright.
                        if not row.get(reference) or row["item_id"] in self._withdrawn:
                            continue
                        self._references.add(text_digest(row[reference]))
                        found[row["item_id"]] = [as_shown(row.get(name)) for name in wanted]
        return dict(sorted(found.items())[:MOST_TEXTS])


def as_shown(value: Any) -> str:
    """Return a text as it stands on the page: no sign that is not seen, and no longer than fits."""
    return "" if value is None else shorten(printable(str(value)), _LENGTH)
