"""Check that credentialed texts stay on this machine, or go where somebody answers for it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from urllib.parse import urlsplit

from toolkit.errors import Fault, UserError
from toolkit.recipe.attestation import attestation_of, origin
from toolkit.recipe.faults import Places
from toolkit.recipe.loopback import is_loopback
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.strict_yaml import Path
from toolkit.registry import is_built, member

__all__ = ["access_faults", "attested_sentences"]


def access_faults(recipe: Recipe, places: Places) -> Iterator[Fault]:
    """Yield a fault for each way in which credentialed texts would leave, and for attestations."""
    yield from _attestations(recipe, places)
    if recipe.corpus.access != "credentialed":
        return
    for name in recipe.models:
        url = _endpoint(recipe, name)
        if url is None or is_loopback(url):
            continue
        if attestation_of(url, recipe.corpus.attested) is None:
            yield places.fault(
                ("models", name),
                f"credentialed texts would be sent to {_host(url) or url}",
                "use a model on this machine (base_url on 127.0.0.1, llama_cpp), or an https "
                "endpoint that corpus.attested names",
                key=True,
            )
    scheduler = recipe.execution.scheduler
    if scheduler != "local" and not is_loopback(scheduler):
        yield places.fault(
            ("execution", "scheduler"),
            f"credentialed texts would be sent to {_host(scheduler) or scheduler}",
            "write scheduler: local",
        )
    if recipe.publish is not None and recipe.publish.redistribution != "ids_only":
        yield places.fault(
            ("publish", "redistribution"),
            "credentialed data never leaves the machine",
            "remove publish:",
        )


def _endpoint(recipe: Recipe, name: str) -> str | None:
    """Return the address a model's texts are sent to, its profile's own included; None for none."""
    model = recipe.models[name]
    if not is_built("models", model.provider):
        return None
    try:
        made = member("models", model.provider)(model.params, recipe.folder)
    except UserError:
        # Refused with its own message; what it names is checked all the same.
        return getattr(model.params, "base_url", None)
    return getattr(made, "endpoint", None)


def attested_sentences(recipe: Recipe) -> Iterator[str]:
    """Yield a sentence for each attested server that a model of the recipe stands behind."""
    for one in recipe.corpus.attested:
        models = [
            name
            for name in sorted(recipe.models)
            if (url := _endpoint(recipe, name)) is not None
            and attestation_of(url, recipe.corpus.attested) is one
        ]
        if models:
            yield (
                f"Texts of credentialed data go to {one.endpoint} ({', '.join(models)}): {one.by} "
                f"attested on {one.on} that this is allowed by {one.agreement}."
            )


def _attestations(recipe: Recipe, places: Places) -> Iterator[Fault]:
    attested = recipe.corpus.attested
    if attested and recipe.corpus.access != "credentialed":
        yield places.fault(
            ("corpus", "attested"),
            f"attestations mean nothing for data of access '{recipe.corpus.access}'",
            "remove attested:, or write access: credentialed",
            key=True,
        )
    for index, one in enumerate(attested):
        path: Path = ("corpus", "attested", index)
        server = origin(one.endpoint)
        if server is None or server[0] != "https":
            yield places.fault(
                (*path, "endpoint"),
                f"'{one.endpoint}' is no https address of a server",
                "write it like https://host.example.org; plain http is read on its way",
            )
        elif is_loopback(one.endpoint):
            yield places.fault(
                (*path, "endpoint"), "this machine needs no attestation", "remove the entry"
            )
        elif attestation_of(one.endpoint, attested) is not one:
            yield places.fault(
                (*path, "endpoint"), "this server is attested already", "keep one of the entries"
            )
        try:
            date.fromisoformat(one.on)
        except ValueError:
            yield places.fault((*path, "on"), f"'{one.on}' is no day", "write YYYY-MM-DD")


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
