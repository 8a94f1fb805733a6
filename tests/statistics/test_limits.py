import numpy as np
import pytest

from toolkit.statistics.cluster_robust import difference, joint_means
from toolkit.statistics.limits import gap_limits, within
from toolkit.statistics.paired import paired_difference


@pytest.mark.parametrize(
    ("ends", "limits", "kept"),
    [
        ((-3.0, 4.0), (0.0, 1.0), (0.0, 1.0)),
        ((0.2, 0.4), (0.0, 1.0), (0.2, 0.4)),
        ((-3.0, 4.0), (None, 1.0), (-3.0, 1.0)),
        ((-3.0, 4.0), (None, None), (-3.0, 4.0)),
    ],
)
def test_the_part_that_cannot_be_is_left_out(ends, limits, kept):
    assert within(*ends, limits) == kept


def test_a_difference_lies_within_the_span_on_both_sides():
    assert gap_limits(100.0) == (-100.0, 100.0)
    assert gap_limits(None) == (None, None)


def test_means_of_two_clusters_stay_on_the_scale_of_their_rows():
    values = np.array([0.0, 100.0, 5.0, 6.0])
    groups = [(np.array([0, 1]), np.ones(2)), (np.array([2, 3]), np.ones(2))]
    free = joint_means(values, groups, np.arange(4))
    bounded = joint_means(values, groups, np.arange(4), (0.0, 100.0))
    # Student's t with one degree of freedom: 50 +- 12.7 * 50.
    assert free.interval(0) == pytest.approx((-585.31, 685.31), abs=0.01)
    assert bounded.interval(0) == (0.0, 100.0)
    assert bounded.interval(1) == pytest.approx((0.0, 5.5 + 6.3531), abs=1e-3)
    gap = difference(bounded, 0, 1)
    assert (gap.low, gap.high) == (-100.0, 100.0)
    assert gap.p == difference(free, 0, 1).p


def test_a_paired_difference_stays_within_the_span():
    differences = np.array([1.0, -0.2, 0.9])
    free = paired_difference(differences)
    bounded = paired_difference(differences, span=1.0)
    assert free.high > 1.0
    assert (bounded.low, bounded.high) == (max(free.low, -1.0), 1.0)
    assert (bounded.difference, bounded.p) == (free.difference, free.p)
