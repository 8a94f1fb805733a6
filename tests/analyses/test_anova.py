"""Analysis of variance over the groups of a column."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from tests.analyses.run_analysis import run, values
from toolkit.errors import UserError

RNG = np.random.default_rng(6)
TYPES = ["RA", "RN", "SI"] * 12
SHIFT = {"RA": 0.0, "RN": 0.1, "SI": 0.4}
MODELS = {
    "flat": RNG.random(36),
    "steep": RNG.random(36) * 0.3 + np.array([SHIFT[name] for name in TYPES]),
}
ITEMS = [{"item_id": f"i{at:04d}", "type": name} for at, name in enumerate(TYPES)]


def tables(items=ITEMS, **more):
    return run("anova", {"by": "type"}, {"f1": values(MODELS)}, items=items, **more)


def groups(model):
    return [MODELS[model][[t == name for t in TYPES]] for name in SHIFT]


def test_each_competitor_is_scipys_f_with_holm() -> None:
    rows = tables()["anova"].rows
    want = [stats.f_oneway(*groups(model)) for model in MODELS]
    assert [row["f"] for row in rows] == pytest.approx([w.statistic for w in want])
    assert [row["p"] for row in rows] == pytest.approx([w.pvalue for w in want])
    adjusted = multipletests([w.pvalue for w in want], method="holm")[1].tolist()
    assert [row["p_adjusted"] for row in rows] == pytest.approx(adjusted)
    assert [(row["groups"], row["n"], row["df_within"]) for row in rows] == [(3, 36, 33)] * 2


def test_groups_have_means_and_intervals_that_say_what_they_are() -> None:
    found = tables()
    row = found["anova_groups"].rows[4]
    assert (row["model"], row["group"], row["n"]) == ("steep", "RN", 12)
    want = stats.ttest_1samp(groups("steep")[1], 0).confidence_interval()
    assert (row["mean_low"], row["mean_high"]) == pytest.approx((want.low, want.high))
    assert "t intervals" in found["anova"].figures[0].title


def test_groups_of_two_items_do_not_reach_beyond_the_scale() -> None:
    items = [{"item_id": f"i{at:04d}", "type": "AB"[at // 2]} for at in range(4)]
    scores = {"f1": values({"m": [0.0, 1.0, 0.4, 0.5]})}
    rows = run("anova", {"by": "type"}, scores, items=items)["anova_groups"].rows
    assert (rows[0]["mean_low"], rows[0]["mean_high"]) == (0.0, 1.0)


def test_items_without_a_group_stay_out() -> None:
    items = [item | ({"type": None} if at < 6 else {}) for at, item in enumerate(ITEMS)]
    assert tables(items)["anova"].rows[0]["n"] == 30


def test_an_item_of_several_groups_is_refused() -> None:
    items = [{"item_id": item["item_id"], "type": ["RA", "RN"]} for item in ITEMS]
    with pytest.raises(UserError, match="several values of 'type'") as caught:
        tables(items)
    assert "breakdown" in caught.value.hint


def test_order_does_not_matter() -> None:
    one, two = tables(), tables(order=-1)
    assert all(one[name].rows == two[name].rows for name in one)
