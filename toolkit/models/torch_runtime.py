"""What every model that runs on torch in a worker shares: versions, device, one at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, Literal, TypeVar

from toolkit.errors import MissingError

__all__ = ["LOCK", "Device", "Dtype", "batches", "device_of", "loaded", "runtime"]

T = TypeVar("T")

Device = Literal["auto", "cpu", "cuda", "mps"]
Dtype = Literal["bfloat16", "float16", "float32"]

LOCK: Final = threading.Lock()
"""Held while a model loads or computes: one model a process."""

_loaded: dict[tuple[Any, ...], Any] = {}


def runtime() -> str:
    """Return the versions that can change a number.

    Raises:
        MissingError: torch or transformers is not installed.
    """
    try:
        return f"torch {version('torch')}, transformers {version('transformers')}"
    except PackageNotFoundError as error:
        raise MissingError(
            "torch and transformers are not installed",
            hint="pip install 'leaderboard-toolkit[local]'",
        ) from error


def device_of(device: Device) -> str:
    """Return where to compute: with ``auto`` a GPU where there is one.

    Raises:
        MissingError: there is no such device here.
    """
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        return device
    found = torch.cuda.is_available() if device == "cuda" else torch.backends.mps.is_available()
    if not found:
        raise MissingError(f"torch finds no device '{device}' here", hint="write device: cpu")
    return device


def loaded(key: tuple[Any, ...], load: Callable[[], T]) -> T:
    """Return the model of this process, loading it when another one or none is loaded.

    Hold :data:`LOCK` while calling it and while using what it returns.
    """
    if key not in _loaded:
        from transformers.utils import logging

        # A worker has no terminal of its own.
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        # Dropped first: two models at once may be more than the memory holds.
        _loaded.clear()
        _loaded[key] = load()
    found: T = _loaded[key]
    return found


def batches(lengths: Sequence[int], ids: Sequence[str], size: int) -> list[list[int]]:
    """Cut rows into batches in one fixed order: by length, then by id.

    The cut depends on these rows alone, so a shard that is computed again gets the same
    batches, and with them the same numbers.

    Args:
        lengths: length of each row in tokens.
        ids: what tells rows of the same length apart.
        size: rows in a batch.

    Returns:
        Positions of the rows, batch by batch.
    """
    order = sorted(range(len(lengths)), key=lambda row: (lengths[row], ids[row]))
    return [order[start : start + size] for start in range(0, len(order), size)]
