"""Write the report of a run."""

from __future__ import annotations

from pathlib import Path

from toolkit.report.board import make_board
from toolkit.report.csv_table import csv_text, write_parquet
from toolkit.report.html import html_text
from toolkit.report.inputs import ReportInputs
from toolkit.report.markdown import markdown_text
from toolkit.store.atomic import replacing, write_text

__all__ = ["build_report"]


def build_report(inputs: ReportInputs, out: Path) -> list[Path]:
    """Write ``leaderboard.md``, ``.csv``, ``.parquet`` and ``.html``.

    The bytes depend on ``inputs`` alone.

    Args:
        inputs: what the report says.
        out: the folder to write into; made when it is absent.

    Returns:
        The files, in the order above.

    Raises:
        UserError: there is nothing to report, or a score has no definition.
        ValueError: the funnel does not add up.
    """
    _check_funnel(inputs)
    board = make_board(inputs)
    rows = sorted(inputs.leaderboard, key=lambda row: (row["score"], row["model"], row["prompt"]))
    texts = {
        "leaderboard.md": markdown_text(inputs, board),
        "leaderboard.csv": csv_text(rows),
        "leaderboard.html": html_text(inputs, board),
    }
    for name, text in texts.items():
        write_text(out / name, text)
    with replacing(out / "leaderboard.parquet") as temporary:
        write_parquet(rows, temporary)
    return [out / f"leaderboard.{kind}" for kind in ("md", "csv", "parquet", "html")]


def _check_funnel(inputs: ReportInputs) -> None:
    for before, step in zip(inputs.funnel, inputs.funnel[1:], strict=False):
        if before.remaining - step.removed != step.remaining:
            raise ValueError(
                f"the funnel does not add up: {before.remaining} rows before '{step.rule}', "
                f"which removes {step.removed} and leaves {step.remaining}"
            )
        if step.by_file and sum(step.by_file.values()) != step.removed:
            raise ValueError(f"the files of '{step.rule}' do not add up to {step.removed}")
