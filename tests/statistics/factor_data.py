"""Answers of a factorial design: items answer in every cell, outcomes of one item are alike."""

from itertools import product

import numpy as np

from toolkit.statistics.factorial import Factorial


def answers(sizes=(3, 2, 3), items=40, seed=4, order=2):
    """Design, codes, clusters and a latent score of ``items`` answering every cell once."""
    rng = np.random.default_rng(seed)
    names = tuple("abcd"[: len(sizes)])
    design = Factorial(
        names,
        tuple(tuple(f"{n}{at}" for at in range(k)) for n, k in zip(names, sizes, strict=True)),
        order,
    )
    cells = np.array(list(product(*map(range, sizes))))
    codes = np.tile(cells, (items, 1))
    clusters = np.repeat(np.arange(items), len(cells))
    latent = rng.normal(0, 1, items)[clusters] + rng.logistic(size=len(codes))
    latent += 0.8 * (codes[:, 0] == 1) - 0.4 * codes[:, 1] + 0.3 * codes[:, 0] * codes[:, 1]
    return design, codes, clusters, latent
