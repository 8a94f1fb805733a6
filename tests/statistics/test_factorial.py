"""Designs of several factors."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.statistics.factorial import Factorial


def levels(*sizes):
    return tuple(tuple(f"l{at}" for at in range(size)) for size in sizes)


PAPER = Factorial(("model", "prompt", "level", "dataset"), levels(6, 2, 5, 3), 2)


def test_the_papers_design_has_12_main_and_49_interaction_coefficients() -> None:
    df = {PAPER.label(term): PAPER.df(term) for term in PAPER.terms}
    assert [df[name] for name in PAPER.names] == [5, 1, 4, 2]
    assert sum(df.values()) - 12 == 49
    assert PAPER.size == 62
    # Of 300 reports a hundred are of each dataset; every one answers the 60 other cells.
    codes = np.array(list(product(range(6), range(2), range(5), range(3))))
    matrix = PAPER.matrix(codes)
    assert matrix.shape == (180, 62)
    assert np.linalg.matrix_rank(matrix) == 62
    assert PAPER.lack(codes) == ""
    # Sum coding of a balanced design: every column is a deviation from the mean of all cells.
    assert matrix[:, 1:].sum(axis=0) == pytest.approx(0)


def test_columns_are_patsys_sum_coding() -> None:
    import patsy

    names = ("f", "g")
    design = Factorial(names, levels(3, 2), 2)
    codes = np.array(list(product(range(3), range(2))))
    data = {name: codes[:, at] for at, name in enumerate(names)}
    want = patsy.dmatrix("C(f, Sum) * C(g, Sum)", data)
    names = want.design_info.column_names
    order = [0, 1, 2, names.index(next(n for n in names if n.startswith("C(g"))), 4, 5]
    assert design.matrix(codes) == pytest.approx(np.asarray(want)[:, order])


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(2, 4), min_size=1, max_size=4), st.integers(1, 3), st.data())
def test_a_mean_cell_is_the_mean_of_its_cells(sizes, order, data) -> None:
    design = Factorial(tuple("abcd"[: len(sizes)]), levels(*sizes), order)
    held = data.draw(st.dictionaries(
        st.integers(0, len(sizes) - 1), st.integers(0, 1), max_size=len(sizes)
    ))  # fmt: skip
    cells = product(*([held[at]] if at in held else range(k) for at, k in enumerate(sizes)))
    rows = design.matrix(np.array(list(cells)))
    fixed = {at: (level,) for at, level in held.items()}
    assert design.mean_cell(fixed) == pytest.approx(rows.mean(axis=0))


def test_a_mean_over_some_levels_of_a_factor() -> None:
    design = Factorial(("a", "b"), levels(3, 2), 2)
    rows = design.matrix(np.array([(a, 1) for a in (0, 2)]))
    assert design.mean_cell({0: (0, 2), 1: (1,)}) == pytest.approx(rows.mean(axis=0))


@pytest.mark.parametrize(
    ("sizes", "gone", "reason"),
    [
        ((2, 1), [], "b has fewer than two levels with a value; leave it out of factors"),
        ((2, 2), [(1, 0)], "no row has a = l1, b = l0"),
    ],
)
def test_why_rows_determine_no_model(sizes, gone, reason) -> None:
    design = Factorial(("a", "b"), levels(*sizes), 2)
    cells = [cell for cell in product(*map(range, sizes)) if cell not in gone]
    assert design.lack(np.array(cells)) == reason


def test_cells_that_confound_two_factors_determine_no_model() -> None:
    design = Factorial(("a", "b"), levels(2, 2), 1)
    assert "do not tell all effects apart" in design.lack(np.array([(0, 0), (1, 1)]))
