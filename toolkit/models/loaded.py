"""One model a process: a worker asked for another one drops the first before it loads."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

__all__ = ["LOCK", "loaded"]

T = TypeVar("T")

LOCK: Final = threading.Lock()
"""Held while a model loads or computes."""

_loaded: dict[Hashable, Any] = {}


def loaded(key: Hashable, load: Callable[[], T]) -> T:
    """Return the model of this process, loaded unless it is the one that is loaded already.

    Hold :data:`LOCK` while calling it and while using what it returns; keep no reference.

    Args:
        key: what tells one loaded model from another: runtime, weights, settings.
        load: makes the model.
    """
    if key not in _loaded:
        # Dropped first: two models at once may be more than the memory holds.
        _loaded.clear()
        # Modules refer to one another in circles, which counting references never frees.
        gc.collect()
        _loaded[key] = load()
    found: T = _loaded[key]
    return found
