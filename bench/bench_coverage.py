"""Do intervals hold the truth, and do tests keep their level? Simulated where the truth is known.

    python bench/bench_coverage.py [--samples 4000] [--only WORD]

Prints two Markdown tables. An interval at 95 % should hold the truth in 93 to 97 % of samples, a
test at 5 % should reject a true hypothesis in 4 to 6 %. Methods that miss this are shown, and the
exit code is 1 when one that the toolkit uses by default claims too much: an interval that holds
the truth too seldom, a test that rejects too often. Each figure comes with its own
simulation error (1.96 standard errors).
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
from coverage_lines import AT_LEAST, COVERS, Line
from coverage_tests import tests
from scipy import stats

from toolkit.statistics.bootstrap import bound_without_variation, resample_means, resampled_interval
from toolkit.statistics.correlation import correlation
from toolkit.statistics.group_errors import clustered_mean
from toolkit.statistics.intervals import clustered_wilson
from toolkit.statistics.paired import paired_difference
from toolkit.statistics.prediction_powered import prediction_powered
from toolkit.statistics.rank_intervals import rank_ranges
from toolkit.statistics.resampling import resampled_sums
from toolkit.statistics.shrinkage import pooled_errors, shrunken_means

Rng = np.random.Generator
Sample = Callable[[Rng], tuple[np.ndarray, np.ndarray]]
"""Draws values and the cluster of each."""


# Values in clusters, and their true mean.


def alone(draw: Callable[[Rng], np.ndarray]) -> Sample:
    def sample(rng: Rng) -> tuple[np.ndarray, np.ndarray]:
        values = draw(rng)
        return values, np.arange(len(values))

    return sample


def bounded(clusters: int, most: int, level: tuple[float, float], precision: float) -> Sample:
    """Scores from 0 to 1: a Beta level for each cluster, Beta scores around it.

    The correlation within a cluster is (1/(a+b+1)) / (1/(a+b+1) + (a+b)/(a+b+1)/(precision+1)).
    """

    def sample(rng: Rng) -> tuple[np.ndarray, np.ndarray]:
        sizes = rng.integers(1, most + 1, clusters)
        codes = np.repeat(np.arange(clusters), sizes)
        centre = rng.beta(*level, clusters)[codes].clip(1e-6, 1 - 1e-6)
        return rng.beta(centre * precision, (1 - centre) * precision), codes

    return sample


def zero_one(clusters: int, most: int, level: tuple[float, float]) -> Sample:
    """Scores of 0 and 1 whose probability is a Beta draw of their cluster."""

    def sample(rng: Rng) -> tuple[np.ndarray, np.ndarray]:
        sizes = rng.integers(1, most + 1, clusters)
        codes = np.repeat(np.arange(clusters), sizes)
        return (rng.random(len(codes)) < rng.beta(*level, clusters)[codes]).astype(float), codes

    return sample


def skewed(clusters: int, most: int) -> Sample:
    """Log-normal scores like length ratios, the cluster's level half of the variance."""

    def sample(rng: Rng) -> tuple[np.ndarray, np.ndarray]:
        sizes = rng.integers(1, most + 1, clusters)
        codes = np.repeat(np.arange(clusters), sizes)
        level = rng.normal(0, 0.35, clusters)[codes]
        return np.exp(level + rng.normal(0, 0.35, len(codes))), codes

    return sample


MEANS: list[tuple[str, Sample, float, bool]] = [
    ("normal, 15 items", alone(lambda rng: rng.normal(0.3, 0.1, 15)), 0.3, False),
    ("Beta(2, 8), 30 items", alone(lambda rng: rng.beta(2, 8, 30)), 0.2, False),
    ("log-normal(0, 0.5), 100 items", alone(lambda r: np.exp(r.normal(0, 0.5, 100))),
     math.exp(0.125), False),
    ("0 or 1, p .3, 50 items", alone(lambda rng: 1.0 * (rng.random(50) < 0.3)), 0.3, True),
    ("0 or 1, p .05, 60 items", alone(lambda rng: 1.0 * (rng.random(60) < 0.05)), 0.05, True),
    ("bounded, 12 clusters of 1-8, ICC .3", bounded(12, 8, (4, 8), 24), 1 / 3, False),
    ("bounded, 40 clusters of 1-8, ICC .3", bounded(40, 8, (4, 8), 24), 1 / 3, False),
    ("skewed, 40 clusters of 1-8, ICC .5", skewed(40, 8), math.exp(0.1225), False),
    ("0 or 1, 40 clusters of 1-6, ICC .1", zero_one(40, 6, (2.7, 6.3)), 0.3, True),
]  # fmt: skip


def means(samples: int) -> Iterator[Line]:
    """Intervals of a mean."""
    for design, sample, truth, binary in MEANS:
        rng = np.random.default_rng(1)
        names = ("percentile", "bca", "expanded")
        held = dict.fromkeys((*names, "Student's t", "Wilson", "t, clusters ignored"), 0)
        grouped = False
        for _ in range(samples):
            values, codes = sample(rng)
            clusters = int(codes[-1]) + 1
            grouped = grouped or clusters < len(values)
            sums, counts = np.bincount(codes, values), np.bincount(codes)
            if np.ptp(values) == 0:
                found = bound_without_variation(
                    float(values[0]), clusters, low=0, high=1, confidence=0.95
                )
                for name in names:
                    held[name] += found.low <= truth <= found.high
            else:
                resampled = resample_means(sums, counts, rng, 1000)
                for name in names:
                    got = resampled_interval(resampled, sums, counts, confidence=0.95, method=name)
                    held[name] += got.low is not None and got.low <= truth <= got.high
                for name, which in (("Student's t", codes), ("t, clusters ignored", None)):
                    mean = clustered_mean(values, which)
                    held[name] += abs(mean.mean - truth) <= mean.half_width()
            if binary:
                low, high = clustered_wilson(values, codes)
                held["Wilson"] += low <= truth <= high
        for name, count in held.items():
            if (name == "Wilson" and not binary) or (name.endswith("ignored") and not grouped):
                continue
            default = name in ("expanded", "Wilson")
            note = "the leaderboard's" if name == "expanded" else ""
            yield Line(f"mean: {name}", design, count / samples, samples, COVERS, default, note)


def paired(samples: int) -> Iterator[Line]:
    """Intervals of a paired difference."""
    designs = {
        "bounded, 30 items": (bounded(30, 1, (4, 8), 24), False),
        "skewed, 25 clusters of 1-8": (skewed(25, 8), True),
    }
    for design, (sample, grouped) in designs.items():
        rng, held = np.random.default_rng(2), 0
        for _ in range(samples):
            first, codes = sample(rng)
            # The cluster's difference varies too; its mean is 0.02.
            shift = rng.normal(0.02, 0.05, codes[-1] + 1)[codes]
            second = first + shift + rng.normal(0, 0.1, len(first))
            got = paired_difference(second - first, clusters=codes if grouped else None)
            held += got.low <= 0.02 <= got.high
        yield Line("paired difference: Student's t", design, held / samples, samples, COVERS)


def normal_pairs(rng: Rng, n: int, rho: float) -> tuple[np.ndarray, np.ndarray]:
    x = rng.normal(size=n)
    return x, rho * x + math.sqrt(1 - rho * rho) * rng.normal(size=n)


def coefficients(samples: int) -> Iterator[Line]:
    """Intervals of correlations of normal columns, whose true values are known."""
    truths = {
        "pearson": lambda rho: rho,
        "spearman": lambda rho: 6 / math.pi * math.asin(rho / 2),
        "kendall": lambda rho: 2 / math.pi * math.asin(rho),
    }
    for kind, truth in truths.items():
        rng, held, in_clusters = np.random.default_rng(3), 0, 0
        codes = np.repeat(np.arange(40), 4)
        for _ in range(samples):
            got = correlation(*normal_pairs(rng, 60, 0.4), kind)
            held += got.low <= truth(0.4) <= got.high
            # Clusters share half of the variance of both columns.
            level, own = normal_pairs(rng, 40, 0.4), normal_pairs(rng, 160, 0.4)
            x, y = ((a[codes] + b) / math.sqrt(2) for a, b in zip(level, own, strict=True))
            got = correlation(x, y, kind, clusters=codes)
            in_clusters += got.low <= truth(0.4) <= got.high
        yield Line(f"{kind}: on Fisher's scale", "60 rows, rho .4", held / samples, samples, COVERS)
        design = "40 clusters of 4, ICC .5, rho .4"
        yield Line(f"{kind}: by clusters", design, in_clusters / samples, samples, COVERS)


def shrinkage(samples: int) -> Iterator[Line]:
    """Intervals of shrunken means, averaged over groups."""
    for groups, between in ((12, 0.05), (30, 0.1)):
        rng, held, errors = np.random.default_rng(4), 0.0, np.zeros(2)
        for _ in range(samples):
            truth = rng.normal(0.5, between, groups)
            sizes = rng.integers(2, 60, groups)
            raw = truth + rng.normal(0, 0.2 / np.sqrt(sizes))
            spread = 0.2 * np.sqrt(rng.chisquare(sizes - 1) / (sizes - 1) / sizes)
            pooled = pooled_errors(spread.tolist(), sizes.tolist())
            found = shrunken_means(raw.tolist(), pooled)
            pairs = zip(found.groups, truth, strict=True)
            held += np.mean([group.low <= own <= group.high for group, own in pairs])
            errors += [np.mean((np.array([g.mean for g in found.groups]) - truth) ** 2),
                       np.mean((raw - truth) ** 2)]  # fmt: skip
        note = f"mean squared error {errors[0] / errors[1]:.2f} of the raw means'"
        design = f"{groups} groups of 2-59, sd between {between}"
        yield Line("shrunken means", design, held / samples, samples, COVERS, note=note)


def powered(samples: int) -> Iterator[Line]:
    """Prediction-powered means under judges that are wrong in several ways."""

    def slope(y: np.ndarray, rng: Rng) -> np.ndarray:
        return 0.5 + 0.3 * y + rng.normal(0, 0.05, len(y))

    judges: dict[str, Callable[[np.ndarray, Rng], np.ndarray]] = {
        "constant bias": lambda y, rng: y + 0.2 + rng.normal(0, 0.1, len(y)),
        "slope bias": slope,
        "bias by item": lambda y, rng: (
            np.where(y < 0.4, y + 0.3, y - 0.1) + rng.normal(0, 0.1, len(y))
        ),
        "useless judge": lambda y, rng: rng.random(len(y)),
    }
    for rated, clusters in ((60, 0), (120, 30)):
        for name, judge in judges.items():
            rng, held, only, widths = np.random.default_rng(5), 0, 0, np.zeros(2)
            wider = 0
            for _ in range(samples):
                if clusters:
                    codes = np.repeat(np.arange(4 * clusters), 4)
                    centre = rng.beta(4, 8, 4 * clusters)[codes]
                    truth = rng.beta(centre * 24, (1 - centre) * 24)
                    # Whole clusters are rated.
                    kept = codes < clusters
                else:
                    codes, truth = np.arange(600), rng.beta(4, 8, 600)
                    kept = codes < rated
                got = prediction_powered(
                    np.where(kept, truth, np.nan), judge(truth, rng), clusters=codes
                )
                held += got.powered.low <= 1 / 3 <= got.powered.high
                only += got.human.low <= 1 / 3 <= got.human.high
                both = (got.powered.high - got.powered.low, got.human.high - got.human.low)
                wider += both[0] > both[1] * (1 + 1e-12)
                widths += both
            design = f"{rated} of {4 * rated if clusters else 600} rated, {name}"
            design += f", {clusters} clusters rated" if clusters else ""
            note = f"width {widths[0] / widths[1]:.2f} of human-only, wider in {wider} samples"
            share = held / samples
            yield Line("prediction-powered mean", design, share, samples, COVERS, note=note)
            if name == "constant bias":
                yield Line("human-only mean", design, only / samples, samples, COVERS, False)


def ranking(samples: int) -> Iterator[Line]:
    """Ranges of ranks: all ranks that are true of a competitor lie in its range."""
    designs = {
        "8 equal competitors, 60 items": np.zeros(8),
        "8 competitors, some equal, 60 items": np.array([0, 0, 0.02, 0.02, 0.05, 0.1, 0.1, 0.3]),
    }
    for design, levels in designs.items():
        rng, count = np.random.default_rng(6), len(levels)
        best = np.array([1 + (levels > own).sum() for own in levels])
        worst = np.array([count - (levels < own).sum() for own in levels])
        held, naive = 0.0, 0.0
        for _ in range(samples):
            items = rng.beta(4, 8, 60)[:, None]
            values = items + levels + rng.normal(0, 0.1, (60, count))
            seed = int(rng.integers(1 << 31))
            again, same = (np.random.default_rng(seed) for _ in range(2))
            ones = np.ones_like(values)
            found = rank_ranges(values, ones, np.negative, again, resamples=400)
            held += np.mean([
                one.low <= low and one.high >= high
                for one, low, high in zip(found, best, worst, strict=True)
            ])  # fmt: skip
            sums = np.concatenate(list(resampled_sums(values, same, 400)))
            places = stats.rankdata(-sums, axis=1, method="min")
            low, high = np.quantile(places, [0.025, 0.975], axis=0)
            naive += np.mean((low <= best) & (high >= worst))
        note = "ranks are whole numbers: it may hold more"
        share = held / samples
        yield Line("rank range", design, share, samples, AT_LEAST, note=note)
        yield Line("quantiles of resampled ranks", design, naive / samples, samples, COVERS, False)


HEAD = "| method | sample | {} | used by default | bar | note |\n|---|---|---:|---|---|---|"


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=4000)
    parser.add_argument("--only", default="", help="parts whose name holds this word")
    options = parser.parse_args()
    started, missed = time.process_time(), []
    parts = {
        "held the truth, %": (means, paired, coefficients, shrinkage, powered, ranking),
        "rejected, %": (tests,),
    }
    for heading, functions in parts.items():
        chosen = [part for part in functions if options.only in part.__name__]
        if not chosen:
            continue
        print(HEAD.format(heading), flush=True)
        for part in chosen:
            for line in part(options.samples):
                print(line.row(), flush=True)
                missed += [line] if line.misleads else []
        print()
    spent = time.process_time() - started
    print(f"{options.samples:,} samples a line; {spent:.0f} CPU seconds; "
          f"{len(missed)} defaults claim too much.")  # fmt: skip
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
