"""One-way analysis of variance of scores over the groups of a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.competitors import shown
from toolkit.analyses.families import Correction, adjust, family_note
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.names import file_name
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix
from toolkit.errors import UserError
from toolkit.figures.base import Dots, Figure, Series
from toolkit.statistics.anova import one_way
from toolkit.statistics.group_errors import group_error
from toolkit.statistics.limits import within

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Anova", "AnovaParams"]

_HEAD: Final = (
    AnalysisColumn("score", "string", "score"),
    AnalysisColumn("model", "string", "model"),
    AnalysisColumn("prompt", "string", "prompt; empty for a baseline"),
)
_TESTS: Final = (
    *_HEAD,
    AnalysisColumn("n", "int64", "n items", 0),
    AnalysisColumn("groups", "int64", "groups", 0),
    AnalysisColumn("between", "double", "sum of squares between groups"),
    AnalysisColumn("within", "double", "sum of squares within groups"),
    AnalysisColumn("df_between", "int64", "degrees of freedom between", 0),
    AnalysisColumn("df_within", "int64", "degrees of freedom within", 0),
    AnalysisColumn("f", "double", "F"),
    AnalysisColumn("p", "double", "p of equal means", 4),
    AnalysisColumn("p_adjusted", "double", "p adjusted within its family", 4),
    AnalysisColumn("eta_squared", "double", "eta squared, share of variance between groups"),
    AnalysisColumn("omega_squared", "double", "omega squared, the same without its bias"),
    AnalysisColumn("welch_f", "double", "Welch's F, for unequal variances"),
    AnalysisColumn("welch_p", "double", "its p", 4),
    AnalysisColumn("reason", "string", "why something is missing; else empty"),
)
_GROUPS: Final = (
    *_HEAD,
    AnalysisColumn("group", "string", "group"),
    AnalysisColumn("n", "int64", "n items", 0),
    AnalysisColumn("mean", "double", "mean"),
    AnalysisColumn("mean_low", "double", "low end of its 95 % interval (Student's t)"),
    AnalysisColumn("mean_high", "double", "high end of its 95 % interval"),
    AnalysisColumn("sd", "double", "standard deviation"),
    AnalysisColumn("reason", "string", "why there is no interval; else empty"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnovaParams:
    """One-way analysis of variance: between-group sum of squares, F, p."""

    by: str = field(metadata={"about": "column that groups"})
    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    correction: Correction = field(
        default="holm", metadata={"about": "for several tests: holm, bh or none"}
    )


class Anova:
    """A table of tests and one of the groups, and a figure for each score."""

    name: ClassVar[str] = "anova"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = AnovaParams

    def __init__(self, params: AnovaParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the column that groups."""
        return (self.params.by,)

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return how the tests were done, for people."""
        return (
            f"one-way analysis of variance over {self.params.by} (Fisher 1925), Welch's test "
            "(1951) beside it; items are taken as independent"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables.

        Held in memory: the scores, 12 bytes a value.

        Raises:
            UserError: an item belongs to several groups, which no analysis of variance allows.
        """
        p = self.params
        matrices = ScoreMatrices(inputs.scores)
        groups = {
            name: rows
            for name, (rows, _) in ItemColumns(inputs.items, (p.by,), matrices.items)
            .groups(p.by)
            .items()
        }
        _check_disjoint(p.by, groups)
        tests: list[dict[str, Any]] = []
        cells: list[dict[str, Any]] = []
        figures: list[Figure] = []
        for score in matrices.scores(p.scores):
            matrix = matrices.matrix(score)
            found = list(_cells(matrix, groups, inputs))
            tests += list(_tests(matrix, groups, inputs))
            cells += found
            if found:
                figures.append(_figure(matrix, found, inputs, p.by))
        adjust(tests, ("score",), p.correction)
        signature = f"anova|version:{self.version}|by:{p.by}|correction:{p.correction}"
        family = "all models and prompts of one score"
        notes = (
            f"{self.describe()[0].upper()}{self.describe()[1:]}.",
            family_note(p.correction, family),
        )
        return [
            AnalysisTable(
                name="anova",
                title=f"Do scores differ by {p.by}? Analysis of variance",
                columns=_TESTS,
                rows=tests,
                notes=notes,
                signature=signature,
                figures=tuple(figures),
            ),
            AnalysisTable(
                name="anova_groups",
                title=f"Scores by {p.by}",
                columns=_GROUPS,
                rows=[{k: v for k, v in row.items() if k != "shown"} for row in cells],
                signature=f"{signature}|ci:t|level:0.95",
            ),
        ]


def _check_disjoint(by: str, groups: Mapping[str, NDArray[np.int64]]) -> None:
    import numpy as np

    if not groups:
        return
    _, counts = np.unique(np.concatenate(list(groups.values())), return_counts=True)
    if (counts > 1).any():
        raise UserError(
            f"{int((counts > 1).sum())} items belong to several values of '{by}'",
            hint="an analysis of variance needs one group an item; breakdown takes several",
        )


def _tests(
    matrix: ScoreMatrix, groups: Mapping[str, NDArray[np.int64]], inputs: AnalysisInputs
) -> list[dict[str, Any]]:
    rows = []
    for at, (model, prompt) in enumerate(matrix.systems):
        held = [_known(matrix.values[rows_, at]) for rows_ in groups.values()]
        held = [values for values in held if len(values)]
        found = one_way(held)
        rows.append(
            {
                "score": matrix.score,
                "model": inputs.title(model),
                "prompt": prompt,
                "n": sum(len(values) for values in held),
                "groups": len(held),
                "between": found.between,
                "within": found.within,
                "df_between": found.df_between,
                "df_within": found.df_within,
                "f": found.f,
                "p": found.p,
                "eta_squared": found.eta_squared,
                "omega_squared": found.omega_squared,
                "welch_f": found.welch_f,
                "welch_p": found.welch_p,
                "reason": found.reason,
            }
        )
    return rows


def _cells(
    matrix: ScoreMatrix, groups: Mapping[str, NDArray[np.int64]], inputs: AnalysisInputs
) -> list[dict[str, Any]]:
    import numpy as np

    rows = []
    for at, system in enumerate(matrix.systems):
        for group, places in groups.items():
            values = _known(matrix.values[places, at])
            found = group_error(values, "ci")
            low, high = found.low, found.high
            if low is not None and high is not None:
                low, high = within(low, high, inputs.definition(matrix.score).limits)
            rows.append(
                {
                    "score": matrix.score,
                    "model": inputs.title(system[0]),
                    "prompt": system[1],
                    "shown": shown(system, inputs),
                    "group": group,
                    "n": found.n,
                    "mean": found.mean,
                    "mean_low": low,
                    "mean_high": high,
                    "sd": float(np.std(values, ddof=1)) if found.n > 1 else None,
                    "reason": found.reason,
                }
            )
    return rows


def _known(values: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    found: NDArray[np.float64] = values[np.isfinite(values)]
    return found


def _figure(
    matrix: ScoreMatrix, rows: Sequence[dict[str, Any]], inputs: AnalysisInputs, by: str
) -> Figure:
    labels = tuple(dict.fromkeys(row["group"] for row in rows))
    names = tuple(dict.fromkeys(row["shown"] for row in rows))
    held = {(row["shown"], row["group"]): row for row in rows}
    title = inputs.definition(matrix.score).title
    n = max(sum(row["n"] for row in rows if row["shown"] == name) for name in names)
    return Figure(
        name=file_name("anova", matrix.score),
        title=f"{title} by {by}: means with 95 % t intervals (n = {n:,})",
        alt=f"Means of {title} in {len(labels)} groups of {by} for {len(names)} competitors.",
        panels=(
            Dots(
                labels=labels,
                series=tuple(
                    Series(
                        name=name,
                        values=tuple(held[name, label]["mean"] for label in labels),
                        lows=tuple(held[name, label]["mean_low"] for label in labels),
                        highs=tuple(held[name, label]["mean_high"] for label in labels),
                    )
                    for name in names
                ),
                x=title,
            ),
        ),
    )
