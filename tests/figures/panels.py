"""One figure of each kind of panel, with what real ones have: gaps, intervals, long names."""

import numpy as np

from toolkit.figures.base import Bars, Dots, Figure, Grid, Histogram, Lines, Radar, Scatter, Series

LONG = (
    "Medicine",
    "Psychiatry and Mental Health",
    "Public Health, Environmental and Occupational Health",
    "Obstetrics and Gynecology",
    "Biochemistry, Genetics and Molecular Biology",
)
AXES = (
    "Semantic similarity", "Writing style", "Non-contradiction", "Numeric consistency",
    "Formality", "Embedding cosine", "ROUGE-1", "ROUGE-2", "ROUGE-L", "BLEU", "Word ratio",
    "Sentence ratio",
)  # fmt: skip


def series(n, name="", seed=0, gap=True):
    values = np.random.default_rng(seed).normal(50, 8, n)
    found = [float(value) for value in values]
    if gap and n > 2:
        found[1] = None
    return Series(
        name=name,
        values=tuple(found),
        lows=tuple(None if v is None else v - 3 for v in found),
        highs=tuple(None if v is None else v + 4 for v in found),
    )


def figure(*panels, name="figure", columns=1, **more):
    return Figure(
        name=name, title="A title, n = 200", alt="What it shows.", panels=panels, columns=columns,
        **more,
    )  # fmt: skip


def scatter(n=300, **more):
    rng = np.random.default_rng(1)
    xs, ys = rng.lognormal(size=n), rng.normal(50, 9, n)
    return Scatter(
        xs=tuple(xs.tolist()), ys=tuple(ys.tolist()), x="SJR", y="mean score",
        title="(a) Semantic similarity", note="r = −0.016\nρ = −0.058**\nn = 300", **more,
    )  # fmt: skip


def radar(count=5):
    rng = np.random.default_rng(2)
    return Radar(
        axes=AXES,
        series=tuple(
            Series(name=LONG[at], values=tuple(rng.random(12).tolist())) for at in range(count)
        ),
        title="Top five",
    )


KINDS = {
    "dots": figure(
        Dots(
            labels=tuple(f"Model {n} of a maker with a long name" for n in range(20)),
            series=(series(20, "Semantic similarity"), series(20, "Style", 1), series(20, "N", 2)),
            x="mean score, 0 to 100",
            line=50.0,
        )
    ),
    "bars_lying": figure(
        Bars(labels=LONG, series=(series(5, gap=False),), y="articles", lying=True)
    ),
    "bars_upright": figure(
        Bars(labels=tuple("ABCD"), series=(series(4, "one"), series(4, "two", 1)), y="score")
    ),
    "bars_of_years": figure(
        Bars(
            labels=tuple(str(year) for year in range(2000, 2026)),
            series=(Series(values=tuple(float(n) for n in range(26))),),
            y="articles",
            x="year",
        )
    ),
    "scatter": figure(scatter(line=(50.0, 2.0), x_scale="log"), scatter(2000), columns=2),
    "ten_scatters": figure(*(scatter(50) for _ in range(10)), columns=3),
    "histogram": figure(
        Histogram(
            edges=tuple(np.geomspace(0.1, 100, 31).tolist()),
            counts=tuple(float(n) for n in range(30)),
            x="SJR (log axis)",
            y="articles",
            marks=((1.2, "median 1.20"), (2.0, "mean 2.00")),
            scale="log",
        ),
        width="column",
    ),
    "lines": figure(
        Lines(
            xs=tuple(float(year) for year in range(2000, 2020)),
            series=(series(20, "A"), series(20, "B", 1)),
            x="year",
            y="score",
            marks=((2012.0, "cutoff"),),
        )
    ),
    "radar": figure(radar(), columns=1),
    "two_radars": figure(radar(), radar(3), columns=2),
    "grid": figure(
        Grid(
            rows=LONG,
            columns=LONG,
            values=tuple(
                tuple(None if a == b else float(a - b) for b in range(5)) for a in range(5)
            ),
            texts=tuple(tuple("" if a == b else f"{a - b:+d}" for b in range(5)) for a in range(5)),
            legend="difference",
            middle=0.0,
        )
    ),
    "empty": figure(
        Dots(labels=(), series=(), x="x"),
        Bars(labels=("a", "b"), series=(Series(values=(None, None)),), y="y"),
        Scatter(xs=(), ys=(), x="x", y="y"),
        Histogram(edges=(), counts=(), x="x", y="y"),
        Lines(xs=(), series=(), x="x", y="y"),
        Radar(axes=("a", "b", "c"), series=(Series(values=(None, None, None)),)),
        Grid(rows=(), columns=(), values=(), texts=(), legend="l"),
        columns=3,
    ),
}
