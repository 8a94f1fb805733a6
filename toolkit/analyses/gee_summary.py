"""What a model of odds was fitted to: rows, clusters, correlation."""

from __future__ import annotations

from typing import Any, Final

from toolkit.analyses.base import AnalysisColumn
from toolkit.analyses.factor_rows import FactorTable
from toolkit.statistics.linear_model import LinearFit

__all__ = ["MODELS", "model_row"]

MODELS: Final = (
    AnalysisColumn("outcome", "string", "outcome"),
    AnalysisColumn("n", "int64", "n answers", 0),
    AnalysisColumn("left_out", "int64", "answers left out", 0),
    AnalysisColumn("missing", "int64", "answers without a value", 0),
    AnalysisColumn("clusters", "int64", "clusters", 0),
    AnalysisColumn("coefficients", "int64", "coefficients", 0),
    AnalysisColumn("share", "double", "share of values that are 1"),
    AnalysisColumn("alpha", "double", "alpha, exchangeable correlation"),
    AnalysisColumn("reason", "string", "why there is no model; else empty"),
)


def model_row(table: FactorTable, fit: LinearFit) -> dict[str, Any]:
    """Return a line of :data:`MODELS`."""
    return {
        "outcome": table.score,
        "n": fit.n,
        "left_out": table.left_out,
        "missing": table.missing,
        "clusters": fit.clusters,
        "coefficients": table.design.size,
        "share": float(table.values.mean()) if len(table.values) else None,
        "alpha": fit.alpha,
        "reason": fit.reason,
    }
