"""Records of a finished run, one for each model and prompt mode."""

from __future__ import annotations

from pathlib import Path

from toolkit.results.items import ItemScores
from toolkit.results.record import Result

__all__ = ["results_of_run"]


def results_of_run(
    run: Path, *, date: str, tier: str, submitter: str
) -> list[tuple[Result, ItemScores | None]]:
    """Return the records of a run, in the order of its leaderboard.

    Args:
        run: folder of the run (``run.json``, ``recipe.yaml``) inside its workspace.
        date: ISO day on which they are accepted.
        tier: a member of :data:`toolkit.results.record.TIERS`.
        submitter: who hands them in.

    Returns:
        Records with the scores of their items; None for a run over credentialed data, whose
        items never leave.

    Raises:
        StoreError: the run is not finished or was damaged.
        UserError: the recipe has no version, or date or tier is none.
    """
    raise NotImplementedError
