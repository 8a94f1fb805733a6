"""Wald tests, odds ratios, and how printed odds ratios are composed."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from toolkit.statistics.linear_model import LinearFit, geometric_mean, odds_ratio, wald_test

GOLDENS = Path(__file__).parents[2].parent / "shared" / "goldens" / "statistics.json"

# Prompt odds ratios within six models and their average over all cells, as the paper prints them.
PRINTED = {
    "factual": ((0.89, 1.33, 0.76, 1.20, 0.81, 1.07), 0.99),
    "certainty": ((1.00, 1.24, 0.90, 1.03, 0.71, 1.05), 0.97),
    "hallucination": ((0.85, 0.90, 0.98, 0.90, 1.52, 0.80), 0.97),
    "sensitivity": ((1.14, 0.98, 0.90, 1.13, 0.69, 0.99), 0.96),
}


@pytest.mark.parametrize("metric", PRINTED)
def test_the_average_over_all_cells_is_the_geometric_mean_within_models(metric) -> None:
    within, printed = PRINTED[metric]
    # The ones inside are rounded to two decimals, and so is the mean.
    assert geometric_mean(within) == pytest.approx(printed, abs=0.0101)


def test_geometric_means_of_the_shared_numbers() -> None:
    if not GOLDENS.exists():
        pytest.skip("the shared specification is not beside this project")
    rows = json.loads(GOLDENS.read_text())["prompt_OR_geomean"]
    assert len(rows) == 4
    for row in rows:
        assert round(geometric_mean(row["within"]), 3) == row["geomean"]


@pytest.mark.parametrize(
    ("steps", "printed"),
    [
        ((0.92, 0.85), 0.78), ((0.82, 0.74), 0.61), ((1.25, 1.48), 1.86), ((1.23, 3.77), 4.64),
        ((0.99, 2.40), 2.37), ((1.34, 2.57), 3.44), ((0.75, 1 / 0.88), 0.85),
        ((2.63, 1 / 0.57), 4.59), ((5.19, 1 / 0.97), 5.35),
    ],
)  # fmt: skip
def test_printed_odds_ratios_of_two_steps_multiply(steps, printed) -> None:
    # Medium over easy and hard over medium are steps of a line; so are ratios of odds ratios.
    params = np.log(steps)
    fit = LinearFit(params, np.diag([0.01, 0.02]), 100, 50)
    whole = odds_ratio(fit, np.array([1.0, 1.0]))
    # Each printed step is off by up to half a hundredth.
    off = whole.value * sum(0.005 / min(step, 1 / step) for step in steps) + 0.005
    assert whole.value == pytest.approx(printed, abs=off)
    assert whole.value == pytest.approx(math.prod(steps))
    assert whole.error == pytest.approx(math.sqrt(0.03))


def test_an_odds_ratio_has_a_normal_interval_on_the_log_scale() -> None:
    fit = LinearFit(np.array([0.3]), np.array([[0.04]]), 10, 5)
    found = odds_ratio(fit, np.array([2.0]))
    assert found.log == pytest.approx(0.6)
    assert (found.low, found.high) == pytest.approx(
        (math.exp(0.6 - 1.959964 * 0.4), math.exp(0.6 + 1.959964 * 0.4)), rel=1e-6
    )
    assert found.p == pytest.approx(0.133614, abs=1e-6)


def test_no_number_where_there_is_no_variance_or_no_end() -> None:
    flat = LinearFit(np.array([0.3, 0.1]), np.array([[0.0, 0.0], [0.0, 1.0]]), 10, 5)
    assert odds_ratio(flat, np.array([1.0, 0.0])).p is None
    assert wald_test(flat, np.eye(2)[:1]).reason == "a coefficient has no variance"
    huge = LinearFit(np.array([250.0]), np.array([[1e4]]), 10, 5)
    found = odds_ratio(huge, np.array([1.0]))
    assert found.value is None
    assert "too large" in found.reason


def test_a_covariance_of_too_low_rank_tests_nothing() -> None:
    fit = LinearFit(np.array([0.3, 0.1]), np.ones((2, 2)), 10, 2)
    found = wald_test(fit, np.eye(2))
    assert found.chi2 is None
    assert found.reason == "too few clusters for so many coefficients"
