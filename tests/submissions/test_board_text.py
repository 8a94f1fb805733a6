"""A board on a terminal: shared ranks, competitors without one, hostile names as text."""

import numpy as np

from toolkit.results.board import build_board
from toolkit.results.items import ItemScores
from toolkit.results.record import ModelUse, Result, ScoreResult
from toolkit.results.store import ResultStore
from toolkit.submissions.board_text import board_lines

ITEMS = tuple(f"i{n:02}" for n in range(20))


def add(store, name, values, *, version="1.0", tier="re-scored", value="mean", statuses=None):
    column = np.array(values, float)
    mean = float(column.mean()) if value == "mean" else None
    score = ScoreResult(
        score="rouge1", title="ROUGE-1 F", metric="rouge", direction="higher", value=mean,
        low=None if mean is None else mean - 0.1, high=None if mean is None else mean + 0.1,
        level=None if mean is None else 0.95, interval="" if mean is None else "bootstrap",
        n=0 if mean is None else 20, missing=20 if mean is None else 0,
        reason="" if mean is not None else "no answer could be scored", signature="s",
    )  # fmt: skip
    result = Result(
        benchmark="tiny", title="Tiny", version=version, split="test", recipe="a" * 64,
        toolkit="0.1.0", model=ModelUse(name=name, title=name), prompt="A", scores=(score,),
        tier=tier, submitter="ann", date="2026-05-01", statuses=statuses or {},
    )  # fmt: skip
    kept = column if mean is not None else np.full(20, np.nan)
    return store.add(result, ItemScores(ITEMS, ("rouge1",), kept.reshape(-1, 1)))


def test_competitors_share_ranks_and_failures_have_none(tmp_path):
    store = ResultStore(tmp_path)
    draw = np.random.default_rng(3)
    base = draw.random(20) / 10
    add(store, "Best", base + 0.8)
    add(store, "Near \u202eB", base + 0.5 + draw.normal(0, 0.01, 20))
    add(store, "Near C", base + 0.5 + draw.normal(0, 0.01, 20))
    add(store, "Broken", [0] * 20, value=None)
    add(store, "Boaster", [1] * 20, tier="self-reported")
    add(store, "Picky", base, statuses={"error": 20})
    old = add(store, "Old", base, version="0.9")
    store.withdraw(old.record_id, reason="wrong\nkey", by="me", date="2026-05-02")
    board = build_board(store)
    lines = list(board_lines(board))
    ranks = {
        line.split("  ")[1].strip(): line.split("  ")[0].strip()
        for line in (line.strip() for line in lines)
        if "2026" not in line and "ann" in line
    }
    assert ranks["Best"] == "1"
    assert ranks["Near C"] == ranks["Near [U+202E]B"] == "2 (2-3)"
    assert ranks["Broken"] == ranks["Boaster"] == "–"
    text = "\n".join(lines)
    assert "Broken has no rank" in text and "Boaster has no rank" in text
    assert "Picky has no rank: 100.0% of its answers failed, and up to 5% are ranked" in text
    assert "20 of 20" in text and "0 of 20" in text
    assert "95 % interval" in text
    assert "version 0.9" not in text
    old_table = "\n".join(board_lines(board, version="0.9"))
    assert f"{old.record_id} Old, prompt A, 2026-05-02 by me: wrong key" in old_table
    assert "version 1.0" in "\n".join(board_lines(board, version="all"))
