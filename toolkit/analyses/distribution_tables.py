"""Tables and figures of distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisTable
from toolkit.analyses.names import file_name, without_miscellaneous
from toolkit.figures.base import Bars, Figure, Histogram, Series
from toolkit.figures.scales import number_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toolkit.analyses.distribution import DistributionParams, Frequencies, Numbers

__all__ = ["bin_edges", "frequency_tables", "number_tables"]

_UNIT_BINS: Final = 80
"""Whole numbers over a range up to this have a bar each."""
_MOST_BINS: Final = 60
_MOST_BARS: Final = 40

_NUMBERS: Final = (
    AnalysisColumn("column", "string", "column", 0),
    AnalysisColumn("n_items", "int64", "items", 0),
    AnalysisColumn("n", "int64", "with a number", 0),
    AnalysisColumn("n_missing", "int64", "without", 0),
    AnalysisColumn("n_not_positive", "int64", "not above 0", 0),
    AnalysisColumn("mean", "double", "mean", 3),
    AnalysisColumn("sd", "double", "standard deviation", 3),
    AnalysisColumn("smallest", "double", "smallest", 3),
    AnalysisColumn("quartile_1", "double", "first quartile", 3),
    AnalysisColumn("median", "double", "median", 3),
    AnalysisColumn("quartile_3", "double", "third quartile", 3),
    AnalysisColumn("largest", "double", "largest", 3),
    AnalysisColumn("peak", "double", "most frequent number", 3),
    AnalysisColumn("peak_n", "int64", "items with it", 0),
)

_BINS: Final = (
    AnalysisColumn("from", "double", "from", 3),
    AnalysisColumn("to", "double", "to below", 3),
    AnalysisColumn("n", "int64", "items", 0),
    AnalysisColumn("share", "double", "share of items with a number", 4),
)

_VALUES: Final = (
    AnalysisColumn("place", "int64", "place", 0),
    AnalysisColumn("value", "string", "value", 0),
    AnalysisColumn("n", "int64", "items", 0),
    AnalysisColumn("share", "double", "share of all items", 4),
)


def number_tables(found: Numbers, params: DistributionParams, about: str) -> list[AnalysisTable]:
    """Return the statistics with the figure, and the counts behind it.

    Args:
        found: the numbers.
        params: of the analysis.
        about: which items they belong to.
    """
    import numpy as np

    values, column = found.values, params.column
    row = _statistics(found, column)
    shown = values[values > 0] if params.axis == "log" else values
    edges = bin_edges(shown, whole=found.whole, log=params.axis == "log")
    counts = np.histogram(shown, edges)[0] if len(edges) else np.empty(0, np.int64)
    name = file_name("distribution", column)
    signature = f"distribution|column:{column}|of:{params.of}|axis:{params.axis}"
    bins = [
        {"from": float(low), "to": float(high), "n": int(n), "share": int(n) / len(values)}
        for low, high, n in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    notes = [
        f"{about[0].upper()}{about[1:]}.",
        "The standard deviation divides by n - 1; quartiles are interpolated linearly.",
    ]
    if params.axis == "log" and row["n_not_positive"]:
        notes.append(
            f"{row['n_not_positive']:,} numbers that are not above 0 have no place on the log "
            "axis; mean and median count them."
        )
    if found.whole:
        notes.append("Of several most frequent numbers the smallest is the peak.")
    return [
        AnalysisTable(
            name=name, title=f"Distribution of {column}", columns=_NUMBERS, rows=[row],
            notes=tuple(notes), signature=signature,
            figures=(_histogram(edges, counts, row, params),),
        ),
        AnalysisTable(
            name=f"{name}_counts", title=f"Items by {column}", columns=_BINS, rows=bins,
            notes=("The last interval holds its upper end.",), signature=signature,
        ),
    ]  # fmt: skip


def _statistics(found: Numbers, column: str) -> dict[str, Any]:
    import numpy as np

    values = found.values
    row: dict[str, Any] = {
        "column": column,
        "n_items": found.items,
        "n": len(values),
        "n_missing": found.items - len(values),
        "n_not_positive": int((values <= 0).sum()),
    }
    if not len(values):
        return row
    quartiles = np.quantile(values, [0.25, 0.5, 0.75])
    row |= {
        "mean": float(values.mean()),
        "sd": float(values.std(ddof=1)) if len(values) > 1 else None,
        "smallest": float(values[0]),
        "quartile_1": float(quartiles[0]),
        "median": float(quartiles[1]),
        "quartile_3": float(quartiles[2]),
        "largest": float(values[-1]),
    }
    if found.whole:
        distinct, counts = np.unique(values, return_counts=True)
        row |= {"peak": float(distinct[counts.argmax()]), "peak_n": int(counts.max())}
    return row


def bin_edges(values: NDArray[np.float64], *, whole: bool, log: bool) -> NDArray[np.float64]:
    """Return the edges of a histogram: a bin a whole number where there are few of them.

    Elsewhere the width is that of Freedman and Diaconis (1981, doi:10.1007/BF01025868), on a log
    axis that of the logarithms, within 5 to 60 bins of equal width.

    Args:
        values: sorted, above 0 for a log axis.
        whole: they are whole numbers.
        log: the axis.
    """
    import numpy as np

    if not len(values):
        return np.empty(0)
    scaled = np.log10(values) if log else values
    low, high = float(scaled[0]), float(scaled[-1])
    if whole and not log and high - low <= _UNIT_BINS:
        return np.arange(low - 0.5, high + 1.0)
    if low == high:
        reach = 0.5 if log else max(abs(low) * 0.01, 0.5)
        low, high, bins = low - reach, high + reach, 1
    else:
        spread = float(np.subtract(*np.quantile(scaled, [0.75, 0.25])))
        width = 2 * spread / len(scaled) ** (1 / 3)
        wanted = (high - low) / width if width > 0 else _MOST_BINS
        bins = int(min(max(np.ceil(wanted), 5), _MOST_BINS))
    edges = np.linspace(low, high, bins + 1)
    if not log:
        return edges
    edges = 10.0**edges
    # The ends are values themselves, which a power of a logarithm may miss by a bit.
    if bins > 1:
        edges[0], edges[-1] = values[0], values[-1]
    return edges


def _histogram(
    edges: NDArray[np.float64],
    counts: NDArray[np.int64],
    row: dict[str, Any],
    params: DistributionParams,
) -> Figure:
    marks: list[tuple[float, str]] = []
    words = "no numbers"
    if row["n"]:
        marks = [
            (row["median"], f"median {_plain(row['median'])}"),
            (row["mean"], f"mean {_plain(row['mean'])}"),
        ]
        words = f"median {_plain(row['median'])}, mean {_plain(row['mean'])}"
    if row.get("peak") is not None:
        words += f", peak {_plain(row['peak'])} with {row['peak_n']:,} items"
    items = "the corpus" if params.of == "corpus" else "the items asked about"
    return Figure(
        name=file_name("distribution", params.column),
        title=f"{params.column} of {items}, n = {row['n']:,}"
        + (f" ({row['n_missing']:,} without)" if row["n_missing"] else "")
        + (f", peak {_plain(row['peak'])} (n = {row['peak_n']:,})" if row.get("peak") else ""),
        alt=f"A histogram of {params.column}: {words}.",
        panels=(
            Histogram(
                edges=tuple(float(edge) for edge in edges),
                counts=tuple(float(count) for count in counts),
                x=f"{params.column} (log axis)" if params.axis == "log" else params.column,
                y="items",
                marks=tuple(marks),
                scale=params.axis,
            ),
        ),
        width="column",
    )


def _plain(value: float) -> str:
    # A mean of years keeps a decimal.
    return (
        f"{value:.1f}".removesuffix(".0") if 1000 <= abs(value) < 10_000 else number_text(value, 4)
    )


def frequency_tables(
    found: Frequencies, params: DistributionParams, about: str
) -> list[AnalysisTable]:
    """Return the most frequent values with the figure.

    Args:
        found: the counts.
        params: of the analysis.
        about: which items they belong to.
    """
    column = params.column
    shown = found.counts if params.top is None else found.counts[: params.top]
    names = without_miscellaneous([value for value, _ in found.counts])
    place: dict[int, int] = {}
    rows: list[dict[str, Any]] = []
    for at, (value, n) in enumerate(shown):
        rank = place.setdefault(n, at + 1)
        share = n / found.items
        rows.append({"place": rank, "value": names[value], "n": n, "share": share})
    notes = [
        f"{about[0].upper()}{about[1:]}.",
        f"{found.items:,} items, {found.missing:,} without a value; {len(found.counts):,} distinct "
        f"values, {len(shown):,} shown.",
    ]
    if found.several:
        notes.append(
            f"{found.several:,} items have several values and count once in each, so that shares "
            "add to more than 1."
        )
    bars = rows[:_MOST_BARS]
    part = f"the {len(bars)} most frequent of {len(found.counts):,}"
    first = f" {bars[0]['value']} comes first with {bars[0]['n']:,} items." if bars else ""
    items = "the corpus" if params.of == "corpus" else "the items asked about"
    figure = Figure(
        name=file_name("distribution", column),
        title=f"{column} of {items}: {part}, n = {found.items - found.missing:,} items"
        + (f" ({found.missing:,} without)" if found.missing else ""),
        alt=f"Bars of how many items have each of {part} values of {column}.{first}",
        panels=(
            Bars(
                labels=tuple(row["value"] for row in bars),
                series=(Series(values=tuple(float(row["n"]) for row in bars)),),
                y="items",
                x=column,
                lying=True,
            ),
        ),
    )
    return [
        AnalysisTable(
            name=file_name("distribution", column),
            title=f"Most frequent {column}" if params.top else f"Frequencies of {column}",
            columns=_VALUES,
            rows=rows,
            notes=tuple(notes),
            signature=f"distribution|column:{column}|of:{params.of}|top:{params.top or 'all'}",
            figures=(figure,),
        )
    ]
