"""Bundles for tests: answers to items that need no benchmark."""

import json

from toolkit.release.history import ids_digest
from toolkit.submissions.archive import PREDICTIONS
from toolkit.submissions.bundle import Bundle, file_ref
from toolkit.submissions.manifest import (
    BenchmarkRef,
    Manifest,
    ModelRef,
    PromptRef,
    Submitter,
)
from toolkit.submissions.predictions import Prediction, by_prompt, predictions_text


def bundle(predictions=None, *, name="tiny", split="test", version="1.0", **changes):
    """Return a bundle of these predictions, sound by itself."""
    if predictions is None:
        predictions = [Prediction("A", f"i{n}", f"Answer {n}.") for n in range(3)]
    found = by_prompt(predictions)
    ids = sorted({one.item_id for one in predictions})
    given = {
        "format": 1,
        "toolkit": "0.1.0",
        "benchmark": BenchmarkRef(
            name=name, version=version, split=split, items=len(ids), ids_digest=ids_digest(ids)
        ),
        "model": ModelRef(name="Good 7B"),
        "submitter": Submitter(name="ann"),
        "prompts": {
            prompt: PromptRef(answers=len(rows), failed=sum(one.output is None for one in rows))
            for prompt, rows in found.items()
        },
        "files": {PREDICTIONS: file_ref(predictions_text(predictions))},
    }
    return Bundle(Manifest(**{**given, **changes}), tuple(sorted(predictions)))


def write_lines(path, rows):
    """Write rows as JSON Lines; return the path."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
