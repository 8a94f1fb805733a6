"""Copeland scores against the worked examples, and against going through every case."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.statistics.copeland import (
    copeland_scores,
    distance_from_perfect,
    distance_of_ties,
    epsilon_from_distances,
    epsilon_from_ties,
    expected_distance,
    mean_subset_distance,
    outcomes,
    probability_of_true_score,
    simulated_distance,
    tie_share,
)

GOLDENS = Path(__file__).parents[2] / "../shared/goldens/statistics.json"


def goldens(block):
    if not GOLDENS.is_file():
        pytest.skip("../shared/goldens/statistics.json is not here")
    return json.loads(GOLDENS.read_text(encoding="utf-8"))[block]


def test_three_texts_of_the_worked_example():
    # A beats B in both orders, A and C contradict each other, C beats B in both orders.
    answers = {(0, 1): 1, (1, 0): -1, (0, 2): 1, (2, 0): 1, (1, 2): -1, (2, 1): 1}
    z = outcomes(answers, 3)
    assert (z[0, 1], z[0, 2], z[1, 2]) == (1, 0, -1)
    scores = copeland_scores(z)
    assert scores.tolist() == [1, -2, 1]
    assert distance_from_perfect(scores) == 2
    assert tie_share(z) == pytest.approx(1 / 3)


def test_a_cycle_has_no_order():
    answers = {(0, 1): 1, (1, 0): -1, (1, 2): 1, (2, 1): -1, (2, 0): 1, (0, 2): -1}
    scores = copeland_scores(outcomes(answers, 3))
    assert scores.tolist() == [0, 0, 0]
    assert distance_from_perfect(scores) == 4


def test_a_pair_with_one_answer_has_no_outcome():
    z = outcomes({(0, 1): 1, (0, 2): 1, (2, 0): -1}, 3)
    assert np.isnan(z[0, 1])
    assert np.isnan(z[1, 2])
    assert copeland_scores(z).tolist() == [1, 0, -1]
    assert tie_share(z) == 0
    assert tie_share(outcomes({}, 2)) is None


def test_ties_everywhere_by_the_goldens_and_by_sorting():
    for n in range(2, 9):
        assert distance_of_ties(n) == distance_from_perfect(np.zeros(n))
    assert [distance_of_ties(n) for n in range(2, 9)] == [2, 4, 8, 12, 18, 24, 32]
    for n, value in goldens("deltaS_zero").items():
        assert distance_of_ties(int(n)) == value


def test_expected_distances_of_the_goldens():
    for row in goldens("deltaS_expected_exact"):
        found = expected_distance(row["n"], row["eps"])
        assert found == pytest.approx(row["value"], abs=5e-7)


@pytest.mark.parametrize(("n", "epsilon"), [(2, 0.3), (3, 0.5), (4, 0.4)])
def test_simulation_agrees_with_going_through_all_cases(n, epsilon):
    found = simulated_distance(n, epsilon, 40_000, np.random.default_rng(1))
    assert found == pytest.approx(expected_distance(n, epsilon), abs=0.05)


def test_expected_distance_refuses_what_would_take_for_ever():
    with pytest.raises(ValueError, match="simulate"):
        expected_distance(6, 0.1)


def test_epsilon_from_ties():
    assert epsilon_from_ties(0.42) == pytest.approx(0.3)
    assert epsilon_from_ties(0.32) == pytest.approx(0.2)
    assert epsilon_from_ties(0.7) == 0.5


@given(st.floats(0, 0.5))
def test_epsilon_from_ties_inverts_the_model(epsilon):
    assert epsilon_from_ties(2 * epsilon * (1 - epsilon)) == pytest.approx(epsilon, abs=1e-7)


def test_epsilon_is_recovered_from_simulated_texts():
    rng = np.random.default_rng(3)
    n, epsilon = 16, 0.22
    z = np.zeros((n, n))
    upper = np.triu_indices(n, 1)
    z[upper] = 1.0 - (rng.random((len(upper[0]), 2)) < epsilon).sum(axis=1)
    z -= z.T
    distances = {size: mean_subset_distance(z, size, 100, rng) for size in (4, 8, 12, 16)}
    fitted = epsilon_from_distances(distances, rng, step=0.02, draws=200)
    assert fitted == pytest.approx(epsilon, abs=0.08)
    with pytest.raises(ValueError, match="no distance"):
        epsilon_from_distances({}, rng)


def brute_force(n, place, epsilon):
    """Go through every outcome of the 2 (n - 1) comparisons of one text."""
    total = 0.0
    true = [1] * (n - place) + [-1] * (place - 1)
    for flips in product((0, 1), repeat=2 * (n - 1)):
        score = sum(sign * (1 - flips[2 * at] - flips[2 * at + 1]) for at, sign in enumerate(true))
        if score == n + 1 - 2 * place:
            wrong = sum(flips)
            total += epsilon**wrong * (1 - epsilon) ** (len(flips) - wrong)
    return total


def test_chance_of_the_true_score_by_the_goldens():
    for row in goldens("copeland_P"):
        case = (row["N"], row["m"], row["eps"])
        assert probability_of_true_score(*case) == pytest.approx(row["exact"], abs=5e-7)
        paper = probability_of_true_score(*case, "paper")
        assert paper == pytest.approx(row["paper_formula"], abs=5e-7)


@pytest.mark.parametrize(("n", "place", "epsilon"), [(3, 2, 0.5), (4, 2, 0.2), (5, 3, 0.3)])
def test_chance_of_the_true_score_by_brute_force(n, place, epsilon):
    found = probability_of_true_score(n, place, epsilon)
    assert found == pytest.approx(brute_force(n, place, epsilon))


def test_below_the_middle_the_chance_grows_with_more_texts():
    assert probability_of_true_score(3, 3, 0.3) == pytest.approx(0.2401)
    assert probability_of_true_score(4, 3, 0.3) == pytest.approx(0.314335, abs=5e-6)
    with pytest.raises(ValueError, match="place 4 of 3"):
        probability_of_true_score(3, 4, 0.1)
