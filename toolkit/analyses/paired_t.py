"""Outputs against references: the same measure of both, paired by item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.competitors import competing, shown
from toolkit.analyses.families import Correction, adjust, family_note
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.names import file_name
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix, System
from toolkit.errors import UserError
from toolkit.figures.base import Dots, Figure, Series
from toolkit.statistics.paired import paired_difference

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PairedT", "PairedTParams"]

_ALL: Final = "all"
_SUFFIX: Final = "_reference"
"""At the end of the name of a score that measures the reference."""

_COLUMNS: Final = (
    AnalysisColumn("score", "string", "score"),
    AnalysisColumn("model", "string", "model"),
    AnalysisColumn("prompt", "string", "prompt; empty for a baseline"),
    AnalysisColumn("group", "string", "group of items; all of them first"),
    AnalysisColumn("n", "int64", "n items with both", 0),
    AnalysisColumn("output_mean", "double", "mean of the outputs"),
    AnalysisColumn("reference_mean", "double", "mean of the references"),
    AnalysisColumn("difference", "double", "difference, output minus reference"),
    AnalysisColumn("difference_low", "double", "low end of its 95 % interval"),
    AnalysisColumn("difference_high", "double", "high end of its 95 % interval"),
    AnalysisColumn("t", "double", "t"),
    AnalysisColumn("df", "int64", "degrees of freedom", 0),
    AnalysisColumn("p", "double", "p of no difference, two-sided", 4),
    AnalysisColumn("p_adjusted", "double", "p adjusted within its family", 4),
    AnalysisColumn("effect", "double", "effect size d_z"),
    AnalysisColumn("effect_low", "double", "low end of its 95 % interval"),
    AnalysisColumn("effect_high", "double", "high end of its 95 % interval"),
    AnalysisColumn("reason", "string", "why something is missing; else empty"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedTParams:
    """Paired t tests of outputs against references."""

    by: str | None = field(
        default=None, metadata={"about": "column for subgroups, overall as well"}
    )
    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    correction: Correction = field(
        default="holm", metadata={"about": "for several tests: holm, bh or none"}
    )


class PairedT:
    """One table and a figure for each score that is known of outputs and of references."""

    name: ClassVar[str] = "paired_t"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = PairedTParams

    def __init__(self, params: PairedTParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the column of subgroups, if any."""
        return () if self.params.by is None else (self.params.by,)

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return how the tests were done, for people."""
        return (
            "paired t tests of outputs against references (Student 1908), 95 % t intervals, "
            "repeated outputs to an item averaged"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the table.

        The reference's value is the score of that name that ends in ``_reference``, or that of
        the baseline that answers with the reference.

        Held in memory: the scores, 12 bytes a value.

        Raises:
            UserError: no score, or one that is asked for, is not known of references.
        """
        p = self.params
        matrices = ScoreMatrices(inputs.scores)
        columns = () if p.by is None else (p.by,)
        items = ItemColumns(inputs.items, columns, matrices.items)
        groups: dict[str, NDArray[np.int64]] = {}
        if p.by is not None:
            # A group that is called like all items has quotes.
            groups = {
                f"'{name}'" if name == _ALL else name: rows
                for name, (rows, _) in items.groups(p.by).items()
            }
        rows: list[dict[str, Any]] = []
        figures: list[Figure] = []
        known = matrices.scores()
        for score in matrices.scores(p.scores):
            if score.endswith(_SUFFIX) and score.removesuffix(_SUFFIX) in known:
                continue
            found = list(self._rows(score, matrices, groups, inputs))
            if not found and p.scores:
                raise _no_reference(score)
            rows += found
            if found:
                figures.append(_figure(found, inputs.definition(score).title))
        if not rows and known:
            raise _no_reference(known[0])
        adjust(rows, ("score",), p.correction)
        family = "all models, prompts and groups of one score"
        return [
            AnalysisTable(
                name="paired_t",
                title="Outputs against references",
                columns=_COLUMNS,
                rows=[{k: v for k, v in row.items() if k != "shown"} for row in rows],
                notes=(
                    f"{self.describe()[0].upper()}{self.describe()[1:]}.",
                    family_note(p.correction, family),
                ),
                signature=(
                    f"paired_t|version:{self.version}|by:{p.by or ''}|correction:{p.correction}"
                    "|ci:t|level:0.95"
                ),
                figures=tuple(figures),
            )
        ]

    def _rows(
        self,
        score: str,
        matrices: ScoreMatrices,
        groups: dict[str, NDArray[np.int64]],
        inputs: AnalysisInputs,
    ) -> Iterator[dict[str, Any]]:
        import numpy as np

        matrix = matrices.matrix(score)
        beside = matrices.matrix(score + _SUFFIX)
        everything = np.arange(len(matrix.items))
        for system in competing(matrix, inputs):
            reference = _reference(matrix, beside, system, inputs)
            if reference is None:
                continue
            output = matrix.column(system)
            for group, places in {_ALL: everything, **groups}.items():
                yield {
                    "score": score,
                    "model": inputs.title(system[0]),
                    "prompt": system[1],
                    "shown": shown(system, inputs),
                    "group": group,
                    **_cells(output[places], reference[places], inputs.span(score)),
                }


def _reference(
    matrix: ScoreMatrix, beside: ScoreMatrix, system: System, inputs: AnalysisInputs
) -> NDArray[np.float64] | None:
    if system in beside.systems:
        return beside.column(system)
    held = [other for other in matrix.systems if inputs.kinds.get(other[0]) == "reference"]
    return matrix.column(held[0]) if held else None


def _no_reference(score: str) -> UserError:
    return UserError(
        f"paired_t: the score '{score}' is not known of references",
        hint="measure them too, e.g. linguistic: {on: [output, reference]}, or let the baseline "
        "that answers with the reference take part",
    )


def _cells(
    output: NDArray[np.float64], reference: NDArray[np.float64], span: float | None
) -> dict[str, Any]:
    import numpy as np

    both = np.isfinite(output) & np.isfinite(reference)
    found = paired_difference(output[both] - reference[both], span=span)
    return {
        "n": found.n,
        "output_mean": float(output[both].mean()) if found.n else None,
        "reference_mean": float(reference[both].mean()) if found.n else None,
        "difference": found.difference,
        "difference_low": found.low,
        "difference_high": found.high,
        "t": found.t,
        "df": None if found.df is None else int(found.df),
        "p": found.p,
        "effect": found.effect.value,
        "effect_low": found.effect.low,
        "effect_high": found.effect.high,
        "reason": found.reason,
    }


def _figure(rows: Sequence[dict[str, Any]], title: str) -> Figure:
    labels = tuple(dict.fromkeys(row["group"] for row in rows))
    names = tuple(dict.fromkeys(row["shown"] for row in rows))
    held = {(row["shown"], row["group"]): row for row in rows}
    n = max(row["n"] for row in rows)
    return Figure(
        name=file_name("paired_t", rows[0]["score"]),
        title=f"{title}: outputs minus references (n = {n:,})",
        alt=f"Mean differences of {title} between the outputs of {len(names)} competitors and the "
        f"references, in {len(labels)} groups, with 95 % t intervals.",
        panels=(
            Dots(
                labels=labels,
                series=tuple(
                    Series(
                        name=name,
                        values=tuple(held[name, label]["difference"] for label in labels),
                        lows=tuple(held[name, label]["difference_low"] for label in labels),
                        highs=tuple(held[name, label]["difference_high"] for label in labels),
                    )
                    for name in names
                ),
                x=f"{title}, output minus reference",
                line=0.0,
            ),
        ),
    )
