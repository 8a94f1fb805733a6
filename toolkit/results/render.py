"""A board as files: Parquet, Markdown, ``eval.yaml`` and ``.eval_results``."""

from __future__ import annotations

from toolkit.results.board_markdown import board_markdown
from toolkit.results.board_parquet import write_parquet
from toolkit.results.eval_yaml import eval_notes, eval_yaml
from toolkit.results.model_results import eval_results

__all__ = ["board_markdown", "eval_notes", "eval_results", "eval_yaml", "write_parquet"]
