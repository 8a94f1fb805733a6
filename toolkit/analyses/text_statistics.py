"""How long texts are: words, sentences and points of text columns."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.distribution_tables import bin_edges
from toolkit.analyses.identity import identity
from toolkit.analyses.names import file_name
from toolkit.analyses.present_columns import present_columns
from toolkit.analyses.text_counts import Unit, count_units
from toolkit.errors import UserError
from toolkit.figures.base import Figure, Histogram
from toolkit.sentences import segmenter_name
from toolkit.statistics.intervals import students_t

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TextStatistics", "TextStatisticsParams"]

_ALL: Final = "all items"
_PANELS: Final = 12


def _about(text: str, **more: Any) -> dict[str, Any]:
    return {"about": text, **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class TextStatisticsParams:
    """Length of text columns: mean, spread, median."""

    columns: tuple[str, ...] = field(metadata=_about("text columns", scalar=True))
    units: tuple[Unit, ...] = field(
        default=("words",), metadata=_about("what is counted", scalar=True)
    )
    by: str | None = field(default=None, metadata=_about("column for subgroups"))
    of: Literal["corpus", "asked"] = field(
        default="asked",
        metadata=_about("the whole corpus, or the items that models were asked about"),
    )


_COLUMNS: Final = (
    AnalysisColumn("column", "string", "column", 0),
    AnalysisColumn("unit", "string", "counted", 0),
    AnalysisColumn("group", "string", "group", 0),
    AnalysisColumn("n", "int64", "n texts", 0),
    AnalysisColumn("n_missing", "int64", "items without a text", 0),
    AnalysisColumn("mean", "double", "mean", 2),
    AnalysisColumn("mean_low", "double", "low end of the 95 % interval", 2),
    AnalysisColumn("mean_high", "double", "high end of the 95 % interval", 2),
    AnalysisColumn("sd", "double", "standard deviation", 2),
    AnalysisColumn("smallest", "double", "smallest", 0),
    AnalysisColumn("quartile_1", "double", "first quartile", 1),
    AnalysisColumn("median", "double", "median", 1),
    AnalysisColumn("quartile_3", "double", "third quartile", 1),
    AnalysisColumn("largest", "double", "largest", 0),
)

_Key = tuple[str, Unit, str]


class TextStatistics:
    """One table, and a histogram for each of its lines."""

    name: ClassVar[str] = "text_statistics"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = TextStatisticsParams

    def __init__(self, params: TextStatisticsParams) -> None:
        self.params = params

    @property
    def reads_corpus(self) -> bool:
        """Whether it reads the whole corpus instead of the items that were asked about."""
        return self.params.of == "corpus"

    def item_columns(self) -> tuple[str, ...]:
        """Return the text columns and the column of groups."""
        by = (self.params.by,) if self.params.by else ()
        return tuple(dict.fromkeys((*self.params.columns, *by)))

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        p = self.params
        return identity(self) | {"segmenter": segmenter_name() if "sentences" in p.units else None}

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        if self.reads_corpus:
            return "texts of the whole corpus; described, not estimated, so without intervals"
        return "texts of the items asked about; 95 % intervals of means by Student's t"

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the table.

        Held in memory: 4 bytes a text and unit, and one shard.

        Raises:
            UserError: the items lack a column, or a column holds no texts.
        """
        counts: dict[_Key, array[int]] = {}
        missing: dict[tuple[str, str], int] = {}
        for table in present_columns(inputs.items, self.item_columns(), self.name):
            self._count(table, counts, missing)
        rows = [self._row(key, counts.get(key), missing) for key in self._keys(counts, missing)]
        units = "+".join(self.params.units)
        notes = [
            f"{self.describe()[0].upper()}{self.describe()[1:]}.",
            "The standard deviation divides by n - 1; a blank text is none.",
        ]
        if "sentences" in self.params.units:
            notes.append(f"Sentences are split by {segmenter_name()}.")
        if "points" in self.params.units:
            notes.append(
                "Points are the numbers 1., 2., 3. ... of a list; a text without is one point."
            )
        return [
            AnalysisTable(
                name=file_name(self.name, *self.params.columns),
                title=f"Length of {', '.join(self.params.columns)}",
                columns=_COLUMNS,
                rows=rows,
                notes=tuple(notes),
                signature=(
                    f"{self.name}|version:{self.version}|units:{units}|of:{self.params.of}"
                    + (f"|sentences:{segmenter_name()}" if "sentences" in self.params.units else "")
                ),
                figures=self._figures(rows, counts),
            )
        ]

    def _count(
        self,
        table: pa.Table,
        counts: dict[_Key, array[int]],
        missing: dict[tuple[str, str], int],
    ) -> None:
        p = self.params
        groups = table[p.by].to_pylist() if p.by else [None] * len(table)
        for column in p.columns:
            for text, value in zip(table[column].to_pylist(), groups, strict=True):
                if text is not None and not isinstance(text, str):
                    raise UserError(
                        f"{self.name}: the column '{column}' holds no texts",
                        hint="name a column of texts",
                    )
                for group in (_ALL, *_groups(value)):
                    if text is None or not text.strip():
                        missing[column, group] = missing.get((column, group), 0) + 1
                for unit in p.units if text is not None and text.strip() else ():
                    count = count_units(text, unit)
                    for group in (_ALL, *_groups(value)):
                        counts.setdefault((column, unit, group), array("i")).append(count)

    def _keys(
        self, counts: dict[_Key, array[int]], missing: dict[tuple[str, str], int]
    ) -> list[_Key]:
        p = self.params
        groups = {group for _, _, group in counts} | {group for _, group in missing}
        return [
            (column, unit, group)
            for column in p.columns
            for unit in p.units
            for group in (*sorted(groups - {_ALL}), _ALL)
            if (column, unit, group) in counts or (column, group) in missing
        ]

    def _row(
        self, key: _Key, found: array[int] | None, missing: dict[tuple[str, str], int]
    ) -> dict[str, Any]:
        import numpy as np

        column, unit, group = key
        row: dict[str, Any] = {
            "column": column,
            "unit": unit,
            "group": group,
            "n": len(found) if found is not None else 0,
            "n_missing": missing.get((column, group), 0),
        }
        if found is None:
            return row
        values = np.sort(np.array(found, np.float64))
        quartiles = np.quantile(values, [0.25, 0.5, 0.75])
        low, high = (None, None) if self.reads_corpus else students_t(values.tolist())
        return row | {
            "mean": float(values.mean()),
            "mean_low": low,
            "mean_high": high,
            "sd": float(values.std(ddof=1)) if len(values) > 1 else None,
            "smallest": float(values[0]),
            "quartile_1": float(quartiles[0]),
            "median": float(quartiles[1]),
            "quartile_3": float(quartiles[2]),
            "largest": float(values[-1]),
        }

    def _figures(
        self, rows: list[dict[str, Any]], counts: dict[_Key, array[int]]
    ) -> tuple[Figure, ...]:
        import numpy as np

        shown = [row for row in rows if row["n"]][:_PANELS]
        if not shown:
            return ()
        panels = []
        for row in shown:
            values = np.sort(np.array(counts[row["column"], row["unit"], row["group"]], np.float64))
            edges = bin_edges(values, whole=True, log=False)
            panels.append(
                Histogram(
                    edges=tuple(edges.tolist()),
                    counts=tuple(np.histogram(values, edges)[0].astype(float).tolist()),
                    x=row["unit"],
                    y="texts",
                    title=f"{row['column']}, {row['group']} (n = {row['n']:,})",
                    marks=(
                        (row["median"], f"median {row['median']:g}"),
                        (row["mean"], f"mean {row['mean']:.1f}"),
                    ),
                )
            )
        columns = ", ".join(self.params.columns)
        words = "; ".join(
            f"{row['column']} of {row['group']}: median {row['median']:g} {row['unit']}, "
            f"mean {row['mean']:.1f}"
            for row in shown
        )
        rest = len([row for row in rows if row["n"]]) - len(shown)
        return (
            Figure(
                name=file_name(self.name, *self.params.columns),
                title=f"Length of {columns}, n = {max(row['n'] for row in shown):,} texts"
                + (f"; {rest} further groups are in the table" if rest else ""),
                alt=f"Histograms of lengths. {words}.",
                panels=tuple(panels),
                columns=min(3, len(panels)),
            ),
        )


def _groups(value: Any) -> list[str]:
    """Return the groups of an item, each once; one that is called like all items has quotes."""
    found = value if isinstance(value, list) else [value]
    texts = dict.fromkeys(str(each).strip() for each in found if each is not None)
    return [f"'{text}'" if text == _ALL else text for text in texts if text]
