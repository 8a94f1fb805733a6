"""Records made of invented item scores, and a run with a judge behind it."""

import math
from dataclasses import replace

import numpy as np

from toolkit.results.items import ItemScores
from toolkit.results.record import JudgeUse, ModelUse, Result, ScoreResult

HOSTILE = '<img src=x onerror="window.hacked=1">|`*[x](javascript:1)\u202eabc =cmd()'


def items(values, clusters=()):
    """Return item scores; ``values`` maps a score to its values, None where there is none."""
    names = sorted(values)
    n = len(values[names[0]])
    table = np.array(
        [[math.nan if values[name][at] is None else values[name][at] for name in names]
         for at in range(n)],
        float,
    )  # fmt: skip
    return ItemScores(tuple(f"item-{at:04d}" for at in range(n)), tuple(names), table, clusters)


def number(name, values, **changes):
    """Return the number of a score: the mean of its values with a normal interval."""
    known = [value for value in values if value is not None]
    mean = float(np.mean(known)) if known else None
    half = float(1.96 * np.std(known) / math.sqrt(len(known))) if known else None
    facts = {
        "score": name,
        "title": name.upper(),
        "metric": "rouge",
        "direction": "higher",
        "value": mean,
        "low": None if mean is None else mean - half,
        "high": None if mean is None else mean + half,
        "level": 0.95 if known else None,
        "interval": "95 % normal interval" if known else "",
        "n": len(known),
        "missing": len(values) - len(known),
        "reason": "" if known else "no row has a value: error (3)",
        "signature": f"{name}|version:1|n:{len(known)}|seed:1",
    }
    return ScoreResult(**{**facts, **changes})


def record(model="alpha", values=None, *, scores=None, clusters=(), **changes):
    """Return a record and its item scores."""
    found = items(values or {"rouge1": [0.5, 0.6, 0.4]}, clusters)
    numbers = scores or [
        number(name, [None if math.isnan(v) else v for v in found.column(name)])
        for name in found.scores
    ]
    facts = {
        "benchmark": "demo",
        "title": "Demo: conclusions",
        "version": "1.0",
        "dataset": "org/demo",
        "split": "test",
        "model": model if isinstance(model, ModelUse) else ModelUse(name=model, title=model),
        "prompt": "A",
        "prompts": {"file": "a" * 64},
        "generation": {"temperature": 0.0, "max_tokens": 64, "stop": ["\n"]},
        "statuses": {"ok": len(found.items)},
        "scores": tuple(numbers),
        "recipe": "b" * 64,
        "toolkit": "0.1.0",
        "tier": "re-scored",
        "submitter": "ada",
        "organization": "org",
        "items": len(found.items),
        "date": "2026-01-05",
    }
    return Result(**{**facts, **changes}), found


def judged(**changes):
    """Return a record one of whose numbers comes from an audited judge."""
    values = {"quality": [70.0, 80.0, None], "rouge1": [0.5, 0.6, 0.4]}
    audit = {"judge": "primary", "score": "quality", "column": "quality", "reacts": 0.6}
    judge = JudgeUse(
        name="primary",
        type="llm",
        model="judge-a",
        prompts={"file": "c" * 64},
        sampling={"temperature": 0.0},
        identity="d" * 64,
        audit={"quality": {**audit, "n_edits": 40, "retest_sd": 1.5, "false_alarms": 0.1}},
    )
    quality = number(
        "quality", values["quality"], metric="primary", judges=("primary",), most=100.0
    )
    numbers = [quality, number("rouge1", values["rouge1"], least=0.0, most=1.0)]
    return record("alpha", values, scores=numbers, judges={"primary": judge}, **changes)


def shifted(base, by):
    """Return values with a constant and a little noise of their own added."""
    rng = np.random.default_rng(int(by * 1000) % 1000)
    return (np.array(base) + by + rng.normal(0, 0.01, len(base))).tolist()


def with_model(pair, **changes):
    """Return a record and its items with another model."""
    result, found = pair
    return replace(result, model=replace(result.model, **changes)), found
