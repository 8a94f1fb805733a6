"""Observed differences between levels, by clusters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from toolkit.statistics.level_differences import between_clusters, factor_cells, within_clusters


def cells(rows, levels=2):
    """Cells of the first factor of rows (cluster, level, other factor, value)."""
    table = np.array(rows, float)
    codes = table[:, 1:3].astype(np.int64)
    return factor_cells(table[:, 3], codes, table[:, 0].astype(np.int64), 0, levels)


BY_HAND = [
    # Cluster 10: differences of 1 and 0 in its two cells, 1/2 in all.
    (10, 0, 0, 1), (10, 1, 0, 0), (10, 0, 1, 1), (10, 1, 1, 1),
    # Cluster 20: one cell has both, 2; the other lacks the second side and does not count.
    (20, 0, 0, 2), (20, 1, 0, 0), (20, 0, 1, 0),
    # Cluster 30: repeats are averaged first, 1/2 - 1; the other cell has 0.
    (30, 0, 0, 1), (30, 0, 0, 0), (30, 1, 0, 1), (30, 0, 1, 1), (30, 1, 1, 1),
    # Cluster 40 has one side alone.
    (40, 0, 0, 2),
]  # fmt: skip


def test_differences_within_clusters_by_hand() -> None:
    found = within_clusters(cells(BY_HAND), (0,), (1,))
    assert found.by_cluster == pytest.approx([0.5, 2, -0.25, np.nan], nan_ok=True)
    assert (found.n, found.cells, found.clusters) == (11, 5, 3)
    assert (found.first, found.second) == pytest.approx((1.25, 0.5))
    assert found.difference == pytest.approx(0.75)
    # Deviations of -.25, 1.25 and -1: variance 1.3125, t of 2 degrees of freedom 4.302653.
    half = 4.302653 * np.sqrt(1.3125 / 3)
    assert (found.low, found.high) == pytest.approx((0.75 - half, 0.75 + half), abs=1e-6)
    assert not cells(BY_HAND).between


def test_a_side_of_several_levels_counts_only_cells_with_all_of_them() -> None:
    rows = [(1, 0, 0, 4), (1, 1, 0, 2), (1, 2, 0, 1), (2, 0, 0, 1), (2, 2, 0, 0), (3, 1, 0, 1),
            (3, 0, 0, 1), (3, 2, 0, 3)]  # fmt: skip
    found = within_clusters(cells(rows, 3), (0, 1), (2,))
    assert found.by_cluster == pytest.approx([2, np.nan, -2], nan_ok=True)
    assert (found.n, found.cells, found.clusters) == (6, 2, 2)


def test_between_clusters_is_welchs_test_of_their_means() -> None:
    # Cluster means 1, 2, 3 (its cells 2 and 4, whatever their rows) and 2, 4.
    rows = [(1, 0, 0, 1), (2, 0, 0, 2), (3, 0, 0, 2), (3, 0, 1, 4), (3, 0, 1, 4),
            (4, 1, 0, 2), (5, 1, 0, 4)]  # fmt: skip
    made = cells(rows)
    assert made.between
    found = between_clusters(made, (0,), (1,))
    want = stats.ttest_ind([1, 2, 3], [2, 4], equal_var=False)
    ends = want.confidence_interval()
    assert (found.first, found.second, found.difference) == pytest.approx((2, 3, -1))
    assert (found.low, found.high, found.p) == pytest.approx((ends.low, ends.high, want.pvalue))
    assert (found.n, found.cells, found.clusters) == (7, 6, 5)


def test_between_clusters_a_side_of_several_levels_is_the_mean_of_their_means() -> None:
    samples = {0: [1, 3], 1: [2, 2, 5], 2: [0, 1, 1, 2]}
    rows = [(10 * level + at, level, 0, value)
            for level, values in samples.items() for at, value in enumerate(values)]  # fmt: skip
    found = between_clusters(cells(rows, 3), (0, 1), (2,))
    assert found.difference == pytest.approx((2 + 3) / 2 - 1)
    # Variances of the means: 2/2/4, 3/3/4 and (2/3)/4; Satterthwaite's degrees of freedom.
    parts = np.array([0.25, 0.25, 1 / 6])
    df = parts.sum() ** 2 / (parts**2 / [1, 2, 3]).sum()
    half = stats.t.ppf(0.975, df) * np.sqrt(parts.sum())
    assert found.high - found.difference == pytest.approx(half)
    assert found.p == pytest.approx(2 * stats.t.sf(1.5 / np.sqrt(parts.sum()), df))


def test_reasons_instead_of_intervals() -> None:
    one = within_clusters(cells(BY_HAND[:4]), (0,), (1,))
    assert (one.difference, one.low, one.reason) == (0.5, None, "fewer than two clusters")
    same = within_clusters(cells([(c, level, 0, level) for c in (1, 2) for level in (0, 1)]),
                           (0,), (1,))  # fmt: skip
    assert (same.difference, same.low) == (-1, None)
    assert same.reason == "no variation: all differences are equal"
    apart = within_clusters(cells([(1, 0, 0, 1), (2, 1, 0, 1)]), (0,), (1,))
    assert (apart.difference, apart.reason) == (None, "no cluster has a value of both")
    few = between_clusters(cells([(1, 0, 0, 1), (2, 1, 0, 0), (3, 1, 0, 0)]), (0,), (1,))
    assert (few.difference, few.p) == (1, None)
    assert few.reason == "a level has fewer than two clusters"


@given(st.lists(st.integers(0, 2), min_size=24, max_size=24))
def test_where_nothing_is_missing_it_is_the_difference_of_plain_means(values) -> None:
    places = [(c, level, other) for c in range(4) for level in range(2) for other in range(3)]
    rows = [(*place, value) for place, value in zip(places, values, strict=True)]
    made = cells(rows)
    found, back = within_clusters(made, (0,), (1,)), within_clusters(made, (1,), (0,))
    sides = [np.mean([row[3] for row in rows if row[1] == level]) for level in (0, 1)]
    assert found.difference == pytest.approx(sides[0] - sides[1])
    assert back.difference == pytest.approx(-found.difference)
    if found.low is not None:
        assert (back.low, back.high) == pytest.approx((-found.high, -found.low))
