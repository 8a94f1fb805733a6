"""Logistic models of binary scores by factors, answers of one item correlated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from toolkit.analyses.base import AnalysisInputs, AnalysisTable
from toolkit.analyses.factor_contrasts import (
    CONTRASTS,
    WITHIN,
    WITHIN_NOTE,
    adjusted,
    contrast_rows,
    planned,
    within_rows,
)
from toolkit.analyses.factor_differences import difference_rows, difference_table
from toolkit.analyses.factor_params import FactorParams, check_factors
from toolkit.analyses.factor_rows import FactorRows, FactorTable, columns_of_items
from toolkit.analyses.factor_tests import TERMS, few_clusters, p_by_term, term_rows
from toolkit.analyses.families import family_note
from toolkit.analyses.gee_margins import MARGINS, margin_figure, margin_rows
from toolkit.analyses.gee_sensitivity import Sensitivity, sensitivity_tables
from toolkit.analyses.gee_summary import MODELS, model_row
from toolkit.analyses.identity import identity
from toolkit.analyses.odds_figures import pooled_figure, within_figures
from toolkit.errors import UserError
from toolkit.figures.base import Figure
from toolkit.statistics.linear_model import LinearFit
from toolkit.statistics.logistic_gee import Covariance, logistic_gee

__all__ = ["Gee", "GeeParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GeeParams(FactorParams):
    """Logistic GEE with exchangeable correlation and Type III Wald tests."""

    outcomes: tuple[str, ...] = field(metadata={"about": "binary scores", "scalar": True})
    covariance: Covariance = field(
        default="robust",
        metadata={"about": "of the estimates; bias_reduced is safer for few clusters"},
    )
    sensitivity: tuple[Literal["three_way", "random_intercept"], ...] = field(
        default=(), metadata={"about": "further models fitted beside it", "scalar": True}
    )


class Gee:
    """Tests of terms, odds ratios, probabilities, differences, and what further models say."""

    name: ClassVar[str] = "gee"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = GeeParams

    def __init__(self, params: GeeParams) -> None:
        check_factors(self.name, params)
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns of the items that are factors or clusters."""
        return columns_of_items(self.params.factors, self.params.cluster)

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return how the models were made, for people."""
        p = self.params
        kind = "robust" if p.covariance == "robust" else "bias-reduced"
        return (
            f"logistic generalised estimating equations of {', '.join(p.factors)} with "
            f"interactions up to order {p.interactions} (Liang and Zeger 1986): exchangeable "
            f"correlation within {p.cluster}, {kind} covariance, sum coding, Type III Wald tests"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables.

        Held in memory: the scores, 12 bytes a value, and the design of one model.

        Raises:
            UserError: a score has other values than 0 and 1, or an item several levels of a
                factor.
        """
        p = self.params
        rows = FactorRows(inputs, p.factors, p.cluster, p.leave_out)
        tables = [rows.table(score, p.interactions) for score in p.outcomes]
        _check_binary(tables)
        fits = [
            logistic_gee(t.values > 0, t.design, t.codes, t.clusters, p.covariance) for t in tables
        ]
        terms: list[dict[str, Any]] = []
        contrasts: list[dict[str, Any]] = []
        for table, fit in zip(tables, fits, strict=True):
            tests = term_rows(table, fit)
            terms += tests
            contrasts += contrast_rows(table, fit, planned(table, p), p_by_term(table, tests))
        adjusted(contrasts, p)
        found = self._main(inputs, tables, fits, terms, contrasts)
        differences = [row for t in tables for row in difference_rows("gee", t, p, inputs.seed)]
        titles = [(table.score, _title(inputs, table.score)) for table in tables]
        signature = f"{self._signature()}|seed:{inputs.seed}"
        found.append(difference_table("gee", differences, p, titles, signature))
        for kind in dict.fromkeys(p.sensitivity):
            found += sensitivity_tables(
                Sensitivity(kind, p, self._signature(), p.covariance), rows, tables, contrasts
            )
        return found

    def _signature(self) -> str:
        p = self.params
        return (
            f"gee|version:{self.version}|factors:{','.join(p.factors)}|order:{p.interactions}"
            f"|link:logit|correlation:exchangeable|cluster:{p.cluster}|cov:{p.covariance}"
            f"|coding:sum|correction:{p.correction}|level:0.95"
        )

    def _main(
        self,
        inputs: AnalysisInputs,
        tables: Sequence[FactorTable],
        fits: Sequence[LinearFit],
        terms: list[dict[str, Any]],
        contrasts: list[dict[str, Any]],
    ) -> list[AnalysisTable]:
        p, signature = self.params, self._signature()
        margins = [
            row
            for table, fit in zip(tables, fits, strict=True)
            for row in margin_rows(table, fit, p.compared)
        ]
        pooled: list[Figure] = []
        within: list[Figure] = []
        shown: list[Figure] = []
        for table in tables:
            title = _title(inputs, table.score)
            held = [row for row in contrasts if row["outcome"] == table.score]
            pooled += pooled_figure("gee", title, held)
            within += within_figures("gee", title, held)
            lines = [row for row in margins if row["outcome"] == table.score]
            shown += margin_figure(title, lines)
        instead = ", or use covariance: bias_reduced (Mancl and DeRouen 2001)"
        few = few_clusters(fits, instead if p.covariance == "robust" else "")
        method = f"{self.describe()[0].upper()}{self.describe()[1:]}."
        family = "the comparisons of one factor of one outcome: those over all cells are one, "
        family += "those within the levels of another factor another"
        return [
            AnalysisTable(
                name="gee", title="Which factors matter? Type III Wald tests", columns=TERMS,
                rows=terms, notes=(method, *few), signature=signature,
            ),
            AnalysisTable(
                name="gee_contrasts", title="Odds ratios between levels", columns=CONTRASTS,
                rows=contrasts, notes=(_CONTRASTS, *few, family_note(p.correction, family)),
                signature=signature, figures=tuple(pooled),
            ),
            AnalysisTable(
                name="gee_within", title="Odds ratios within levels of other factors",
                columns=WITHIN, rows=within_rows(contrasts), notes=(WITHIN_NOTE,),
                signature=signature, figures=tuple(within),
            ),
            AnalysisTable(
                name="gee_margins", title="Probabilities that the model says", columns=MARGINS,
                rows=margins, notes=(_MARGINS,), signature=signature, figures=tuple(shown),
            ),
            AnalysisTable(
                name="gee_models", title="Models", columns=MODELS,
                rows=[model_row(t, f) for t, f in zip(tables, fits, strict=True)],
                notes=(_MODELS,), signature=signature,
            ),
        ]  # fmt: skip


_CONTRASTS = (
    "Contrasts of log odds in which all cells of the other factors weigh the same, with normal "
    "95 % intervals. One whose term has a Type III p of .05 or more is not interpreted, and grey "
    "in the figure."
)
_MARGINS = (
    "Mean predicted probability if all answers had the level, the other factors as observed "
    "(Lane and Nelder 1982, doi:10.2307/2530043); intervals by the delta method on log odds. The "
    "share observed is over the answers that do have it."
)
_MODELS = (
    "alpha is the correlation of two answers of one cluster in the model. Answers left out lack "
    "a level of a factor: a baseline has no prompt."
)


def _check_binary(tables: Sequence[FactorTable]) -> None:
    import numpy as np

    other = [table.score for table in tables if not np.isin(table.values, (0.0, 1.0)).all()]
    if other:
        raise UserError(
            f"gee.outcomes {', '.join(other)}: some values are neither 0 nor 1",
            hint="ordered values belong to the analysis 'ordinal', others to 'means'",
        )


def _title(inputs: AnalysisInputs, score: str) -> str:
    return next((each.title for each in inputs.definitions if each.name == score), score)
