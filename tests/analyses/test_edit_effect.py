"""Scores of edited minus unedited items."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from tests.analyses import edited
from tests.analyses.run_analysis import run
from toolkit.analyses.base import JudgeFacts

JUDGES = {"j": JudgeFacts("j", "llm", "g", {"fidelity": "fidelity", "hallucination": "h"})}
NAMES = [f"i{at:02d}" for at in range(24)]
RNG = np.random.default_rng(4)
UNEDITED = RNG.random(24)
EDITED = {
    (model, prompt): UNEDITED + gain + RNG.normal(0, 0.1, 24)
    for model, gain in (("m1", 0.2), ("m2", 0.0))
    for prompt in "AB"
}


def scores(levels=("L1",), unedited=True):
    found = {}
    for (model, prompt), column in EDITED.items():
        for at, name in enumerate(NAMES):
            if unedited:
                found[name, model, prompt, 0] = float(UNEDITED[at])
            for level in levels:
                found[f"{name}:{level}", model, prompt, 0] = float(column[at])
    return found


def tables(values, params=None, levels=("L1",), **more):
    scored = values if isinstance(next(iter(values.values())), dict) else {"fidelity": values}
    return run(
        "edit_effect", {"judge": "j"} | (params or {}), scored,
        items=edited.items(levels, NAMES), judges=JUDGES, **more,
    )  # fmt: skip


def test_pairs_of_one_model_and_prompt() -> None:
    rows = tables(scores())["edit_effect"].rows
    assert [(row["model"], row["prompt"], row["level"]) for row in rows] == [
        ("m1", "A", "L1"), ("m1", "B", "L1"), ("m2", "A", "L1"), ("m2", "B", "L1"),
    ]  # fmt: skip
    want = stats.ttest_rel(EDITED["m1", "A"], UNEDITED)
    assert rows[0]["difference"] == pytest.approx((EDITED["m1", "A"] - UNEDITED).mean())
    assert (rows[0]["difference_low"], rows[0]["difference_high"]) == pytest.approx(
        tuple(want.confidence_interval())
    )
    assert (rows[0]["n"], rows[0]["clusters"]) == (24, 24)
    assert rows[0]["edited_mean"] - rows[0]["unedited_mean"] == pytest.approx(rows[0]["difference"])
    adjusted = multipletests([row["p"] for row in rows], method="holm")[1]
    assert [row["p_adjusted"] for row in rows] == pytest.approx(list(adjusted))
    assert rows[0]["p_adjusted"] < 0.01 < rows[2]["p"]


def test_all_models_and_prompts_with_original_items_as_clusters() -> None:
    (row,) = tables(scores())["edit_effect_pooled"].rows
    means = np.mean([column - UNEDITED for column in EDITED.values()], axis=0)
    assert (row["n"], row["clusters"], row["systems"]) == (96, 24, 4)
    # With as many answers to every item, clusters are the means of items.
    want = stats.ttest_1samp(means, 0).confidence_interval()
    assert (row["difference_low"], row["difference_high"]) == pytest.approx(tuple(want))


def test_twelve_against_four_is_exact() -> None:
    values = {}
    for at, name in enumerate(NAMES):
        before, after = (0, 1) if at < 12 else (1, 0) if at < 16 else (1, 1)
        values[name, "m", "A", 0] = float(before)
        values[f"{name}:L1", "m", "A", 0] = float(after)
    (row,) = tables(values)["edit_effect"].rows
    assert (row["p"], row["method"]) == (pytest.approx(0.076813, abs=5e-7), "exact")
    assert row["difference"] == pytest.approx(8 / 24)


def test_an_answer_without_its_other_half_is_no_pair() -> None:
    values = scores()
    values["i00", "m1", "A", 0] = None
    del values["i01:L1", "m1", "A", 0]
    assert tables(values)["edit_effect"].rows[0]["n"] == 22


def test_without_unedited_items_a_sentence_says_what_to_do() -> None:
    found = tables(scores(unedited=False))
    for table in found.values():
        assert table.rows == []
        assert table.figures == ()
        assert any("add unedited to its levels" in note for note in table.notes)


def test_each_score_is_a_family_and_a_panel() -> None:
    values = scores(levels=("L1", "L2"))
    found = tables({"fidelity": values, "h": values, "other": values}, levels=("L1", "L2"))
    assert {row["score"] for row in found["edit_effect"].rows} == {"fidelity", "h"}
    (figure,) = found["edit_effect"].figures
    assert [[series.name for series in panel.series] for panel in figure.panels] == [
        ["L1", "L2"], ["L1", "L2"],
    ]  # fmt: skip
    (pooled,) = found["edit_effect_pooled"].figures
    assert pooled.panels[0].labels == ("L1", "L2")
    one = tables({"fidelity": values, "h": values}, {"scores": ("hallucination",)}, ("L1", "L2"))
    assert {row["score"] for row in one["edit_effect"].rows} == {"h"}


def test_the_order_of_rows_changes_nothing_and_columns_are_declared() -> None:
    assert tables(scores()) == tables(scores(), order=-1)
    for table in tables(scores()).values():
        assert set().union(*table.rows) <= {column.name for column in table.columns}
