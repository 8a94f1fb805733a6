"""The texts beside the data of a published release: card, Croissant, history, withdrawn items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toolkit.gate.base import Policy

__all__ = ["ExtraConfig", "meta_files", "run_policy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraConfig:
    """A further configuration of the repository, e.g. the leaderboard.

    Attributes:
        name: its name; its shards lie in the folder of that name.
        splits: its splits in the order of the card.
    """

    name: str = "leaderboard"
    splits: Sequence[str]


def meta_files(
    run: Path,
    staged: Path,
    *,
    previous: Mapping[str, str],
    extra: ExtraConfig | None,
    board: str,
    previous_data: Path | None = None,
    note: str = "",
) -> dict[str, str]:
    """Return the texts that go beside the data, by name.

    Args:
        run: folder of the run.
        staged: folder in which the data shards, and those of ``extra``, lie.
        previous: texts of the same files at the head of the repository; absent or empty for
            none.
        extra: a further configuration.
        board: the leaderboard in Markdown, already safe; empty for none.
        previous_data: folder with the data shards of the head, ``<config>/<split>-*.parquet``,
            to count what changed; without it the counts of a later version are not known.
        note: what a person wrote about this version.

    Returns:
        ``README.md``, ``croissant.json``, ``rebuild.json``, ``releases.json`` and, when there
        is any withdrawn item, ``withdrawn.json``.

    Raises:
        UserError: the run has no release or no version, the version exists with other data, a
            later one exists, or a text of ``previous`` is not what it should be.
    """
    raise NotImplementedError


def run_policy(
    run: Path, *, extra: ExtraConfig | None = None, secrets: Sequence[str] = ()
) -> Policy:
    """Return the terms for the gate, as the run's recipe and release state them.

    Raises:
        UserError: the run has no release.
    """
    raise NotImplementedError
