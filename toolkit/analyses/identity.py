"""What makes two results of an analysis interchangeable: its name, version and parameters."""

from __future__ import annotations

from typing import Any, Protocol

from toolkit.recipe.params import canonical_params

__all__ = ["identity"]


class _Named(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def params(self) -> Any: ...


def identity(analysis: _Named, *unordered: str) -> dict[str, Any]:
    """Return an analysis' name, version and every parameter as JSON values.

    Every parameter counts unless it is a path, whose content the plan adds: one that is added
    later cannot be forgotten.

    Args:
        analysis: the analysis.
        unordered: parameters whose order changes nothing; they are sorted.
    """
    values = canonical_params(analysis.params)
    for name in unordered:
        values[name] = sorted(values[name])
    return {"name": analysis.name, "version": analysis.version, **values}
