"""The steps that judge answers, and the steps that ask how far judges can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolkit.plan.step import Step
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.score_names import judge_columns
from toolkit.registry import member
from toolkit.store.canonical import digest

__all__ = ["canary_steps", "judge_steps"]


def judge_steps(
    recipe: Recipe,
    generations: Sequence[Step],
    gates: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]],
    only: Mapping[str, tuple[str, str]],
) -> list[Step]:
    """Return the steps of all judges, members of a panel before the panel.

    Args:
        recipe: the recipe.
        generations: the generation steps.
        gates: (inputs, gates) of whatever reads a generation step, by its name.
        only: step and table that hold the items a judge is limited to, by judge.
    """
    columns = judge_columns(recipe)
    names = sorted(recipe.judges, key=lambda name: recipe.judges[name].type == "panel")
    steps: list[Step] = []
    for name in names:
        cls = member("judges", recipe.judges[name].type)
        if not columns[name] or recipe.judge_items.get(name) == ():
            continue
        make = _SOURCES.get(cls.source, _one_by_one)
        steps += make(
            _Plan(recipe, name, cls.source, columns[name], gates, only), generations, steps
        )
    return steps


class _Plan:
    """What the steps of one judge have in common."""

    def __init__(
        self,
        recipe: Recipe,
        judge: str,
        source: str,
        columns: Mapping[str, str],
        gates: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]],
        only: Mapping[str, tuple[str, str]],
    ) -> None:
        self.recipe = recipe
        self.judge = judge
        self.source = source
        self.columns = columns
        self.gates = gates
        self.only = only.get(judge)
        self.section = recipe.judges[judge]

    def judges(self, generation: Step) -> bool:
        """Return whether the judge looks at the answers of a generation step."""
        prompts = getattr(self.section.params, "prompts", ())
        models = getattr(self.section.params, "models", ())
        about = generation.params
        return (not prompts or about["prompt"] in prompts) and (
            not models or about["model"] in models
        )

    def params(self, generation: Step | None = None) -> dict[str, Any]:
        """Return the parameters that every step of the judge has."""
        about = generation.params if generation is not None else {}
        own: dict[str, Any] = {
            "judge": self.judge,
            "type": self.section.type,
            "columns": dict(self.columns),
        }
        if self.only is not None:
            own["only"] = self.only[1]
        if self.judge in self.recipe.judge_items:
            own["items"] = digest(sorted(self.recipe.judge_items[self.judge]))
        for key in ("model", "prompt", "table"):
            if key in about:
                own[key] = about[key]
        return own

    def options(self, **more: Any) -> dict[str, Any]:
        """Return what every step of the judge needs to know besides."""
        return {"only": self.only, "source": self.source, **self.where(), **more}

    def where(self) -> dict[str, Any]:
        """Return where the judge's model is asked; nothing for a judge without one."""
        name = getattr(self.section.params, "model", None)
        model = self.recipe.models.get(name) if isinstance(name, str) else None
        if model is None or self.source not in ("asks", "compares"):
            return {"where": "worker"}
        return {"where": member("models", model.provider).where}

    def read(self, generations: Sequence[Step]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return (inputs, gates) of a step that reads these answers and their items."""
        inputs = [name for step in generations for name in self.gates[step.name][0]]
        gates = [name for step in generations for name in self.gates[step.name][1]]
        if self.only is not None:
            inputs.append(self.only[0])
        return tuple(dict.fromkeys(inputs)), tuple(dict.fromkeys(gates))


def _one_by_one(plan: _Plan, generations: Sequence[Step], before: Sequence[Step]) -> Iterator[Step]:
    judged = list(filter(plan.judges, generations))
    for place, generation in enumerate(judged):
        inputs, gates = plan.read([generation])
        params = plan.params(generation)
        if plan.source == "reads":
            # Its first step lists what of the ratings is about nobody's answers.
            asked = sorted([s.params["model"], s.params["prompt"]] for s in judged)
            params["others"] = asked if place == 0 else None
        yield Step(
            name=f"judge/{plan.judge}/{_suffix(generation)}",
            stage="judge",
            inputs=inputs,
            gates=gates,
            params=params,
            options=plan.options(generation=generation.name),
        )


def _entailing(plan: _Plan, generations: Sequence[Step], before: Sequence[Step]) -> Iterator[Step]:
    """One step for all pairs, each looked at once, then one for each generation step."""
    judged = list(filter(plan.judges, generations))
    if not judged:
        return
    inputs, gates = plan.read(judged)
    pairs = Step(
        name=f"entail/{plan.judge}",
        stage="entail",
        inputs=inputs,
        gates=gates,
        params=plan.params(),
        options=plan.options(generations=[step.name for step in judged]),
    )
    yield pairs
    for step in _one_by_one(plan, judged, before):
        yield Step(
            name=step.name,
            stage=step.stage,
            inputs=(*step.inputs, pairs.name),
            gates=step.gates,
            params=step.params,
            options={**step.options, "pairs": pairs.name},
        )


def _combining(plan: _Plan, generations: Sequence[Step], before: Sequence[Step]) -> Iterator[Step]:
    members = plan.section.params.judges
    for generation in generations:
        read = [
            step.name
            for step in before
            if step.options.get("generation") == generation.name and step.params["judge"] in members
        ]
        if read:
            yield Step(
                name=f"judge/{plan.judge}/{_suffix(generation)}",
                stage="judge",
                inputs=tuple(read),
                params=plan.params(generation),
                options=plan.options(generation=generation.name, members=read),
            )


def _comparing(plan: _Plan, generations: Sequence[Step], before: Sequence[Step]) -> Iterator[Step]:
    """One step for each prompt and table: all answers to the same questions."""
    opponent = getattr(plan.section.params, "opponents", "all")
    judged = [
        step
        for step in generations
        if plan.judges(step) and step.params["prompt"] and step.params["model"] != opponent
    ]
    groups: dict[tuple[str, str], list[Step]] = {}
    for step in judged:
        groups.setdefault((step.params["table"], step.params["prompt"]), []).append(step)
    for (table, prompt), group in groups.items():
        against = [
            step
            for step in generations
            if step.params["model"] == opponent
            and step.params["table"] == table
            and step.params["prompt"] in ("", prompt)
        ]
        if len(group) + len(against) < 2:
            continue
        inputs, gates = plan.read([*group, *against])
        split = group[0].options["split"]
        several = len({other for other, _ in groups}) > 1
        yield Step(
            name="/".join(["judge", plan.judge, *([split] if several else []), prompt]),
            stage="judge",
            inputs=inputs,
            gates=gates,
            params={**plan.params(), "prompt": prompt, "table": table},
            options=plan.options(
                generations=[step.name for step in group],
                opponents=[step.name for step in against],
            ),
        )


def canary_steps(recipe: Recipe, judges: Sequence[Step], generations: Sequence[Step]) -> list[Step]:
    """Return a step for each judge on which planted instructions are tried."""
    by_name = {step.name: step for step in generations}
    steps: list[Step] = []
    for name, section in recipe.judges.items():
        count = getattr(section.params, "canaries", 0)
        # Answers of models only: what a baseline copies from a paper is nobody's instruction.
        mine = (
            [
                step
                for step in judges
                if step.params["judge"] == name
                and by_name[step.options["generation"]].options["kind"] == "model"
            ]
            if count
            else []
        )
        if not mine:
            continue
        read = [other for step in mine for other in (step.name, *step.inputs)]
        steps.append(
            Step(
                name=f"canary/{name}",
                stage="canary",
                inputs=tuple(dict.fromkeys(read)),
                params={
                    "judge": name,
                    "type": section.type,
                    "columns": mine[0].params["columns"],
                    "canaries": count,
                    "seed": recipe.seed,
                },
                options={
                    "judged": [step.name for step in mine],
                    "where": mine[0].options["where"],
                },
            )
        )
    return steps


def _suffix(generation: Step) -> str:
    return generation.name.removeprefix("generate/")


_SOURCES = {"combines": _combining, "compares": _comparing, "entails": _entailing}
