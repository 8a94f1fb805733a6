"""Scores side by side: the leaderboard's numbers, exactly."""

import dataclasses

import pandas as pd
import pytest

from tests.analyses.items import frame, inputs, world
from toolkit.analyses.base import ModelFacts
from toolkit.analyses.means import Means, MeansParams
from toolkit.analyses.score_table import ScoreTable, ScoreTableParams
from toolkit.errors import UserError
from toolkit.figures.draw import draw
from toolkit.metrics.base import ScoreDefinition
from toolkit.report.tables import view_table

_KINDS = {"ref": "reference", "base": "baseline"}
_MODELS = ("m1", "m2", "m3")


def full():
    """Three models with two prompts, a baseline and the reference without."""
    values, table = world(models=_MODELS)
    for found in values.values():
        for n, row in enumerate(table):
            found[row["item_id"], "base", "", 0] = 40.0 + n % 7
            found[row["item_id"], "ref", "", 0] = 100.0
    return values, table


def given(values, table, **more):
    made = inputs(values, table, columns=("journal",), kinds=_KINDS, **more)
    groups = {"m1": "general", "m2": "reasoning", "m3": "general"}
    return dataclasses.replace(
        made,
        models={
            name: ModelFacts(name=name, title=f"{name} title", group=groups.get(name))
            for name in ("m1", "m2", "base", "m3", "ref")
        },
    )


def run(values, table, shards=1, definitions=(), **params):
    analysis = ScoreTable(ScoreTableParams(**{"resamples": 200, "cluster": "journal", **params}))
    return analysis.run(given(values, table, shards=shards, definitions=definitions))[0]


@pytest.mark.parametrize("rows", ["model", "both"])
def test_numbers_are_those_of_the_leaderboard(rows):
    values, table = full()
    found = run(values, table, rows=rows)
    means = Means(
        MeansParams(
            by=("model",) if rows == "model" else ("model", "prompt"), resamples=200,
            cluster="journal",
        )
    )  # fmt: skip
    board = means.run(given(values, table)).to_pylist()
    assert len(board) == 2 * len(found.rows)
    for line in board:
        (row,) = [
            row
            for row in found.rows
            if (row["model"], row["prompt"]) == (f"{line['model']} title", line["prompt"])
        ]
        score = line["score"]
        assert row[score] == line["mean"]
        assert row[f"{score}_low"] == line["ci_low"]
        assert row[f"{score}_high"] == line["ci_high"]
        assert row[f"{score}_rank"] == line["rank"]
        assert row["n"] == line["n"]


def test_a_prompt_is_averaged_over_the_models_alone():
    values, table = full()
    found = run(values, table, rows="prompt")
    assert [row["prompt"] for row in found.rows] == ["A", "B"]
    own = frame(values, "s")
    expected = own[own.model.isin(_MODELS)].groupby("prompt")["value"].agg(["mean", "size"])
    assert [row["s"] for row in found.rows] == pytest.approx(list(expected["mean"]))
    assert [row["n"] for row in found.rows] == list(expected["size"])
    assert sorted(row["s_rank"] for row in found.rows) == [1, 2]
    assert "model" not in {column.name for column in found.columns}
    chosen = run(values, table, rows="prompt", models=("m2",))
    expected = own[own.model == "m2"].groupby("prompt")["value"].mean()
    assert [row["s"] for row in chosen.rows] == pytest.approx(list(expected))


def test_prompts_may_be_chosen():
    values, table = full()
    found = run(values, table, prompts=("A",))
    own = frame(values, "s").query("prompt in ('A', '')").groupby("model")["value"].mean()
    assert {row["model"]: row["s"] for row in found.rows} == pytest.approx(
        {f"{name} title": mean for name, mean in own.items()}
    )


def test_rows_stand_by_group_in_the_order_of_the_recipe():
    values, table = full()
    found = run(values, table)
    assert [(row["group"], row["model"]) for row in found.rows] == [
        ("general", "m1 title"),
        ("general", "m3 title"),
        ("reasoning", "m2 title"),
        ("baselines", "base title"),
        ("reference", "ref title"),
    ]


def test_best_is_bold_second_underlined_the_reference_neither():
    values, table = full()
    lower = ScoreDefinition(name="t", title="T", low=0, high=100, direction="lower")
    found = run(values, table, definitions=[lower])
    view = view_table(found)
    models = [row["model"] for row in found.rows]
    heads = [head for head, _ in view.heads]
    assert "T ↓" in heads
    means = frame(values, "s").groupby("model")["value"].mean().drop("ref").sort_values()
    column = heads.index("S ↑")
    assert view.places[models.index(f"{means.index[-1]} title"), column] == 1
    assert view.places[models.index(f"{means.index[-2]} title"), column] == 2
    lowest = frame(values, "t").groupby("model")["value"].mean().drop("ref").idxmin()
    assert view.places[models.index(f"{lowest} title"), heads.index("T ↓")] == 1
    assert not any(row == models.index("ref title") for row, _ in view.places)


def test_ties_share_a_place():
    table = [{"item_id": f"i{n}", "journal": f"J{n}"} for n in range(4)]
    values = {
        "s": {
            (f"i{n}", model, "A", 0): float(n + (model == "m3"))
            for n in range(4)
            for model in _MODELS
        }
    }
    ranks = {row["model"]: row["s_rank"] for row in run(values, table).rows}
    assert ranks == {"m3 title": 1, "m1 title": 2, "m2 title": 2}


def test_scores_with_fewer_values_show_both_counts():
    values, table = full()
    for key in list(values["t"])[:30]:
        values["t"][key] = None
    found = run(values, table)
    assert "n_most" in {column.name for column in found.columns}
    sizes = pd.concat([frame(values, s).groupby("model").size() for s in ("s", "t")], axis=1)
    for row in found.rows:
        own = sizes.loc[row["model"].removesuffix(" title")]
        assert (row["n"], row["n_most"]) == (own.min(), own.max())
    assert any("values are missing" in note for note in found.notes)


def test_order_of_shards_columns_title_and_figure():
    values, table = full()
    found = run(values, table, scores=("t", "s"), title="Table 2: judges", rows="both")
    assert (
        run(values, table, shards=4, scores=("t", "s"), title="Table 2: judges", rows="both")
        == found
    )
    assert found.name == "score_table_Table_2_judges"
    assert found.title == "Table 2: judges"
    names = [column.name for column in found.columns]
    assert names.index("t") < names.index("s")
    (figure,) = found.figures
    assert "Best by T:" in figure.alt
    assert draw(figure).svg


def test_nothing_left_is_refused():
    values, table = full()
    with pytest.raises(UserError, match="no answer has any of these scores"):
        run(values, table, models=("nobody",))


def test_without_intervals():
    values, table = full()
    found = run(values, table, ci="none")
    assert all(row["s_low"] is None for row in found.rows)


def test_under_one_prompt_intervals_are_those_of_the_leaderboard():
    values, table = full()
    found = run(values, table, prompts=("A",))
    board = Means(MeansParams(by=("model", "prompt"), resamples=200, cluster="journal"))
    lines = {
        (f"{line['model']} title", line["score"]): line
        for line in board.run(given(values, table)).to_pylist()
        if line["prompt"] in ("A", "")
    }
    assert len(lines) == 2 * len(found.rows)
    for row in found.rows:
        for score in ("s", "t"):
            line = lines[row["model"], score]
            ends = (row[f"{score}_low"], row[f"{score}_high"])
            assert ends == (line["ci_low"], line["ci_high"])


def test_a_constant_reference_stands_in_the_title_and_not_on_the_axis():
    values, table = full()
    (figure,) = run(values, table).figures
    for panel in figure.panels:
        assert panel.title.endswith("(ref title: 100.000)")
        assert len(panel.labels) == len(panel.series[0].values) == 4
        assert "ref title" not in panel.labels
    for n, row in enumerate(table):
        values["s"][row["item_id"], "ref", "", 0] = 90.0 + n % 3
    spread = run(values, table).figures[0].panels
    assert [("ref title" in panel.labels) for panel in spread] == [True, False]
