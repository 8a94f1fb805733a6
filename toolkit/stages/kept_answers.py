"""Answers of models that run here, kept in the workspace and found again by their request.

A step is made anew whenever something before it changes, also where the change (a column, an item
more) leaves most of its questions as they were. Servers are spared by the ledger; this is the same
for models that compute in workers, whose answers cost hours instead of money. Each answer is a
file of its own, so that workers on several machines need no lock and a killed task loses nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from toolkit.models.base import Answer, ModelRequest, WorkerModel
from toolkit.store.atomic import write_json
from toolkit.store.canonical import digest

__all__ = ["KeptAnswers"]


class KeptAnswers:
    """Answers requests of one model: those that were answered before from the folder."""

    def __init__(self, folder: Path, model: WorkerModel) -> None:
        """Take the folder of a workspace's answers and the model.

        Raises:
            MissingError: something that the model needs is not installed.
            UserError: a parameter of the model cannot be used.
        """
        self._model = model
        self._folder = folder / digest(model.fingerprint())[:32] if model.reusable else None

    def answer(self, requests: Sequence[ModelRequest]) -> list[Answer]:
        """Return n answers to n requests, in their order.

        Errors are not kept: they may pass.
        """
        if self._folder is None:
            return self._model.answer(requests)
        return [self._one(request, self._folder) for request in requests]

    def _one(self, request: ModelRequest, folder: Path) -> Answer:
        key = digest(
            {
                "messages": [[message.role, message.content] for message in request.messages],
                "max_tokens": request.max_tokens,
                "schema": request.schema,
                "repeat": request.repeat,
            }
        )
        file = folder / key[:2] / f"{key}.json"
        found = _read(file)
        if found is not None:
            return found
        (made,) = self._model.answer([request])
        if made.status in ("ok", "truncated"):
            data = asdict(made)
            write_json(file, {"answer": data, "sha256": digest(data)})
        return made


def _read(file: Path) -> Answer | None:
    """Return the answer of a file; None where there is no file, or one that is not whole."""
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
        if held["sha256"] != digest(held["answer"]):
            return None
        return Answer(**held["answer"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
