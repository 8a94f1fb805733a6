"""From long leaderboard rows to lines and columns."""

from dataclasses import replace

import pytest

from toolkit.errors import UserError
from toolkit.report.bars import axis_of, bar_of
from toolkit.report.board import arrow, make_board, summary


def test_lines_stand_best_first_with_the_reference_last(inputs) -> None:
    board = make_board(inputs)
    assert board.scores[board.sorted_by].name == "rouge1"
    ranks = [line.cells[board.sorted_by].rank for line in board.lines]
    assert ranks == [*range(1, 9), None]
    assert board.lines[-1].kind == "reference"


def test_the_order_of_the_rows_does_not_matter(inputs) -> None:
    assert make_board(replace(inputs, leaderboard=inputs.leaderboard[::-1])) == make_board(inputs)


def test_a_cell_says_mean_interval_n_and_missing(inputs) -> None:
    board = make_board(inputs)
    line = next(x for x in board.lines if (x.model, x.prompt) == ("smollm2-135m", "B"))
    row = next(
        r
        for r in inputs.leaderboard
        if (r["model"], r["prompt"], r["score"]) == ("smollm2-135m", "B", "rouge1")
    )
    cell = line.cells[2]
    assert cell.mean == f"{row['mean']:.3f}"
    assert cell.interval == f"[{row['ci_low']:.3f}, {row['ci_high']:.3f}]"
    assert cell.over() == "n 13, 2 missing"
    assert line.statuses["truncated"] == 1


def test_a_missing_mean_is_a_dash_and_never_zero(inputs) -> None:
    rows = [
        row | {"mean": None, "ci_low": None, "ci_high": None, "n": 0, "rank": None}
        if row["model"] == "gpt-small" and row["score"] == "bleu"
        else row
        for row in inputs.leaderboard
    ]
    board = make_board(replace(inputs, leaderboard=rows))
    cell = next(x for x in board.lines if x.model == "gpt-small").cells[5]
    assert (cell.mean, cell.interval) == ("–", "")


def test_a_score_that_a_line_lacks_leaves_a_gap(inputs) -> None:
    rows = [r for r in inputs.leaderboard if (r["model"], r["score"]) != ("reference", "bleu")]
    board = make_board(replace(inputs, leaderboard=rows))
    assert board.lines[-1].cells[5] is None


def test_the_first_sentences_count_who_what_and_failures(inputs) -> None:
    text = summary(inputs, make_board(inputs))
    assert text[0] == (
        "2 models under 2 prompts, 4 baselines and the reference itself as the ceiling, "
        "on 15 items of the split test, by 7 scores."
    )
    assert "95 % bootstrap interval" in text[1]
    assert "never as zero" in text[1]
    assert text[2] == "Of 60 answers of the models: 58 ok, 1 truncated, 1 error."


def test_nothing_to_report_is_refused(inputs) -> None:
    with pytest.raises(UserError, match="no leaderboard row"):
        make_board(replace(inputs, leaderboard=[]))


def test_a_score_without_a_definition_is_refused(inputs) -> None:
    with pytest.raises(UserError, match=r"no definition.*bleu"):
        make_board(replace(inputs, scores=[s for s in inputs.scores if s.name != "bleu"]))


def test_the_scale_leaves_the_reference_out_and_holds_the_target(inputs) -> None:
    board = make_board(inputs)
    low, high = axis_of(board, 2)
    assert 0 < low < high < 1
    low, high = axis_of(board, 1)
    assert low <= 1.0 <= high


def test_bars_lie_on_the_scale_in_order(inputs) -> None:
    board = make_board(inputs)
    for column, score in enumerate(board.scores):
        axis = axis_of(board, column)
        for line in board.lines[:-1]:
            bar = bar_of(line.cells[column], score, axis)
            assert 0 <= float(bar["low"]) <= float(bar["mean"]) <= float(bar["high"]) <= 100
            assert (bar["target"] is None) == (score.direction != "target")


def test_one_number_alone_stands_in_the_middle(inputs) -> None:
    row = inputs.leaderboard[0] | {"ci_low": None, "ci_high": None, "kind": "model"}
    board = make_board(replace(inputs, leaderboard=[row]))
    assert bar_of(board.lines[0].cells[0], board.scores[0], axis_of(board, 0))["mean"] == "50.00"


def test_arrows(inputs) -> None:
    assert [arrow(score) for score in inputs.scores[:3]] == ["→ 1", "→ 1", "↑"]
