import numpy as np
import pytest

from tests.analyses.scored_items import made, tables
from toolkit.analyses.without_flagged import WithoutFlagged, WithoutFlaggedParams
from toolkit.errors import UserError

KINDS = {"ref": "reference"}


def run(values, items, order=None, **params):
    inputs = made({"s": values}, items, order=order, kinds=KINDS)
    analysis = WithoutFlagged(WithoutFlaggedParams(**{"columns": ("leak_risk",), **params}))
    return tables(analysis, inputs)["without_flagged"]


def lines(table, flag="leak_risk"):
    return {row["model"]: row for row in table.rows if row["flag"] == flag}


def test_a_hand_worked_change_of_means_and_ranks():
    values = {
        ("m1", "A"): [1.0, 1.0, 0.2, 0.2],
        ("m2", "A"): [0.5, 0.5, 0.5, None],
        ("ref", ""): [1.0, 1.0, 1.0, 1.0],
    }
    rows = lines(run(values, {"leak_risk": [True, True, None, False]}))
    row = rows["m1"]
    assert (row["n"], row["n_flagged"]) == (4, 2)
    assert (row["mean"], row["mean_flagged"], row["mean_kept"]) == pytest.approx((0.6, 1.0, 0.2))
    assert row["change"] == pytest.approx(-0.4)
    assert row["change_low"] <= row["change"] <= row["change_high"]
    assert (row["rank_all"], row["rank_kept"]) == (1, 2)
    assert (rows["m2"]["rank_all"], rows["m2"]["rank_kept"]) == (2, 1)
    assert (rows["m2"]["change"], rows["m2"].get("change_low")) == (0, None)
    assert (rows["ref"]["rank_all"], rows["ref"]["mean"]) == (None, 1)


def test_the_interval_against_the_delta_method():
    rng = np.random.default_rng(1)
    flagged = rng.random(400) < 0.3
    scored = rng.normal(0.5, 0.1, 400) + 0.1 * flagged
    row = lines(run({("m", "A"): scored}, {"leak_risk": flagged.tolist()}))["m"]
    kept = ~flagged
    change = scored[kept].mean() - scored.mean()
    influence = kept * (scored - scored[kept].mean()) / kept.mean() - (scored - scored.mean())
    half = 1.96 * influence.std() / 20
    assert row["change"] == pytest.approx(change)
    assert row["change_low"] == pytest.approx(change - half, abs=half / 6)
    assert row["change_high"] == pytest.approx(change + half, abs=half / 6)


def test_several_flags_are_shown_apart_and_together():
    values = {("m", "A"): [0.1, 0.2, 0.3, 0.4, 0.5]}
    items = {
        "leak_risk": [True, False, False, False, False],
        "retracted": [True, True, False, None, False],
    }
    table = run(values, items, columns=("leak_risk", "retracted"))
    kept = {row["flag"]: row["mean_kept"] for row in table.rows}
    assert kept == pytest.approx({"leak_risk": 0.35, "retracted": 0.4, "any of these": 0.4})
    assert "leak_risk: 1, retracted: 2, any of these: 2" in table.notes[1]


def test_nothing_flagged_and_everything_flagged():
    values = {("m", "A"): [0.1, 0.2]}
    row = lines(run(values, {"leak_risk": [False, None]}))["m"]
    assert (row["change"], row["reason"]) == (0, "no item with a value is flagged")
    row = lines(run(values, {"leak_risk": [True, True]}))["m"]
    assert (row.get("change"), row["mean_kept"], row["reason"]) == (None, None, "no item is left")


def test_flags_that_are_no_flags_are_refused():
    with pytest.raises(UserError, match="neither true nor false"):
        run({("m", "A"): [0.1, 0.2]}, {"leak_risk": ["yes", "no"]})
    with pytest.raises(UserError, match=r"without_flagged\.columns"):
        WithoutFlagged(WithoutFlaggedParams(columns=()))


def test_the_order_of_rows_and_shards_changes_nothing():
    rng = np.random.default_rng(2)
    values = {(model, "A"): rng.random(50) for model in ("m1", "m2", "m3")}
    columns = {"leak_risk": (rng.random(50) < 0.2).tolist(), "journal": list("abcde") * 10}
    found = [run(values, columns, order=order, cluster="journal") for order in (1, 2)]
    assert found[0] == found[1]
    (figure,) = found[0].figures
    assert figure.panels[0].labels == ("m1 A", "m2 A", "m3 A")
