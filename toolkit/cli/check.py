"""``toolkit check``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from toolkit.cli.console import Console, pass_console, recipe_options

if TYPE_CHECKING:
    from toolkit.ask.probe import Probe
    from toolkit.errors import ToolkitError
    from toolkit.recipe.recipe import Recipe

__all__ = ["check_models", "check_recipe", "command"]


@click.command("check")
@click.argument("recipe")
@click.option(
    "--online",
    is_flag=True,
    help="Ask each model on a server for a token: proves name, key, parameters and price.",
)
@recipe_options
@pass_console
def command(
    console: Console,
    recipe: str,
    online: bool,
    overrides: tuple[str, ...],
    limit: int | None,
    trust_local: bool,
) -> None:
    """Check a recipe and report every fault at once; no run is started."""
    loaded, notes = check_recipe(recipe, overrides, limit=limit, trust_local=trust_local)
    for note in notes:
        console.note(f"note: {note}")
    if online:
        probes = check_models(loaded, console.workspace)
        for probe in probes:
            if probe.error is None:
                console.say(f"{probe.name}: {'; '.join(_facts(probe))}")
        if not probes:
            console.note("note: no model that the recipe uses is on a server")
        _refuse(probes)
    console.say(f"{recipe}: the recipe is good")


def check_recipe(
    file: str,
    overrides: tuple[str, ...] = (),
    *,
    limit: int | None = None,
    trust_local: bool = False,
) -> tuple[Recipe, list[str]]:
    """Check a recipe, its prompts, its label lists and its suites.

    Returns:
        The recipe, and sentences about what is not wrong but missing for a run: variables that
        are not set, parts that this version cannot run yet.

    Raises:
        RecipeError: the recipe has faults.
        UserError: a file cannot be read, or a suite has faults.
    """
    from toolkit.ask.secrets import missing_secrets
    from toolkit.gate.recipe import refuse_unpublishable
    from toolkit.plan.graph import suite_path
    from toolkit.plan.unbuilt import unbuilt_sentences
    from toolkit.recipe.access_check import attested_sentences
    from toolkit.recipe.language import VALIDATED
    from toolkit.recipe.load import load_recipe
    from toolkit.validate.suite import load_suite

    recipe = load_recipe(file, overrides=overrides, limit=limit, trust_local=trust_local)
    for kind in VALIDATED:
        load_suite(suite_path(recipe, kind))
    refuse_unpublishable(recipe)
    _refuse_no_input(recipe)
    missing = missing_secrets(recipe.secret_names, recipe.folder)
    notes = [f"the environment variable {name} is not set; a run needs it" for name in missing]
    notes += attested_sentences(recipe)
    return recipe, notes + list(dict.fromkeys(unbuilt_sentences(recipe)))


def _refuse_no_input(recipe: Recipe) -> None:
    """Refuse a metric that looks at what models are shown where no column holds it.

    Looked for only where the tables are on this machine: a recipe may be checked before them.

    Raises:
        UserError: there is no such column.
    """
    from toolkit.errors import SourceError, UserError
    from toolkit.registry import is_built, member
    from toolkit.stages.joins import joined_schema, load_joins

    built = [metric for metric in recipe.metrics if metric.name != "local"]
    reading = [
        metric.named(metric.name)
        for metric in built
        if is_built("metrics", metric.name)
        and "input" in member("metrics", metric.name)(metric.params).reads
    ]
    corpus = recipe.corpus
    source = member("sources", corpus.source)(corpus.params, recipe.folder)
    if not reading or source.remote:
        return
    try:
        schema = source.schema()
        names = joined_schema(schema, corpus.journals is not None, load_joins(corpus.join)).names
    except SourceError:
        return
    if corpus.input not in names:
        raise UserError(
            f"{', '.join(reading)}: what models are shown is read from the column "
            f"'{corpus.input}', which the items do not have",
            hint=f"write corpus.input: COLUMN; columns: {', '.join(names)}",
        )


def check_models(recipe: Recipe, workspace: str | None = None) -> list[Probe]:
    """Ask each model on a server that a recipe uses for as few tokens as it may be asked for.

    Returns:
        What became of each call, in the order of the recipe.

    Raises:
        MissingError: a key is not set.
        StoreError: the workspace's ledger cannot be used.
    """
    from toolkit.ask.probe import probe_models, server_models
    from toolkit.ask.secrets import take_secrets
    from toolkit.store.ledger import Ledger
    from toolkit.store.workspace import find_workspace

    models = server_models(recipe)
    if not models:
        return []
    names = {model.secret_name for model in models.values() if model.secret_name is not None}
    secrets = take_secrets(names, folder=recipe.folder)
    path = find_workspace(workspace).ledger
    path.parent.mkdir(parents=True, exist_ok=True)
    with Ledger(path) as ledger:
        return probe_models(models, ledger, secrets=secrets)


def _facts(probe: Probe) -> Iterator[str]:
    answer = probe.answer
    assert answer is not None
    served = answer.served_model
    yield f"served as {served}" if served else "the server does not say what it served"
    read, written = answer.prompt_tokens, answer.completion_tokens
    if read is None or written is None:
        yield "it reports no tokens, so a budget counts upper bounds"
    else:
        yield f"{read} tokens read, {written} written"
        if written > probe.most_tokens:
            yield f"more than the {probe.most_tokens} it was allowed, so a budget may not hold"
    if probe.cost_pico_usd is not None:
        yield f"${probe.cost_pico_usd / 1e12:.8f}"
    elif read is not None:
        yield "the recipe gives no prices"
    if answer.status == "refused":
        yield "it refused to answer"
    if probe.reused:
        yield "proved by an earlier check and not asked again"


def _refuse(probes: list[Probe]) -> None:
    """Raise what is wrong with all of the models at once.

    Raises:
        UserError: something is.
    """
    from toolkit.errors import UserError

    faults = [(probe.name, probe.error) for probe in probes if probe.error is not None]
    if faults:
        raise UserError(
            "\n".join(
                [
                    f"{len(faults)} of {len(probes)} models cannot be asked",
                    *(f"  {name}: {_words(error)}" for name, error in faults),
                ]
            )
        )


def _words(error: ToolkitError) -> str:
    return f"{error.message}; {error.hint}" if error.hint else error.message
