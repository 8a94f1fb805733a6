"""Further models of the same outcomes, and whether they say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from toolkit.analyses.base import AnalysisColumn, AnalysisTable
from toolkit.analyses.factor_contrasts import CONTRASTS, adjusted, contrast_rows, planned
from toolkit.analyses.factor_params import FactorParams
from toolkit.analyses.factor_rows import FactorRows, FactorTable
from toolkit.analyses.factor_tests import TERMS, p_by_term, term_rows
from toolkit.analyses.families import family_note
from toolkit.analyses.gee_summary import MODELS, model_row
from toolkit.statistics.linear_model import LinearFit
from toolkit.statistics.logistic_gee import Covariance, logistic_gee, no_fit
from toolkit.statistics.random_intercept import PRIOR_EFFECTS, PRIOR_SPREAD, random_intercept

__all__ = ["Sensitivity", "sensitivity_tables"]

_BESIDE: Final = (
    *(column for column in CONTRASTS if column.name not in ("within", "at")),
    AnalysisColumn("main_odds_ratio", "double", "odds ratio of the main model"),
)
_SPREAD: Final = (
    AnalysisColumn("spread", "double", "standard deviation of the intercepts, log odds"),
)
_TITLES: Final = {"three_way": "Three-way interactions", "random_intercept": "Random intercepts"}


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """A further model.

    Attributes:
        kind: which.
        params: factors, contrasts and correction of the main model.
        signature: of the main model.
        covariance: of the estimates.
    """

    kind: Literal["three_way", "random_intercept"]
    params: FactorParams
    signature: str
    covariance: Covariance


def sensitivity_tables(
    what: Sensitivity,
    rows: FactorRows,
    tables: Sequence[FactorTable],
    main: Sequence[dict[str, Any]],
) -> list[AnalysisTable]:
    """Return tests, odds ratios over all cells and models of a further model.

    Args:
        what: the model.
        rows: answers.
        tables: the rows of the main model, an outcome each.
        main: contrasts of the main model.
    """
    terms: list[dict[str, Any]] = []
    contrasts: list[dict[str, Any]] = []
    models: list[dict[str, Any]] = []
    for own in tables:
        table = rows.table(own.score, 3) if what.kind == "three_way" else own
        fit, spread = _fitted(what, table)
        tests = term_rows(table, fit)
        terms += tests
        plan = planned(table, what.params, within=False)
        contrasts += contrast_rows(table, fit, plan, p_by_term(table, tests))
        extra = {"spread": spread} if what.kind == "random_intercept" else {}
        models.append(model_row(table, fit) | extra)
    adjusted(contrasts, what.params)
    keys = ("outcome", "factor", "first", "second")
    known = {tuple(r[k] for k in keys): r.get("odds_ratio") for r in main if not r["within"]}
    for row in contrasts:
        row["main_odds_ratio"] = known[tuple(row[k] for k in keys)]
        del row["within"], row["at"]
    title, name = _TITLES[what.kind], f"gee_{what.kind}"
    signature = f"{what.signature}|sensitivity:{what.kind}"
    family = "the comparisons of one factor of one outcome"
    spreads = _SPREAD if what.kind == "random_intercept" else ()
    return [
        AnalysisTable(
            name=name, title=f"{title}: Wald tests", columns=TERMS, rows=terms,
            notes=(_note(what.kind),), signature=signature,
        ),
        AnalysisTable(
            name=f"{name}_contrasts", title=f"{title}: odds ratios beside the main model's",
            columns=_BESIDE, rows=contrasts,
            notes=(_note(what.kind), family_note(what.params.correction, family)),
            signature=signature,
        ),
        AnalysisTable(
            name=f"{name}_models", title=f"{title}: models",
            columns=(*MODELS[:-1], *spreads, MODELS[-1]), rows=models,
            notes=(_note(what.kind),), signature=signature,
        ),
    ]  # fmt: skip


def _fitted(what: Sensitivity, table: FactorTable) -> tuple[LinearFit, float | None]:
    import numpy as np

    outcome, clusters = table.values > 0, len(np.unique(table.clusters))
    if what.kind == "random_intercept":
        return random_intercept(outcome, table.design, table.codes, table.clusters)
    if len(table.design.names) < 3 or what.params.interactions > 2:
        why = "the main model has all three-way interactions there can be"
        return no_fit(table.design.size, len(outcome), clusters, why), None
    design = table.design
    return logistic_gee(outcome, design, table.codes, table.clusters, what.covariance), None


def _note(kind: str) -> str:
    if kind == "three_way":
        return "The main model with all three-way interactions added."
    return (
        "A normal random intercept a cluster, fitted by variational Bayes with normal priors of "
        f"standard deviation {PRIOR_EFFECTS:g} for coefficients and {PRIOR_SPREAD:g} for the "
        "logarithm of the intercepts' spread; the covariance is that of the penalised likelihood "
        "(Breslow and Clayton 1993, doi:10.1080/01621459.1993.10594284). Its odds ratios hold "
        "within a cluster and lie farther from 1 than those of the main model, which hold over "
        "all clusters; compare direction and order. p values are those of the posterior's normal "
        "approximation, independent of the working correlation."
    )
