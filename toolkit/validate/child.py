"""The validation process: read requests from stdin, answer on stdout, one JSON line each."""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from toolkit.validate.great import Engine

__all__ = ["main"]


def main() -> None:
    """Serve requests until stdin ends, which it does when the parent dies."""
    answers = _private_stdout()
    warnings.simplefilter("ignore")
    engine: Engine | None = None
    for line in sys.stdin:
        request = json.loads(line)
        if engine is None:
            engine = _engine(answers)
            if engine is None:
                return
        _serve(request, engine, answers)


def _private_stdout() -> TextIO:
    """Keep the answers' pipe for answers: whatever a library prints goes to stderr."""
    descriptor = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(descriptor, "w", encoding="utf-8")


def _say(answers: TextIO, message: dict[str, Any]) -> None:
    answers.write(json.dumps(message, ensure_ascii=True, allow_nan=False) + "\n")
    answers.flush()


def _engine(answers: TextIO) -> Engine | None:
    from toolkit.validate.great import Engine

    logging.disable(logging.WARNING)
    try:
        engine = Engine()
    except ImportError as error:
        _say(answers, {"missing": f"{type(error).__name__}: {error}"})
        return None
    _say(answers, {"ready": engine.version})
    return engine


def _serve(request: dict[str, Any], engine: Engine, answers: TextIO) -> None:
    from toolkit.validate.runner import Job, evaluate
    from toolkit.validate.shards import CannotEvaluate

    def tick() -> None:
        _say(answers, {"tick": True})

    answer: dict[str, Any]
    with tempfile.TemporaryDirectory() as spool:
        job = Job(
            request["suite"],
            [Path(path) for path in request["paths"]],
            request["id_columns"],
            Path(request["rejects"]) if request["rejects"] else None,
            {name: [Path(path) for path in paths] for name, paths in request["tables"].items()},
            Path(spool),
        )
        try:
            answer = {"result": evaluate(job, engine, tick)}
        except CannotEvaluate as error:
            answer = {"error": str(error)}
    _say(answers, answer)
