"""``toolkit plan``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolkit.cli.console import Console, pass_console, recipe_options

if TYPE_CHECKING:
    from toolkit.plan.forecast import Forecast
    from toolkit.plan.step import Plan

__all__ = ["command", "plan_text"]


@click.command("plan")
@click.argument("recipe")
@click.option("--json", "as_json", is_flag=True, help="Print the plan as JSON.")
@recipe_options
@pass_console
def command(
    console: Console,
    recipe: str,
    as_json: bool,
    overrides: tuple[str, ...],
    limit: int | None,
    trust_local: bool,
) -> None:
    """Show what a run would do, why, and what it would cost; nothing is written or sent."""
    import json

    from toolkit.plan.forecast import forecast
    from toolkit.plan.make import make_plan
    from toolkit.recipe.load import load_recipe

    loaded = load_recipe(recipe, overrides=overrides, limit=limit, trust_local=trust_local)
    plan = make_plan(loaded, workspace=console.workspace)
    ahead = forecast(plan)
    if as_json:
        console.say(json.dumps(ahead.to_dict(plan), indent=1, ensure_ascii=False))
    else:
        console.say(plan_text(plan, ahead))


def plan_text(plan: Plan, ahead: Forecast) -> str:
    """Return the plan for people: a line a step, then what it adds up to."""
    lines = [f"{plan.recipe.name}: {plan.run_name or 'run name known once everything is hashed'}"]
    width = max(len(step.name) for step in plan.steps)
    lines.append(
        f"{'step':{width}}  {'does':8} {'print':8} {'rows':>9} {'calls':>8} {'tokens':>10} "
        f"{'USD':>9} {'disk':>8} {'memory':>8} {'hours':>7}  why"
    )
    for step in plan.steps:
        cost = ahead.steps[step.name]
        lines.append(
            f"{step.name:{width}}  {step.state:8} {(step.fingerprint or '?')[:8]:8} "
            f"{_count(cost.rows):>9} {_count(cost.calls):>8} {_count(cost.tokens):>10} "
            f"{_usd(cost.usd_low, cost.usd_high):>9} {_bytes(cost.disk_bytes):>8} "
            f"{_bytes(cost.memory_bytes):>8} {_hours(cost.hours):>7}  {step.why}"
        )
    lines += ["", *ahead.sentences]
    return "\n".join(lines)


def _count(value: int | None) -> str:
    return "?" if value is None else f"{value:,}" if value else "-"


def _usd(low: float | None, high: float | None) -> str:
    if high is None:
        return "?"
    if not high:
        return "-"
    return f"{low or 0:.2f}-{high:.2f}"


def _bytes(value: int | None) -> str:
    if value is None:
        return "?"
    if not value:
        return "-"
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}"
        value = value // 1000
    return f"{value:,} TB"


def _hours(value: float | None) -> str:
    return "?" if value is None else f"{value:.2f}" if value >= 0.005 else "<0.01" if value else "-"
