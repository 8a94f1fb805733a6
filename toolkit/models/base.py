"""What a model is: something that turns requests into answers.

Two sorts. A *worker* model computes on this machine (a baseline, a replayed file, an embedded
LLM): it has :meth:`WorkerModel.answer`. A *server* model is asked over HTTP: it only says what
to send and to whom, because sending belongs to the coordinating process with its ledger.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, Protocol, runtime_checkable

from toolkit.store.ledger_types import LedgerRequest

__all__ = [
    "RAW_LIMIT",
    "Answer",
    "Message",
    "Model",
    "ModelKind",
    "ModelRequest",
    "Need",
    "Price",
    "Role",
    "ServerModel",
    "Status",
    "WorkerModel",
    "cap_text",
]

Role = Literal["system", "user", "assistant"]
Status = Literal["ok", "repaired", "invalid", "truncated", "refused", "error"]
ModelKind = Literal["model", "baseline", "reference"]
Need = Literal["messages", "item", "other_reference"]

RAW_LIMIT: Final = 64 * 1024
"""Bytes of UTF-8 kept of a raw reply in a table."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to one model.

    Attributes:
        item_id: id of the item it is about.
        repeat: 0-based repeat.
        messages: the rendered prompt; empty for models that need none.
        item: the row of the items table; empty unless the model needs it.
        other_reference: the reference of another item, for models that need it.
        prompt: name of the prompt in the recipe; empty for a baseline.
        max_tokens: most new tokens of this one answer; None for what the model says.
        schema: JSON Schema (2020-12) of the reply that is wanted, for servers that can keep to
            one; None for free text.
    """

    item_id: str
    repeat: int
    messages: tuple[Message, ...] = ()
    item: Mapping[str, Any] = field(default_factory=dict)
    other_reference: str | None = None
    prompt: str = ""
    max_tokens: int | None = None
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, with the columns of the generations table.

    A model hands out the text as it came; ``toolkit.ask.parser`` then turns it into the
    final answer, so that a better parser never needs a new call.

    Attributes:
        status: ``ok`` from a model means only: a complete reply.
        reason: why the status is not ``ok``; empty otherwise.
        answer: the text; None unless status is ``ok``, ``repaired`` or ``truncated``.
        raw: the reply as it came, at most :data:`RAW_LIMIT` bytes.
        reasoning: reasoning text, kept apart.
        finish_reason: as the model reported it.
        prompt_tokens: tokens read, None when not reported.
        completion_tokens: tokens written, reasoning included.
        reasoning_tokens: tokens of reasoning.
        served_model: the name the server answered with.
        parsed: what a structured parser read, as canonical JSON; None for a plain text.
        asked: calls that it took, re-asks included; its tokens are those of all of them.
        cached_tokens: of those read, from the server's cache; None when not reported.
    """

    status: Status
    reason: str = ""
    answer: str | None = None
    raw: str = ""
    reasoning: str | None = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    served_model: str | None = None
    parsed: str | None = None
    asked: int = 1
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """What tokens cost, in pico-dollars (1e-12 USD) each, so that sums stay exact.

    Attributes:
        input_pico_usd: a token read.
        output_pico_usd: a token written.
        cached_pico_usd: a token read from the server's cache; None for the price of the others.
        reasoning_pico_usd: a token of reasoning; None for the price of the others.
        batch_permille: what batch mode costs, in thousandths of the usual price.
    """

    input_pico_usd: int
    output_pico_usd: int
    cached_pico_usd: int | None = None
    reasoning_pico_usd: int | None = None
    batch_permille: int = 1000

    def cost(
        self,
        prompt_tokens: int,
        completion_tokens: int,
        *,
        cached_tokens: int = 0,
        reasoning_tokens: int = 0,
        batch: bool = False,
    ) -> int:
        """Return the cost of one call in pico-dollars.

        Args:
            prompt_tokens: tokens read, cached ones included.
            completion_tokens: tokens written, reasoning included.
            cached_tokens: of those read, from the server's cache.
            reasoning_tokens: of those written, reasoning.
            batch: asked in batch mode.
        """
        cached = min(cached_tokens, prompt_tokens)
        reasoning = min(reasoning_tokens, completion_tokens)
        cached_price = self.input_pico_usd if self.cached_pico_usd is None else self.cached_pico_usd
        thinking = self.output_pico_usd
        if self.reasoning_pico_usd is not None:
            thinking = self.reasoning_pico_usd
        cost = (
            (prompt_tokens - cached) * self.input_pico_usd
            + cached * cached_price
            + (completion_tokens - reasoning) * self.output_pico_usd
            + reasoning * thinking
        )
        # Rounded up: a bill is never told too low.
        return -(-cost * self.batch_permille // 1000) if batch else cost

    def bound(self, prompt_tokens: int, completion_tokens: int, *, batch: bool = False) -> int:
        """Return the most a call of at most so many tokens can cost, in pico-dollars."""
        dearest = replace(
            self,
            input_pico_usd=max(self.input_pico_usd, self.cached_pico_usd or 0),
            output_pico_usd=max(self.output_pico_usd, self.reasoning_pico_usd or 0),
        )
        return dearest.cost(prompt_tokens, completion_tokens, batch=batch)


@runtime_checkable
class Model(Protocol):
    """What every model says about itself. Instances are cheap and picklable.

    Attributes:
        name: name of the member.
        version: raised by hand when its answers change for the same parameters.
        Params: its frozen dataclass of parameters.
        where: ``worker`` (computed here) or ``server`` (asked over HTTP).
        needs: what a request must carry.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    Params: ClassVar[type]
    where: ClassVar[Literal["worker", "server"]]

    def __init__(self, params: Any, base: Path) -> None: ...

    @property
    def kind(self) -> ModelKind:
        """Whether it competes, is a floor, or is the reference itself."""

    @property
    def needs(self) -> frozenset[Need]:
        """What a request must carry for it."""

    def fingerprint(self) -> dict[str, Any]:
        """Return the JSON values that make two answers of this model interchangeable.

        Raises:
            MissingError: something it needs is not installed.
            UserError: a parameter cannot be used.
        """


@runtime_checkable
class WorkerModel(Model, Protocol):
    """A model that computes its answers in a worker process."""

    @property
    def reusable(self) -> bool:
        """Whether an answer follows from its own request alone, and is worth keeping."""

    def answer(self, requests: Sequence[ModelRequest]) -> list[Answer]:
        """Answer requests.

        Args:
            requests: n requests, in the fixed order of their shard.

        Returns:
            n answers in the same order; a request that cannot be answered has status
            ``error`` and a reason, it is never left out.
        """


@runtime_checkable
class ServerModel(Model, Protocol):
    """A model asked over HTTP; the numbers below never change an answer."""

    @property
    def endpoint(self) -> str:
        """The base URL, without a trailing slash."""

    @property
    def api_version(self) -> str:
        """API version sent with each request; empty where there is none."""

    @property
    def secret_name(self) -> str | None:
        """The environment variable that holds its key, or None."""

    @property
    def key_header(self) -> Literal["Authorization", "api-key"]:
        """The header its key goes into: as a bearer token, or as it is."""

    @property
    def timeout_s(self) -> float:
        """Seconds to wait for a reply before its outcome counts as unknown."""

    @property
    def concurrency(self) -> int:
        """Requests in flight at once."""

    @property
    def max_unknown_retries(self) -> int:
        """How often in one run a request is sent again whose last outcome is unknown."""

    @property
    def on_unknown(self) -> Literal["stop", "record"]:
        """What becomes of a request whose outcome stays unknown: end the run, or an error row."""

    @property
    def requests_per_minute(self) -> int | None:
        """Requests that may be sent in any 60 seconds; None for no limit."""

    @property
    def tokens_per_minute(self) -> int | None:
        """Tokens, read and written, that may be asked for in any 60 seconds; None for no limit."""

    @property
    def refusal_retries(self) -> int:
        """How often in all a refused request is asked again before the refusal is its answer."""

    @property
    def execution(self) -> Literal["interactive", "batch"]:
        """Whether requests are sent one by one or as batch files."""

    @property
    def path(self) -> str:
        """The endpoint behind the base URL."""

    @property
    def price(self) -> Price | None:
        """What it costs, or None when the recipe does not say."""

    def ledger_request(self, request: ModelRequest) -> LedgerRequest:
        """Return exactly what is sent for ``request``, and to whom."""

    def impossible(self, request: ModelRequest) -> str:
        """Return why a request cannot be answered and is not sent; empty where it may be."""

    def token_bound(self, request: ModelRequest) -> int:
        """Return the most tokens a call can read and write together."""

    def cost_bound(self, request: ModelRequest) -> int:
        """Return the most a call can cost, in pico-dollars; 0 without prices."""


def cap_text(text: str, limit: int = RAW_LIMIT) -> str:
    """Return the longest beginning of ``text`` that is at most ``limit`` bytes of UTF-8."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= limit:
        return text
    return data[:limit].decode("utf-8", "ignore")
