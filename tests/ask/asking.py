"""Helpers of these tests: a clock that does not wait, and somebody who asks."""

import asyncio
from datetime import UTC, datetime, timedelta

from toolkit.ask.dialogue import Dialogue, Stage
from toolkit.ask.engine import AskSettings, ask_all
from toolkit.ask.parser import Parsed
from toolkit.models.base import Message, ModelRequest
from toolkit.models.openai_compatible import (
    OpenAICompatible,
    OpenAICompatibleParams,
    Prices,
)
from toolkit.store.ledger import Ledger


class FakeClock:
    """Time that passes only by being slept through."""

    def __init__(self):
        self.time = datetime(2026, 5, 1, tzinfo=UTC)
        self.waits = []

    def now(self):
        return self.time

    def monotonic(self):
        return self.time.timestamp()

    async def sleep(self, seconds):
        self.waits.append(seconds)
        self.time += timedelta(seconds=seconds)
        await asyncio.sleep(0)


class AsItCame:
    """A parser that takes every reply as it came."""

    schema = None

    def read(self, text):
        return Parsed("ok", text)


def question(text, item_id="1", repeat=0):
    """A dialogue of one question."""
    stage = Stage("answer", lambda answers: [("user", text)], AsItCame())
    return Dialogue(ModelRequest(item_id, repeat), [stage])


def answer_of(asked):
    return asked.dialogue.answers["answer"]


def questions_for(texts):
    texts = [f"abstract {n}" for n in range(texts)] if isinstance(texts, int) else texts
    return [question(text, str(n)) for n, text in enumerate(texts)]


def request_for(text):
    return ModelRequest("0", 0, (Message("user", text),))


PRICES = Prices(input_per_million=1.0, output_per_million=2.0)


class Asker:
    """Asks one server through one ledger."""

    def __init__(self, folder):
        self.folder = folder
        self.path = folder / "ledger.sqlite"
        self.clock = FakeClock()

    def model(self, server, **params):
        values = {"model": "m", "max_tokens": 100, "base_url": server.url, "prices": PRICES}
        return OpenAICompatible(OpenAICompatibleParams(**{**values, **params}), self.folder)

    def ask(self, server, texts=1, *, budget_usd=None, secrets=None, stop=None, **params):
        """Return the answers in the order of the requests; open the ledger for it alone."""
        settings = AskSettings(
            run="run", budget_usd=budget_usd, secrets=secrets or {}, clock=self.clock
        )
        with Ledger(self.path) as ledger:
            found = list(
                ask_all(
                    self.model(server, **params),
                    questions_for(texts),
                    ledger,
                    settings=settings,
                    stop=stop,
                )
            )
        self.reused = sum(asked.reused for asked in found)
        return [answer_of(asked) for asked in sorted(found, key=lambda asked: asked.index)]

    @property
    def counts(self):
        with Ledger(self.path) as ledger:
            return ledger.counts()
