"""The intraclass correlation."""

import numpy as np
import pandas as pd
import pingouin as pg
import pytest

from toolkit.statistics.icc import intraclass


def values(seed=1, clusters=20, size=4, share=0.5):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(clusters), size)
    level = rng.normal(0, np.sqrt(share), clusters)[codes]
    return level + rng.normal(0, np.sqrt(1 - share), len(codes)), codes


@pytest.mark.filterwarnings("ignore::Warning")
@pytest.mark.parametrize("seed", range(3))
def test_equal_clusters_are_pingouins(seed) -> None:
    y, codes = values(seed)
    frame = pd.DataFrame({"y": y, "target": codes, "rater": np.tile(np.arange(4), 20)})
    table = pg.intraclass_corr(frame, targets="target", raters="rater", ratings="y")
    row = table.iloc[0]
    got = intraclass(y, codes)
    assert got.value == pytest.approx(float(row["ICC"]), abs=1e-6)
    ends = next(row[name] for name in table if name.upper().startswith("CI95"))
    assert (got.low, got.high) == pytest.approx(tuple(ends), abs=0.006)


def test_the_design_effect_is_that_of_the_clustered_variance() -> None:
    y, codes = values(4, clusters=400)
    got = intraclass(y, codes)
    means = y.reshape(400, 4).mean(axis=1)
    assert got.design_effect == pytest.approx(4 * means.var(ddof=1) / y.var(ddof=1), rel=0.01)
    assert got.value == pytest.approx(0.5, abs=0.1)


def test_unequal_clusters_by_hand() -> None:
    y, codes = np.array([1.0, 3, 2, 5, 6, 7]), np.array([0, 0, 0, 1, 1, 2])
    within = (2 + 0.5) / 3
    between = (3 * (2 - 4) ** 2 + 2 * (5.5 - 4) ** 2 + (7 - 4) ** 2) / 2
    size = (6 - 14 / 6) / 2
    got = intraclass(y, codes)
    assert got.value == pytest.approx((between - within) / (between + (size - 1) * within))
    assert got.size == pytest.approx(size)


@pytest.mark.parametrize(
    ("y", "codes", "reason"),
    [
        ([1.0, 2.0], [0, 0], "fewer than two clusters"),
        ([1.0, 2.0], [0, 1], "one value in each cluster"),
        ([1.0, 1.0, 1.0], [0, 0, 1], "no variation"),
    ],
)
def test_undefined_is_null_with_a_reason(y, codes, reason) -> None:
    got = intraclass(np.array(y), np.array(codes))
    assert got.value is None
    assert reason in got.reason
