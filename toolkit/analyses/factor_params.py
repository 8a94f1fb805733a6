"""Parameters that models of odds by factors share, and what they refuse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from toolkit.errors import UserError, suggest

__all__ = ["Comparison", "FactorParams", "check_factors"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The two sides of an odds ratio."""

    first: tuple[str, ...] = field(
        metadata={"about": "level above the line, or several that weigh the same", "scalar": True}
    )
    second: tuple[str, ...] = field(metadata={"about": "level below the line", "scalar": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorParams:
    """Factors, clusters and contrasts of a model."""

    factors: tuple[str, ...] = field(
        metadata={"about": "model, prompt and columns of the items", "scalar": True}
    )
    cluster: str = field(default="item_id", metadata={"about": "column of clusters"})
    interactions: int = field(
        default=2, metadata={"about": "highest order", "minimum": 1, "maximum": 3}
    )
    leave_out: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict,
        metadata={"about": "by factor, levels whose answers take no part"},
    )
    contrasts: tuple[str, ...] = field(
        default=(),
        metadata={"about": "factors whose levels are compared; all by default", "scalar": True},
    )
    comparisons: Mapping[str, tuple[Comparison, ...]] = field(
        default_factory=dict,
        metadata={"about": "by factor, the levels compared instead of all pairs"},
    )
    correction: Literal["holm", "none"] = field(
        default="holm", metadata={"about": "within each family of contrasts"}
    )

    @property
    def compared(self) -> tuple[str, ...]:
        """The factors whose levels are compared."""
        return self.contrasts or self.factors


def check_factors(analysis: str, params: FactorParams) -> None:
    """Refuse factors that make no model.

    Raises:
        UserError: a factor stands twice or is the cluster, or levels of none of the factors are
            compared.
    """
    factors = params.factors
    if not factors or len(set(factors)) != len(factors):
        raise UserError(
            f"{analysis}.factors is {list(factors)}", hint="name one factor or more, each once"
        )
    if {params.cluster, "item_id"} & set(factors):
        raise UserError(
            f"{analysis}.factors holds the items or their clusters",
            hint="a factor is what clusters answer under; leave it out of factors",
        )
    by_factor = {
        "contrasts": params.contrasts,
        "comparisons": params.comparisons,
        "leave_out": params.leave_out,
    }
    for key, named in by_factor.items():
        for name in named:
            if name not in factors:
                raise UserError(
                    f"{analysis}.{key} names '{name}', which is none of its factors",
                    hint=suggest(name, factors),
                )
    for name, comparisons in params.comparisons.items():
        for each in comparisons:
            if not each.first or not each.second or set(each.first) & set(each.second):
                raise UserError(
                    f"{analysis}.comparisons.{name} compares {list(each.first)} "
                    f"with {list(each.second)}",
                    hint="name different levels on both sides",
                )
