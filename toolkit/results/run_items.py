"""The scores of the items of a run, competitor by competitor."""

from __future__ import annotations

from toolkit.analyses.score_values import ScoreValues
from toolkit.diff.finished_run import FinishedRun
from toolkit.results.items import CLUSTER_DIGITS, ItemScores
from toolkit.store.canonical import text_digest

__all__ = ["RunItems"]


class RunItems:
    """Reads the scores of a run once; 12 bytes a value and the ids of the items are held."""

    def __init__(self, run: FinishedRun) -> None:
        """Read the scores and the clusters.

        Raises:
            StoreError: an artifact of the run is gone or damaged.
        """
        self._run = run
        self._values = ScoreValues(pool_prompts=False)
        for table in run.scores():
            self._values.add(table)
        self._names = list(self._values.items)
        self._clusters = run.clusters()

    def of(self, generation: str, model: str, prompt: str) -> ItemScores:
        """Return the scores of all items that were asked, those without a value included.

        Args:
            generation: name of the step that answered.
            model: name of the model.
            prompt: name of the prompt.
        """
        import numpy as np

        batches = self._run.artifact(generation).batches("generations", ["item_id"])
        items = sorted({item for batch in batches for item in batch[0].to_pylist()})
        place = {item: row for row, item in enumerate(items)}
        scores = sorted(key[0] for key in self._values.by_key if key[1:] == (model, prompt))
        values = np.full((len(items), len(scores)), np.nan)
        for at, score in enumerate(scores):
            codes, means = self._values.by_key[score, model, prompt].item_means()
            rows = [place[self._names[code]] for code in codes]
            values[rows, at] = means
        clusters = tuple(self._cluster(item) for item in items)
        return ItemScores(
            items=tuple(items),
            scores=tuple(scores),
            values=values,
            clusters=clusters if any(clusters) else (),
        )

    def _cluster(self, item: str) -> str:
        name = self._clusters.get(item)
        return "" if name is None else text_digest(name)[:CLUSTER_DIGITS]
