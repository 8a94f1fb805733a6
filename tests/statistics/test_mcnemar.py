"""McNemar's test against statsmodels, enumeration and worked numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as of_statsmodels

from toolkit.statistics.group_errors import clustered_mean
from toolkit.statistics.mcnemar import mcnemar, mcnemar_of_counts
from toolkit.statistics.permutation import paired_permutation


def columns(both, first, second, neither):
    pairs = [(1, 1)] * both + [(1, 0)] * first + [(0, 1)] * second + [(0, 0)] * neither
    return np.array(pairs, float).T


def test_paired_data_tested_as_pairs() -> None:
    one, other = columns(120, 22, 8, 50)
    got = mcnemar(one, other)
    assert got.p == pytest.approx(0.01612, abs=5e-6)
    apart = math.hypot(*(math.sqrt(part.var(ddof=1) / 200) for part in (one, other)))
    assert apart == pytest.approx(0.0468, abs=5e-5)
    assert 2 * stats.norm.sf(0.07 / apart) == pytest.approx(0.135, abs=5e-4)
    assert got.p == pytest.approx(paired_permutation(one - other, np.random.default_rng(1)).p)
    paired = clustered_mean(one - other).standard_error
    assert paired == pytest.approx(math.sqrt((one - other).var(ddof=1) / 200))
    assert paired == pytest.approx(0.0270, abs=1e-4)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 20))
def test_exact_p_is_that_of_statsmodels(first, second, rest) -> None:
    got = mcnemar_of_counts(first, second, first + second + rest)
    if first + second + rest == 0:
        assert (got.p, got.reason) == (None, "no pairs")
        return
    want = of_statsmodels([[rest, first], [second, 0]], exact=True).pvalue
    assert got.p == pytest.approx(want)
    assert got.low <= got.difference <= got.high or rest == 0


@given(st.integers(1, 25), st.integers(0, 25))
def test_mid_p_counts_half_of_what_was_seen(first, second) -> None:
    n = first + second
    law = [math.comb(n, k) / 2**n for k in range(n + 1)]
    few = min(first, second)
    want = 2 * (sum(law[:few]) + law[few] / 2)
    # Where both sides are equal the two tails share the one count (Fagerland et al. 2013).
    want = 1 - law[few] / 2 if first == second else want
    got = mcnemar_of_counts(first, second, n)
    assert got.p_mid == pytest.approx(want)
    assert got.p_mid <= got.p


def test_no_disagreement_is_no_evidence() -> None:
    got = mcnemar_of_counts(0, 0, 20)
    assert (got.p, got.p_mid, got.difference, got.reason) == (1.0, 1.0, 0.0, "no pair disagrees")
    assert got.low < 0 < got.high


def test_other_values_are_refused() -> None:
    with pytest.raises(ValueError, match="0 and 1"):
        mcnemar(np.array([0.5]), np.array([1.0]))
