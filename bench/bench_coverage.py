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
from dataclasses import dataclass

import numpy as np
from scipy import stats

from toolkit.statistics.anova import one_way
from toolkit.statistics.bootstrap import bound_without_variation, resample_means, resampled_interval
from toolkit.statistics.correlation import correlation
from toolkit.statistics.group_errors import clustered_mean
from toolkit.statistics.holm import holm
from toolkit.statistics.intervals import clustered_share
from toolkit.statistics.mcnemar import mcnemar
from toolkit.statistics.paired import equivalence, paired_difference, signed_ranks
from toolkit.statistics.permutation import paired_permutation, unpaired_permutation
from toolkit.statistics.prediction_powered import prediction_powered
from toolkit.statistics.rank_intervals import rank_ranges
from toolkit.statistics.resampling import resampled_sums
from toolkit.statistics.shrinkage import shrunken_means
from toolkit.statistics.two_sample import levene

Rng = np.random.Generator
Sample = Callable[[Rng], tuple[np.ndarray, np.ndarray]]
"""Draws values and the cluster of each."""


@dataclass
class Line:
    """One line of a table: how often something happened in how many samples."""

    what: str
    design: str
    share: float
    samples: int
    bar: tuple[float, float]
    default: bool = True
    note: str = ""

    @property
    def error(self) -> float:
        """1.96 standard errors of the share, in percent."""
        return 196 * math.sqrt(max(self.share * (1 - self.share), 1e-9) / self.samples)

    @property
    def verdict(self) -> str:
        """Where the share lies: inside its bar, within its simulation error of it, or outside."""
        low, high = self.bar
        share = 100 * self.share
        if low <= share <= high:
            return "holds"
        if low - self.error <= share <= high + self.error:
            return "within error"
        return "too low" if share < low else "too high"

    @property
    def misleads(self) -> bool:
        """Whether a default claims more than it should; claiming too little is the safe side."""
        wrong = "too low" if self.bar[0] > 50 else "too high"
        return self.default and self.verdict == wrong

    def row(self) -> str:
        """The line in Markdown."""
        verdict = self.verdict if self.verdict.startswith(("h", "w")) else f"**{self.verdict}**"
        used = "yes" if self.default else ""
        return (
            f"| {self.what} | {self.design} | {100 * self.share:.1f} ± {self.error:.1f} | {used} "
            f"| {verdict} | {self.note} |"
        )


COVERS = (93.0, 97.0)
AT_LEAST = (93.0, 100.0)
REJECTS = (4.0, 6.0)
AT_MOST = (0.0, 6.0)


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
                low, high = clustered_share(values, codes)
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
            sizes = rng.integers(5, 60, groups)
            raw = truth + rng.normal(0, 0.2 / np.sqrt(sizes))
            spread = 0.2 * np.sqrt(rng.chisquare(sizes - 1) / (sizes - 1) / sizes)
            found = shrunken_means(raw.tolist(), spread.tolist())
            pairs = zip(found.groups, truth, strict=True)
            held += np.mean([group.low <= own <= group.high for group, own in pairs])
            errors += [np.mean((np.array([g.mean for g in found.groups]) - truth) ** 2),
                       np.mean((raw - truth) ** 2)]  # fmt: skip
        note = f"mean squared error {errors[0] / errors[1]:.2f} of the raw means'"
        design = f"{groups} groups of 5-59, sd between {between}"
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


# Tests of a hypothesis that is true.


def rate(samples: int, seed: int, p_value: Callable[[Rng], float | None]) -> float:
    rng = np.random.default_rng(seed)
    return sum((p_value(rng) or 0.0) < 0.05 for _ in range(samples)) / samples


def clustered_differences(rng: Rng, clusters: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Differences of two exchangeable, skewed scores whose clusters differ."""
    sizes = rng.integers(1, most + 1, clusters)
    codes = np.repeat(np.arange(clusters), sizes)
    first, second = (
        np.exp(rng.normal(0, 0.4, clusters)[codes] + rng.normal(0, 0.4, len(codes)))
        for _ in range(2)
    )
    return first - second, codes


def binary_pairs(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
    hard = rng.beta(2, 2, n)
    return (rng.random(n) < hard).astype(float), (rng.random(n) < hard).astype(float)


def flipped(rng: Rng, clusters: int, use: bool) -> float | None:
    values, codes = clustered_differences(rng, clusters, 6)
    return paired_permutation(values, rng, clusters=codes if use else None, permutations=999).p


def moved(rng: Rng, n: int, in_cluster: int) -> float | None:
    codes = np.arange(2 * n) // in_cluster
    values = np.exp(rng.normal(0, 0.5, 2 * n // in_cluster)[codes] + rng.normal(0, 0.3, 2 * n))
    pair = (codes[:n], codes[n:]) if in_cluster > 1 else None
    return unpaired_permutation(values[:n], values[n:], rng, clusters=pair, permutations=499).p


def unequal(rng: Rng) -> list[np.ndarray]:
    return [rng.normal(0, sd, n) for sd, n in ((1, 40), (1, 30), (3, 12))]


def correlated(rng: Rng, kind: str, clusters: bool) -> float | None:
    if not clusters:
        return correlation(np.exp(rng.normal(size=40)), rng.normal(size=40), kind).p
    codes = np.repeat(np.arange(30), 5)
    x, y = (rng.normal(size=30)[codes] + rng.normal(size=150) for _ in range(2))
    return correlation(x, y, kind, clusters=codes).p


def family(rng: Rng) -> float | None:
    shared = rng.normal(size=(30, 1))
    values = shared + rng.normal(size=(30, 6))
    return min(holm([paired_difference(column).p for column in values.T]))


TESTS: list[tuple[str, str, Callable[[Rng], float | None], tuple[float, float], bool, str]] = [
    ("paired permutation, exact", "skewed, 15 pairs",
     lambda rng: flipped(rng, 15, True), REJECTS, True, ""),
    ("paired permutation, drawn", "skewed, 30 clusters of 1-6",
     lambda rng: flipped(rng, 30, True), REJECTS, True, ""),
    ("paired permutation, clusters ignored", "skewed, 30 clusters of 1-6",
     lambda rng: flipped(rng, 30, False), REJECTS, False, "why clusters flip whole"),
    ("unpaired permutation", "skewed, 25 and 25", lambda rng: moved(rng, 25, 1), REJECTS, True, ""),
    ("unpaired permutation", "skewed, 12 and 12 clusters of 4",
     lambda rng: moved(rng, 48, 4), REJECTS, True, ""),
    ("McNemar, mid-p", "100 pairs", lambda rng: mcnemar(*binary_pairs(rng, 100)).p_mid,
     REJECTS, True, ""),
    ("McNemar, exact", "100 pairs", lambda rng: mcnemar(*binary_pairs(rng, 100)).p,
     AT_MOST, True, "conservative, as every exact test of counts"),
    ("paired t", "skewed, 30 pairs",
     lambda rng: paired_difference(clustered_differences(rng, 30, 1)[0]).p, REJECTS, True, ""),
    ("paired t by clusters", "skewed, 30 clusters of 1-6",
     lambda rng: (lambda v, c: paired_difference(v, clusters=c).p)(
         *clustered_differences(rng, 30, 6)), REJECTS, True, ""),
    ("signed ranks", "skewed, 30 pairs",
     lambda rng: signed_ranks(clustered_differences(rng, 30, 1)[0])[0], REJECTS, True, ""),
    ("equivalence at its margin", "40 pairs, true difference at the margin",
     lambda rng: equivalence(rng.normal(0.5, 1, 40), 0.5).p, REJECTS, True, ""),
    ("analysis of variance", "normal, 5 groups of 8-30",
     lambda rng: one_way([rng.normal(size=n) for n in (8, 12, 18, 24, 30)]).p, REJECTS, True, ""),
    ("analysis of variance", "unequal variances, 3 groups",
     lambda rng: one_way(unequal(rng)).p, REJECTS, False, "why Welch's stands beside it"),
    ("Welch's analysis", "unequal variances, 3 groups",
     lambda rng: one_way(unequal(rng)).welch_p, REJECTS, True, ""),
    ("Levene, from the median", "skewed, 30 and 40",
     lambda rng: levene(rng.exponential(size=30), rng.exponential(size=40)).p, REJECTS, True, ""),
    ("Levene, from the mean", "skewed, 30 and 40",
     lambda rng: levene(rng.exponential(size=30), rng.exponential(size=40), center="mean").p,
     REJECTS, False, "why the median is the default"),
    *((f"{kind}, test", "skewed against normal, 40 rows",
       lambda rng, kind=kind: correlated(rng, kind, False), REJECTS, True, "")
      for kind in ("pearson", "spearman", "kendall")),
    *((f"{kind}, test by clusters", "30 clusters of 5, ICC .5",
       lambda rng, kind=kind: correlated(rng, kind, True), REJECTS, True, "")
      for kind in ("pearson", "spearman", "kendall")),
    ("pearson, clusters ignored", "30 clusters of 5, ICC .5", lambda rng: correlation(
        *((lambda c: (rng.normal(size=30)[c] + rng.normal(size=150)))(np.repeat(np.arange(30), 5))
          for _ in range(2)), "pearson").p, REJECTS, False, "why clusters count"),
    ("Holm: any of 6 tests", "dependent, 30 pairs", family, AT_MOST, True, "bounded by 5"),
]  # fmt: skip


def tests(samples: int) -> Iterator[Line]:
    """Shares of true hypotheses that tests reject."""
    for at, (what, design, p_value, bar, default, note) in enumerate(TESTS):
        share = rate(samples, 100 + at, p_value)
        yield Line(what, design, share, samples, bar, default, note)


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
