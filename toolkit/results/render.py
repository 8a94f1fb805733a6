"""A board as files: Parquet, Markdown, ``eval.yaml`` and ``.eval_results``."""

from __future__ import annotations

from pathlib import Path

from toolkit.recipe.publish_section import Publish
from toolkit.results.board import Board

__all__ = ["board_markdown", "eval_results", "eval_yaml", "write_parquet"]


def write_parquet(board: Board, folder: Path) -> list[str]:
    """Write configuration ``leaderboard``: one split, one file a version of the benchmark.

    Returns:
        Names of the files, e.g. ``leaderboard/v1_0-00000-of-00001.parquet``, newest first.
    """
    raise NotImplementedError


def board_markdown(board: Board) -> str:
    """Return the newest table for a README; every foreign name is escaped."""
    raise NotImplementedError


def eval_yaml(board: Board, publish: Publish) -> str | None:
    """Return ``eval.yaml``; None without ``publish.tasks``."""
    raise NotImplementedError


def eval_results(board: Board, dataset: str, revision: str) -> dict[str, tuple[str, str]]:
    """Return what model repositories may say: ``{hub_id: (path, YAML text)}``."""
    raise NotImplementedError
