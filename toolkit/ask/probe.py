"""Prove with one small call a model that its server takes name, key and parameters."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Final

from toolkit.ask.dialogue import Dialogue, Stage
from toolkit.ask.engine import AskSettings, ask_all
from toolkit.ask.outcome import cost_of
from toolkit.ask.parser import Parsed
from toolkit.ask.retry import Clock, SystemClock
from toolkit.errors import ToolkitError
from toolkit.models.base import Answer, ModelRequest, ServerModel
from toolkit.recipe.recipe import Recipe
from toolkit.registry import is_built, member
from toolkit.store.ledger import Ledger

__all__ = ["PROBE_RUN", "Probe", "probe_models", "server_models"]

PROBE_RUN: Final = "check"
"""The run that the ledger books these calls on; folders of runs end with a fingerprint."""

_QUESTION: Final = "Reply with the word yes."
_AT_ONCE: Final = 8
_ATTEMPTS: Final = 2
"""Whoever checks a recipe waits for it; a run is more patient."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What became of the call to one model.

    Attributes:
        name: the model's name in the recipe.
        most_tokens: new tokens that were allowed.
        answer: the reply; None when there is none.
        reused: the same call was finished by an earlier check; nothing was sent.
        cost_pico_usd: what it cost; None without prices or without the reply's usage.
        error: why nothing is proved; None otherwise.
    """

    name: str
    most_tokens: int
    answer: Answer | None = None
    reused: bool = False
    cost_pico_usd: int | None = None
    error: ToolkitError | None = None


def server_models(recipe: Recipe) -> dict[str, ServerModel]:
    """Return the models on servers that answers and judgements of the recipe need, by name.

    They are asked one call at a time and once only, whatever the recipe says on batches and on
    calls of unknown outcome: neither changes what is sent.
    """
    used = {name for entry in recipe.generate for name in entry.models}
    used |= {str(getattr(judge.params, "model", "")) for judge in recipe.judges.values()}
    found: dict[str, ServerModel] = {}
    for name, section in recipe.models.items():
        if name not in used or not is_built("models", section.provider):
            continue
        cls = member("models", section.provider)
        if cls.where == "server":
            found[name] = cls(_one_call(section.params), recipe.folder)
    return found


def _one_call(params: Any) -> Any:
    wanted = {"execution": "interactive", "max_unknown_retries": 0, "refusal_retries": 0}
    own = type(params).__dataclass_fields__
    return replace(params, **{key: value for key, value in wanted.items() if key in own})


def probe_models(
    models: Mapping[str, ServerModel],
    ledger: Ledger,
    *,
    secrets: Mapping[str, str],
    clock: Clock | None = None,
) -> list[Probe]:
    """Ask each model for as few new tokens as it can be asked for.

    A call that an earlier check finished is not made again.

    Args:
        models: whom to ask, by name.
        ledger: the workspace's ledger; the calls are booked on :data:`PROBE_RUN`.
        secrets: values of environment variables, from :func:`toolkit.ask.secrets.take_secrets`.
        clock: time.

    Returns:
        A probe a model, in the order of ``models``; what went wrong stands in it.
    """
    settings = AskSettings(
        run=PROBE_RUN, secrets=secrets, attempts=_ATTEMPTS, clock=clock or SystemClock()
    )
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        tasks = [
            pool.submit(_probe, name, model, ledger, settings, stop)
            for name, model in models.items()
        ]
        try:
            return [task.result() for task in tasks]
        except BaseException:
            stop.set()
            raise


def _probe(
    name: str, model: ServerModel, ledger: Ledger, settings: AskSettings, stop: threading.Event
) -> Probe:
    most = max(1, getattr(model, "least_tokens", 1))
    row = ModelRequest(item_id="", repeat=0, max_tokens=most)
    dialogue = Dialogue(row, [Stage("answer", lambda _: [("user", _QUESTION)], _AsItCame())])
    try:
        (asked,) = ask_all(model, [dialogue], ledger, settings=settings, stop=stop)
    except ToolkitError as error:
        return Probe(name, most, error=error)
    answer = asked.dialogue.answers["answer"]
    cost = cost_of(answer, model)
    if answer.status == "error":
        return Probe(name, most, answer, asked.reused, cost, _no_answer(answer.reason))
    return Probe(name, most, answer, asked.reused, cost)


def _no_answer(reason: str) -> ToolkitError:
    return ToolkitError(
        f"what came back is no answer ({reason})",
        hint="check base_url, endpoint and profile against the server's documentation",
    )


class _AsItCame:
    """A parser that takes every reply, cut or empty, as it came."""

    schema: Mapping[str, Any] | None = None

    def read(self, text: str) -> Parsed:
        return Parsed("ok", text)
