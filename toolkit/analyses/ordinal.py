"""Models of ordered scores by factors: proportional odds, and odds at each threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
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
from toolkit.analyses.identity import identity
from toolkit.analyses.odds_figures import pooled_figure, within_figures
from toolkit.analyses.ordinal_margins import (
    ORDERED_MARGINS,
    ordered_margin_figures,
    ordered_margin_rows,
)
from toolkit.analyses.ordinal_thresholds import (
    THRESHOLD_FAMILY,
    THRESHOLDS,
    proportionality,
    threshold_figure,
    threshold_rows,
)
from toolkit.errors import UserError
from toolkit.figures.base import Figure
from toolkit.statistics.linear_model import LinearFit
from toolkit.statistics.ordered_odds import proportional_odds, threshold_odds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Ordinal", "OrdinalParams"]

_VALUES: Final = 10
"""Most values of an ordered score; more are a number, not an order."""

_TERMS: Final = (
    *TERMS[:-1],
    AnalysisColumn("proportional_chi2", "double", "chi-squared that thresholds differ", 2),
    AnalysisColumn("proportional_df", "int64", "its degrees of freedom", 0),
    AnalysisColumn("proportional_p", "double", "p of proportional odds", 4),
    TERMS[-1],
)
_CONTRASTS: Final = (
    *CONTRASTS[:-2],
    AnalysisColumn("proportional_p", "double", "p of proportional odds of the term", 4),
    *CONTRASTS[-2:],
)
_MODELS: Final = (
    AnalysisColumn("outcome", "string", "outcome"),
    AnalysisColumn("n", "int64", "n answers", 0),
    AnalysisColumn("left_out", "int64", "answers left out", 0),
    AnalysisColumn("missing", "int64", "answers without a value", 0),
    AnalysisColumn("clusters", "int64", "clusters", 0),
    AnalysisColumn("coefficients", "int64", "coefficients besides thresholds", 0),
    AnalysisColumn("values", "string", "values in order, with the number of answers"),
    AnalysisColumn("thresholds", "string", "thresholds of the proportional odds model, log odds"),
    AnalysisColumn("proportional_df", "int64", "degrees of freedom that thresholds differ", 0),
    AnalysisColumn("proportional_chi2", "double", "chi-squared that thresholds differ", 2),
    AnalysisColumn("proportional_p", "double", "p of proportional odds", 4),
    AnalysisColumn("reason", "string", "why there is no proportional odds model; else empty"),
    AnalysisColumn("threshold_reason", "string", "why thresholds are not compared; else empty"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinalParams(FactorParams):
    """Proportional odds with clustered covariance and threshold odds ratios."""

    outcomes: tuple[str, ...] = field(metadata={"about": "ordered scores", "scalar": True})


class Ordinal:
    """Tests of terms, odds ratios for all thresholds and at each, probabilities, differences."""

    name: ClassVar[str] = "ordinal"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = OrdinalParams

    def __init__(self, params: OrdinalParams) -> None:
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
        return (
            f"proportional odds of {', '.join(p.factors)} with interactions up to order "
            f"{p.interactions} (McCullagh 1980), and logistic models of reaching each value, both "
            f"with the sandwich covariance of whole clusters by {p.cluster}; sum coding, Type III "
            "Wald tests"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables.

        Held in memory: the scores, 12 bytes a value, and the designs of one outcome.

        Raises:
            UserError: a score has more values than an order, or an item several levels of a
                factor.
        """
        p = self.params
        rows = FactorRows(inputs, p.factors, p.cluster, p.leave_out)
        tables = [rows.table(score, p.interactions) for score in p.outcomes]
        _check_ordered(tables)
        held: dict[str, list[dict[str, Any]]] = {
            name: []
            for name in ("terms", "contrasts", "thresholds", "margins", "models", "differences")
        }
        figures: dict[str, list[Figure]] = {
            name: [] for name in ("contrasts", "within", "thresholds", "margins")
        }
        fits: list[LinearFit] = []
        known = {one.name: one.title for one in inputs.definitions}
        titles = [(table.score, known.get(table.score, table.score)) for table in tables]
        for table, (_, title) in zip(tables, titles, strict=True):
            parts = self._of(table, fits)
            parts["differences"] = difference_rows("ordinal", table, p, inputs.seed)
            adjusted(parts["contrasts"], p)
            adjusted(parts["thresholds"], p, THRESHOLD_FAMILY)
            for name, lines in parts.items():
                held[name] += lines
            figures["contrasts"] += pooled_figure("ordinal", title, parts["contrasts"])
            figures["within"] += within_figures("ordinal", title, parts["contrasts"])
            figures["thresholds"] += threshold_figure(title, parts["thresholds"])
            figures["margins"] += ordered_margin_figures(title, parts["margins"])
        found = self._tables(held, figures, few_clusters(fits))
        signature = f"{self._signature()}|seed:{inputs.seed}"
        found.append(difference_table("ordinal", held["differences"], p, titles, signature))
        return found

    def _of(self, table: FactorTable, fits: list[LinearFit]) -> dict[str, list[dict[str, Any]]]:
        """Return the lines of an outcome, and add its models to a list."""
        import numpy as np

        values, codes = np.unique(table.values, return_inverse=True)
        outcome = codes.ravel().astype(np.int64)
        fit = proportional_odds(outcome, table.design, table.codes, table.clusters)
        joint = threshold_odds(outcome, table.design, table.codes, table.clusters)
        fits += [fit, *joint.reaching]
        steps = [float(value) for value in values[1:]]
        terms = term_rows(table, fit)
        for term, row in zip(table.design.terms, terms, strict=True):
            row |= proportionality(joint, table.design, len(steps), (term,))
        plan = planned(table, self.params)
        contrasts = contrast_rows(table, fit, plan, p_by_term(table, terms))
        tested = {row["term"]: row["proportional_p"] for row in terms}
        for row in contrasts:
            row["proportional_p"] = tested.get(row["term"])
            other = row["proportional_p"]
            if row.get("interpreted") and other is not None and other < 0.05:
                row["interpreted"] = False
                row["reason"] = "odds are not proportional: read the odds ratio of each threshold"
        return {
            "terms": terms,
            "contrasts": contrasts,
            "thresholds": threshold_rows(table, joint, plan, steps),
            "margins": ordered_margin_rows(table, fit, joint, self.params.compared, steps),
            "models": [_model_row(table, fit, joint, (values, outcome))],
        }

    def _signature(self) -> str:
        p = self.params
        return (
            f"ordinal|version:{self.version}|factors:{','.join(p.factors)}|order:{p.interactions}"
            f"|link:logit|cluster:{p.cluster}|cov:cluster|coding:sum|correction:{p.correction}"
            "|level:0.95"
        )

    def _tables(
        self,
        held: dict[str, list[dict[str, Any]]],
        figures: dict[str, list[Figure]],
        few: tuple[str, ...],
    ) -> list[AnalysisTable]:
        p, signature = self.params, self._signature()
        method = f"{self.describe()[0].upper()}{self.describe()[1:]}."
        family = "the comparisons of one factor of one outcome: those over all cells are one, "
        family += "those within the levels of another factor another"
        return [
            AnalysisTable(
                name="ordinal", title="Which factors matter? Type III Wald tests",
                columns=_TERMS, rows=held["terms"], notes=(method, _PROPORTIONAL, *few),
                signature=signature,
            ),
            AnalysisTable(
                name="ordinal_contrasts", title="Odds ratios of higher values, all thresholds",
                columns=_CONTRASTS, rows=held["contrasts"],
                notes=(_POOLED, *few, family_note(p.correction, family)), signature=signature,
                figures=tuple(figures["contrasts"]),
            ),
            AnalysisTable(
                name="ordinal_within", title="Odds ratios within levels of other factors",
                columns=WITHIN, rows=within_rows(held["contrasts"]), notes=(WITHIN_NOTE,),
                signature=signature, figures=tuple(figures["within"]),
            ),
            AnalysisTable(
                name="ordinal_thresholds", title="Odds ratios at each threshold",
                columns=THRESHOLDS, rows=held["thresholds"],
                notes=(_THRESHOLDS, *few, family_note(p.correction, f"{family}, at one threshold")),
                signature=signature, figures=tuple(figures["thresholds"]),
            ),
            AnalysisTable(
                name="ordinal_margins", title="Probabilities of reaching each value",
                columns=ORDERED_MARGINS, rows=held["margins"], notes=(_MARGINS, *few),
                signature=signature, figures=tuple(figures["margins"]),
            ),
            AnalysisTable(
                name="ordinal_models", title="Models", columns=_MODELS, rows=held["models"],
                notes=("Answers left out lack a level of a factor: a baseline has no prompt.",),
                signature=signature,
            ),
        ]  # fmt: skip


_PROPORTIONAL = (
    "Proportional odds are tested by Wald's test that a term's coefficients are the same at all "
    "thresholds (Brant 1990, doi:10.2307/2532457), with the covariance of whole clusters."
)
_POOLED = (
    "An odds ratio above 1 means that the first reaches higher values. One odds ratio for all "
    "thresholds means nothing where they differ: a contrast is not interpreted, and grey in the "
    "figure, when its term has a Type III p of .05 or more or odds that are not proportional."
)
_THRESHOLDS = (
    "Odds ratios of reaching the value or a higher one, each from a logistic model of its own; "
    "the ratio to the odds ratio of the lowest threshold, 1 under proportional odds, has its "
    "interval from the covariance of all thresholds together."
)
_MARGINS = (
    "Mean predicted probability of the value or a higher one if all answers had the level, the "
    "other factors as observed (Lane and Nelder 1982, doi:10.2307/2530043), from the logistic "
    "model of the value alone and from the proportional odds model; intervals by the delta method "
    "on log odds, with the covariance of whole clusters. The share observed is over the answers "
    "that do have the level."
)


def _check_ordered(tables: Sequence[FactorTable]) -> None:
    import numpy as np

    many = [table.score for table in tables if len(np.unique(table.values)) > _VALUES]
    if many:
        raise UserError(
            f"ordinal.outcomes {', '.join(many)}: more than {_VALUES} different values",
            hint="an ordered score has a few values; compare means of others",
        )


def _model_row(
    table: FactorTable,
    fit: LinearFit,
    joint: LinearFit,
    found: tuple[NDArray[np.float64], NDArray[np.int64]],
) -> dict[str, Any]:
    import numpy as np

    values, outcome = found
    counts = np.bincount(outcome, minlength=len(values))
    pairs = zip(values.tolist(), counts.tolist(), strict=True)
    tested = proportionality(joint, table.design, len(values) - 1, table.design.terms)
    return {
        "outcome": table.score,
        "n": fit.n,
        "left_out": table.left_out,
        "missing": table.missing,
        "clusters": fit.clusters,
        "coefficients": table.design.size - 1,
        "values": ", ".join(f"{value:g} ({count})" for value, count in pairs),
        "thresholds": ", ".join(f"{each:.3f}" for each in fit.thresholds),
        "reason": fit.reason,
        "threshold_reason": joint.reason,
        **tested,
    }
