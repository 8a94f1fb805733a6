"""Scores of audits as the analysis reads them."""

import numpy as np

from toolkit.analyses.base import AnalysisInputs, JudgeFacts
from toolkit.metrics.base import ScoreDefinition
from toolkit.records import to_arrow


def rows_of(item, score, probe, value, *, kind="", repeat=0, anchor=90.0, reason="", judge="j"):
    return {
        "item_id": item, "judge": judge, "probe": probe, "kind": kind, "repeat": repeat,
        "score": score, "anchor": anchor, "value": value, "reason": reason,
    }  # fmt: skip


def inputs(rows, scores=("s",), *, judge="j", high=100.0, direction="higher", shuffle=None):
    """Return what the analysis reads; ``shuffle`` deals the rows to tables in another order."""
    if shuffle is not None:
        rows = [rows[at] for at in np.random.default_rng(shuffle).permutation(len(rows))]
    half = len(rows) // 2
    return AnalysisInputs(
        scores=(),
        definitions=[
            ScoreDefinition(name=name, title=name, low=0.0, high=high, direction=direction)
            for name in scores
        ],
        seed=3,
        judges={judge: JudgeFacts(judge, "llm", "m", {name: name for name in scores})},
        audits=[to_arrow("audits", rows[:half]), to_arrow("audits", rows[half:])],
    )
