"""All pairs at once say what one pair at a time says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.statistics.paired import paired_difference
from toolkit.statistics.pairwise import pairwise_tests


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.booleans(), st.floats(0, 0.4))
def test_each_pair_is_the_paired_test_of_the_rows_both_have(seed, clustered, lost):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(24, 4)) + rng.normal(size=(24, 1))
    values[rng.random(values.shape) < lost] = np.nan
    clusters = rng.integers(0, 9, 24) if clustered else None
    found = pairwise_tests(values, clusters)
    for one in range(4):
        for other in range(4):
            if one == other:
                continue
            differences = values[:, one] - values[:, other]
            both = np.isfinite(differences)
            assert found.rows[one, other] == both.sum()
            expected = paired_difference(
                differences[both], clusters=None if clusters is None else clusters[both]
            )
            if expected.p is None:
                assert np.isnan(found.p[one, other]) or expected.clusters >= 2
                continue
            assert found.p[one, other] == pytest.approx(expected.p, rel=1e-6, abs=1e-12)
            mean = found.means[one, other] - found.means[other, one]
            assert mean == pytest.approx(expected.difference, abs=1e-12)


def test_equal_differences_are_tested_by_flipping_their_signs():
    values = np.repeat([[0.0, 1.0, 0.0]], 12, axis=0)
    found = pairwise_tests(values)
    assert found.p[0, 1] == 2.0**-11
    assert found.p[0, 2] == 1.0
    assert pairwise_tests(values, np.repeat([0, 1, 2], 4)).p[0, 1] == 2.0**-2


def test_one_row_or_one_cluster_says_nothing():
    assert np.isnan(pairwise_tests(np.array([[0.0, 1.0]])).p[0, 1])
    assert np.isnan(pairwise_tests(np.eye(4), np.zeros(4, np.int64)).p[0, 1])
    apart = np.array([[1.0, np.nan], [np.nan, 2.0]])
    assert pairwise_tests(apart).rows[0, 1] == 0
