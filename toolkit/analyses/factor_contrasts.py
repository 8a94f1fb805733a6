"""Odds ratios between levels of a factor: over all cells, and within levels of another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.base import AnalysisColumn
from toolkit.analyses.factor_params import Comparison, FactorParams
from toolkit.analyses.factor_rows import FactorTable
from toolkit.analyses.families import adjust
from toolkit.statistics.factorial import Factorial, Term
from toolkit.statistics.linear_model import LinearFit, geometric_mean, odds_ratio

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "CONTRASTS",
    "FAMILY",
    "WITHIN",
    "WITHIN_NOTE",
    "Planned",
    "adjusted",
    "contrast_rows",
    "planned",
    "within_rows",
]

FAMILY: Final = ("outcome", "factor", "within")

CONTRASTS: Final = (
    AnalysisColumn("outcome", "string", "outcome"),
    AnalysisColumn("factor", "string", "factor"),
    AnalysisColumn("within", "string", "within; empty for the mean over all cells"),
    AnalysisColumn("at", "string", "at this level of it"),
    AnalysisColumn("first", "string", "first"),
    AnalysisColumn("second", "string", "second"),
    AnalysisColumn("n", "int64", "n answers of both sides", 0),
    AnalysisColumn("clusters", "int64", "clusters of the model", 0),
    AnalysisColumn("odds_ratio", "double", "odds ratio, first over second"),
    AnalysisColumn("odds_ratio_low", "double", "low end of its 95 % interval"),
    AnalysisColumn("odds_ratio_high", "double", "high end of its 95 % interval"),
    AnalysisColumn("log_odds", "double", "its natural logarithm"),
    AnalysisColumn("error", "double", "standard error of the logarithm"),
    AnalysisColumn("p", "double", "p of an odds ratio of 1, two-sided", 4),
    AnalysisColumn("p_adjusted", "double", "p adjusted within its family", 4),
    AnalysisColumn("tests", "int64", "tests in the family", 0),
    AnalysisColumn("term", "string", "term of the model that the contrast is part of"),
    AnalysisColumn("term_p", "double", "Type III p of the term", 4),
    AnalysisColumn("interpreted", "bool", "whether it may be read at all"),
    AnalysisColumn("reason", "string", "why not, or why something is missing; else empty"),
)

WITHIN: Final = (
    *(column for column in CONTRASTS[:6] if column.name != "at"),
    AnalysisColumn("levels", "int64", "levels with an odds ratio", 0),
    AnalysisColumn("smallest", "double", "smallest odds ratio"),
    AnalysisColumn("smallest_at", "string", "where"),
    AnalysisColumn("largest", "double", "largest odds ratio"),
    AnalysisColumn("largest_at", "string", "where"),
    AnalysisColumn("geometric_mean", "double", "geometric mean of the odds ratios"),
    AnalysisColumn("geometric_mean_low", "double", "low end of its 95 % interval"),
    AnalysisColumn("geometric_mean_high", "double", "high end of its 95 % interval"),
    AnalysisColumn("term_p", "double", "Type III p that they differ (interaction)", 4),
    AnalysisColumn("reason", "string", "why something is missing; else empty"),
)

WITHIN_NOTE: Final = (
    "The geometric mean over the levels is the odds ratio over all cells, as levels weigh the "
    "same; where the interaction is significant it hides that they differ."
)

_LEVEL: Final = 0.05


@dataclass(frozen=True, slots=True)
class Planned:
    """One contrast.

    Attributes:
        factor: position of the factor.
        within: position of the factor it is held within; None for the mean over all cells.
        at: level of that factor.
        first: levels of the first side.
        second: levels of the second side.
        names: what tables call both sides.
        absent: a level that no row has; empty otherwise.
    """

    factor: int
    within: int | None
    at: int | None
    first: tuple[int, ...]
    second: tuple[int, ...]
    names: tuple[str, str]
    absent: str = ""

    @property
    def term(self) -> Term:
        """The term whose Type III test comes first."""
        if self.within is None:
            return (self.factor,)
        return tuple(sorted((self.factor, self.within)))

    def row(self, design: Factorial) -> NDArray[np.float64]:
        """Return the weights of the coefficients."""
        held: dict[int, Sequence[int]] = {}
        if self.within is not None and self.at is not None:
            held = {self.within: (self.at,)}
        first = design.mean_cell(held | {self.factor: self.first})
        return first - design.mean_cell(held | {self.factor: self.second})


def planned(table: FactorTable, params: FactorParams, *, within: bool = True) -> list[Planned]:
    """Return the contrasts of a model, family by family.

    Args:
        table: the factors and their levels.
        params: which factors and levels are compared.
        within: also within each level of the factors that a factor interacts with.
    """
    design = table.design
    found: list[Planned] = []
    for name in params.compared:
        factor = design.names.index(name)
        sides = list(_sides(table, factor, params.comparisons.get(name)))
        found += [Planned(factor, None, None, *side) for side in sides]
        if not within:
            continue
        for other in range(len(design.names)):
            if tuple(sorted((factor, other))) in design.terms and other != factor:
                found += [
                    Planned(factor, other, at, *side)
                    for at in range(len(design.levels[other]))
                    for side in sides
                ]
    return found


def contrast_rows(
    table: FactorTable,
    fit: LinearFit,
    contrasts: Sequence[Planned],
    term_p: Mapping[Term, float | None],
) -> list[dict[str, Any]]:
    """Return a line of :data:`CONTRASTS` for each contrast, p values not yet adjusted.

    A contrast of a term whose Type III test does not reject is not to be interpreted.

    Args:
        table: the rows of the model.
        fit: the model.
        contrasts: what is compared.
        term_p: Type III p values by term.
    """
    rows = []
    for each in contrasts:
        p = term_p.get(each.term)
        line = _head(table, fit, each) | {"term_p": p, "term": table.design.label(each.term)}
        if each.absent:
            rows.append(line | {"p": None, "reason": f"no row has {each.absent}"})
            continue
        found = odds_ratio(fit, each.row(table.design))
        why = found.reason
        if not why and (p is None or p >= _LEVEL):
            why = f"{line['term']} is not significant" if p is not None else "its term has no test"
        rows.append(
            line
            | {
                "odds_ratio": found.value,
                "odds_ratio_low": found.low,
                "odds_ratio_high": found.high,
                "log_odds": found.log,
                "error": found.error,
                "p": found.p,
                "interpreted": None if found.p is None else not why,
                "reason": why,
            }
        )
    return rows


def _head(table: FactorTable, fit: LinearFit, each: Planned) -> dict[str, Any]:
    """Return what a line says of the contrast itself."""
    import numpy as np

    design = table.design
    sides = np.isin(table.codes[:, each.factor], [*each.first, *each.second])
    if each.within is not None:
        sides &= table.codes[:, each.within] == each.at
    return {
        "outcome": table.score,
        "factor": design.names[each.factor],
        "within": "" if each.within is None else design.names[each.within],
        "at": _level_name(design, each),
        "first": each.names[0],
        "second": each.names[1],
        "n": int(sides.sum()),
        "clusters": fit.clusters,
    }


def within_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return smallest, largest and geometric mean of the odds ratios within levels.

    With equal weights of the levels the geometric mean is the odds ratio over all cells, whose
    interval is given.

    Args:
        rows: lines of :data:`CONTRASTS`.
    """
    found = []
    pooled = {
        tuple(row[name] for name in ("outcome", "factor", "first", "second")): row
        for row in rows
        if not row["within"]
    }
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        if row["within"]:
            key = tuple(row[name] for name in ("outcome", "factor", "within", "first", "second"))
            groups.setdefault(key, []).append(row)
    for key, members in groups.items():
        outcome, factor, _, first, second = key
        line = dict(
            zip(("outcome", "factor", "within", "first", "second"), key, strict=True),
            term_p=members[0]["term_p"],
            reason=next((row["reason"] for row in members if row.get("p") is None), ""),
        )
        held = [row for row in members if row.get("odds_ratio") is not None]
        if held:
            low = min(held, key=lambda row: row["odds_ratio"])
            high = max(held, key=lambda row: row["odds_ratio"])
            whole = pooled[outcome, factor, first, second]
            line |= {
                "smallest": low["odds_ratio"],
                "smallest_at": low["at"],
                "largest": high["odds_ratio"],
                "largest_at": high["at"],
                "geometric_mean": geometric_mean([row["odds_ratio"] for row in held]),
                "geometric_mean_low": whole["odds_ratio_low"],
                "geometric_mean_high": whole["odds_ratio_high"],
            }
        found.append(line | {"levels": len(held)})
    return found


def _count_tests(rows: Sequence[dict[str, Any]], family: Sequence[str]) -> None:
    sizes: dict[tuple[Any, ...], int] = {}
    for row in rows:
        key = tuple(row[name] for name in family)
        sizes[key] = sizes.get(key, 0) + (row.get("p") is not None)
    for row in rows:
        row["tests"] = sizes[tuple(row[name] for name in family)]


def adjusted(
    rows: list[dict[str, Any]], params: FactorParams, family: Sequence[str] = FAMILY
) -> list[dict[str, Any]]:
    """Return the lines with their p values adjusted within each family."""
    adjust(rows, family, params.correction)
    _count_tests(rows, family)
    return rows


def _level_name(design: Factorial, each: Planned) -> str:
    if each.within is None or each.at is None:
        return ""
    return design.levels[each.within][each.at]


_Side = tuple[tuple[int, ...], tuple[int, ...], tuple[str, str], str]


def _sides(
    table: FactorTable, factor: int, comparisons: Sequence[Comparison] | None
) -> Iterator[_Side]:
    shown = table.design.levels[factor]
    if comparisons is None:
        for one, other in combinations(range(len(shown)), 2):
            yield (one,), (other,), (shown[one], shown[other]), ""
        return
    known = {key: at for at, key in enumerate(table.keys[factor])}
    name = table.design.names[factor]
    for each in comparisons:
        absent = [level for level in (*each.first, *each.second) if level not in known]
        sides = [
            tuple(known[level] for level in side if level in known)
            for side in (each.first, each.second)
        ]
        names = [
            " + ".join(shown[known[level]] if level in known else level for level in side)
            for side in (each.first, each.second)
        ]
        missing = f"{name} = {absent[0]}" if absent else ""
        yield sides[0], sides[1], (names[0], names[1]), missing
