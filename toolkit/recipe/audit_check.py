"""Check what an audit of judges names: judges that can be shown an edited text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolkit.errors import Fault, suggest
from toolkit.recipe.faults import Places
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.strict_yaml import Path

__all__ = ["audit_faults"]


def audit_faults(recipe: Recipe, places: Places) -> Iterator[Fault]:
    """Yield a fault for each judge that cannot be audited, and each score that no judge gives."""
    seen: set[str] = set()
    for index, use in enumerate(recipe.analyses):
        if use.name != "judge_audit":
            continue
        path: Path = ("analyses", index, use.name)
        for at, name in enumerate(use.params.judges):
            where: Path = (*path, "judges", at)
            if name in seen:
                yield places.fault(where, f"'{name}' is audited already", "name it once")
            seen.add(name)
            if name in recipe.judges:
                yield from _judge(recipe, places, where, name)
        yield from _expected(recipe, places, path, use.params)


def _judge(recipe: Recipe, places: Places, path: Path, name: str) -> Iterator[Fault]:
    judge = recipe.judges[name]
    if judge.type != "llm":
        yield places.fault(
            path,
            f"'{name}' is of type {judge.type}, and only judges of type llm can be audited",
            "name a judge that asks a model about one text at a time",
        )
    elif judge.params.task != "score" or not judge.params.scores:
        yield places.fault(
            path, f"'{name}' gives no scores that an edit could move", "name one with scores:"
        )


def _expected(recipe: Recipe, places: Places, path: Path, params: Any) -> Iterator[Fault]:
    judges = [recipe.judges[name] for name in params.judges if name in recipe.judges]
    known = [score for judge in judges for score in getattr(judge.params, "scores", {}) if score]
    for score, kinds in params.expects.items():
        if score not in known:
            yield places.fault(
                (*path, "expects", score),
                f"no audited judge gives a score called '{score}'",
                suggest(score, known),
                key=True,
            )
        for kind in kinds:
            if kind not in params.edits:
                yield places.fault(
                    (*path, "expects", score),
                    f"'{kind}' is none of the edits of this audit",
                    f"add it to edits:, or take it from the ones '{score}' should react to",
                    key=True,
                )
