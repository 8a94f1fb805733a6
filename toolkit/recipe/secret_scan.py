"""Refuse recipes that hold a secret; a recipe names the environment variable instead."""

from __future__ import annotations

import re
from typing import Any

from toolkit.errors import Fault
from toolkit.recipe.faults import Places
from toolkit.recipe.strict_yaml import Path

__all__ = ["secret_faults"]

_KEYS = re.compile(r"^(api_?key|token|password|passwd|secret|authorization|bearer)$", re.IGNORECASE)
_VALUES = re.compile(
    r"\b(hf_[A-Za-z0-9]{16,}|sk-[A-Za-z0-9_-]{16,}|gsk_[A-Za-z0-9]{16,}|AIza[A-Za-z0-9_-]{30,}"
    r"|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[A-Z0-9]{16})|\bBearer\s+[A-Za-z0-9._-]{16,}"
)


def secret_faults(data: Any, places: Places, path: Path = ()) -> list[Fault]:
    """Return a fault for each key or value that looks like a literal secret."""
    faults: list[Fault] = []
    if isinstance(data, dict):
        for key, value in data.items():
            here = (*path, key)
            if _KEYS.match(str(key)) and isinstance(value, str):
                faults.append(
                    places.fault(
                        here,
                        f"'{key}' would hold a secret in the recipe",
                        f"write {key.lower()}_env: NAME_OF_AN_ENVIRONMENT_VARIABLE",
                        key=True,
                    )
                )
            else:
                faults += secret_faults(value, places, here)
    elif isinstance(data, list):
        for index, value in enumerate(data):
            faults += secret_faults(value, places, (*path, index))
    elif isinstance(data, str) and _VALUES.search(data):
        faults.append(
            places.fault(
                path,
                "a value that looks like a secret key",
                "revoke it, and name an environment variable instead",
            )
        )
    return faults
