"""A model behind an OpenAI-compatible chat endpoint: what to send, to whom, at what price.

Sending itself is done by ``toolkit.ask``, in the coordinating process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from toolkit.errors import UserError
from toolkit.models.addresses import check_key_name, clean_url
from toolkit.models.base import ModelKind, ModelRequest, Need, Price
from toolkit.models.prices import Prices, price_of
from toolkit.models.profiles import PROFILES, profile_named
from toolkit.models.spelling import check_spelling, effort_keys, schema_keys
from toolkit.store.canonical import canonical_json
from toolkit.store.ledger_types import LedgerRequest

__all__ = ["OpenAICompatible", "OpenAICompatibleParams", "Prices"]

_OWN: Final = frozenset(
    {
        *(
            "model",
            "messages",
            "prompt",
            "response_format",
            "temperature",
            "top_p",
            "seed",
            "stop",
            "reasoning_effort",
        ),
        *(profile.max_tokens for profile in PROFILES.values()),
    }
)
"""Body keys that have a parameter of their own."""

_MOST_BYTES_A_TOKEN: Final = 30

_REFUSED: Final = frozenset({"stream", "stream_options", "n", "tools", "functions", "logit_bias"})
"""Body keys that would change the shape of a reply, so that it could not be checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAICompatibleParams:
    """Parameters of a model behind an OpenAI-compatible endpoint."""

    model: str = field(metadata={"about": "the name the server knows it by"})
    max_tokens: int = field(metadata={"about": "most new tokens, reasoning included", "minimum": 1})
    base_url: str | None = field(
        default=None,
        metadata={
            "about": "address up to and without /chat/completions; the profile's own by default"
        },
    )
    api_key_env: str | None = field(
        default=None,
        metadata={"about": "NAME of the environment variable that holds the key, never the key"},
    )
    endpoint: Literal["chat", "completions"] = field(
        default="chat", metadata={"about": "chat, or the older endpoint that completes a text"}
    )
    api_version: str | None = field(
        default=None, metadata={"about": "value of the api-version query parameter, for Azure"}
    )
    profile: str = field(
        default="generic",
        metadata={"about": "how the server spells parameters: " + ", ".join(sorted(PROFILES))},
    )
    temperature: float | None = field(
        default=None,
        metadata={"about": "sampling temperature; not sent when left out", "minimum": 0},
    )
    top_p: float | None = field(
        default=None, metadata={"about": "nucleus sampling", "minimum": 0, "maximum": 1}
    )
    seed: int | None = field(
        default=None, metadata={"about": "seed, where the server has one; the repeat is added"}
    )
    stop: tuple[str, ...] = field(default=(), metadata={"about": "texts that end an answer"})
    reasoning_effort: str | None = field(
        default=None, metadata={"about": "as the server names it, e.g. low"}
    )
    thinking: Literal["default", "off"] = field(
        default="default", metadata={"about": "off switches reasoning off, in the server's way"}
    )
    structured: Literal["auto", "off"] = field(
        default="auto",
        metadata={"about": "ask for JSON by its schema where a parser has one and the server can"},
    )
    context_length: int | None = field(
        default=None,
        metadata={
            "about": "tokens the model can hold; a prompt that is surely longer is not sent",
            "minimum": 1,
        },
    )
    extra_body: Mapping[str, Any] = field(
        default_factory=dict, metadata={"about": "further keys of the request body"}
    )
    tokenizer: str | None = field(
        default=None,
        metadata={
            "about": "the model's tokenizer.json: `plan` then counts tokens, else it estimates",
            "path": True,
            "cosmetic": True,
        },
    )
    prices: Prices | None = field(default=None, metadata={"about": "needed for a budget"})
    timeout_s: float = field(
        default=120.0,
        metadata={"about": "seconds until a call's outcome counts as unknown", "minimum": 0.05},
    )
    execution: Literal["interactive", "batch"] = field(
        default="interactive",
        metadata={"about": "batch sends files of requests that are answered within a day"},
    )
    requests_per_minute: int | None = field(
        default=None, metadata={"about": "requests in any 60 seconds", "minimum": 1}
    )
    tokens_per_minute: int | None = field(
        default=None,
        metadata={"about": "tokens, read and written, in any 60 seconds", "minimum": 1},
    )
    refusal_retries: int = field(
        default=0,
        metadata={
            "about": "how often a refused request is asked again before that is its answer",
            "minimum": 0,
            "maximum": 10,
        },
    )
    concurrency: int = field(
        default=16, metadata={"about": "requests in flight", "minimum": 1, "maximum": 1000}
    )
    max_unknown_retries: int = field(
        default=1,
        metadata={
            "about": "how often in one run a request is sent (and perhaps paid) again when "
            "nobody knows whether the last one was processed",
            "minimum": 0,
            "maximum": 10,
        },
    )
    on_unknown: Literal["stop", "record"] = field(
        default="stop",
        metadata={
            "about": "a request still without an outcome after that: stop (the run ends "
            "incomplete; running again asks again) or record it as a row with status error"
        },
    )


class OpenAICompatible:
    """Says what to send; holds no connection and no secret, so it may travel anywhere."""

    name: ClassVar[str] = "openai_compatible"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = OpenAICompatibleParams
    where: ClassVar[Literal["worker", "server"]] = "server"

    def __init__(self, params: OpenAICompatibleParams, base: Path) -> None:
        """Check the parameters; ``base`` is not used, this model reads no file.

        Raises:
            UserError: an address, a name or a key of ``extra_body`` cannot be used.
        """
        profile = profile_named(params.profile)
        _check_numbers(params)
        check_key_name(params, profile)
        _check_extra(params.extra_body)
        check_spelling(params, profile)
        self.params = params
        self._endpoint = clean_url(params.base_url or profile.base_url or "")
        self._profile = profile

    @property
    def kind(self) -> ModelKind:
        """It competes."""
        return "model"

    @property
    def needs(self) -> frozenset[Need]:
        """The rendered prompt."""
        return frozenset({"messages"})

    @property
    def endpoint(self) -> str:
        """The base URL, without a trailing slash."""
        return self._endpoint

    @property
    def api_version(self) -> str:
        """The api-version query parameter; empty where there is none."""
        return self.params.api_version or ""

    @property
    def secret_name(self) -> str | None:
        """The environment variable that holds the key."""
        return self.params.api_key_env

    @property
    def key_header(self) -> Literal["Authorization", "api-key"]:
        """The header the key goes into."""
        return self._profile.key_header

    @property
    def least_tokens(self) -> int:
        """The fewest new tokens that may be asked for, for a call that only proves something."""
        family = self._profile.family(self.params.model)
        return 1 if family is None else family.least_tokens

    @property
    def path(self) -> str:
        """The endpoint behind the base URL."""
        return "/completions" if self.params.endpoint == "completions" else "/chat/completions"

    @property
    def execution(self) -> Literal["interactive", "batch"]:
        """Whether requests are sent one by one or as batch files."""
        return self.params.execution

    @property
    def requests_per_minute(self) -> int | None:
        """Requests that may be sent in any 60 seconds."""
        return self.params.requests_per_minute

    @property
    def tokens_per_minute(self) -> int | None:
        """Tokens that may be asked for in any 60 seconds."""
        return self.params.tokens_per_minute

    @property
    def refusal_retries(self) -> int:
        """How often in all a refused request is asked again."""
        return self.params.refusal_retries

    @property
    def timeout_s(self) -> float:
        """Seconds to wait for a reply."""
        return self.params.timeout_s

    @property
    def concurrency(self) -> int:
        """Requests in flight at once."""
        return self.params.concurrency

    @property
    def max_unknown_retries(self) -> int:
        """How often a request of unknown outcome is sent again in one run."""
        return self.params.max_unknown_retries

    @property
    def on_unknown(self) -> Literal["stop", "record"]:
        """What becomes of a request whose outcome stays unknown."""
        return self.params.on_unknown

    @property
    def price(self) -> Price | None:
        """The prices of the recipe, as exact integers."""
        return None if self.params.prices is None else price_of(self.params.prices)

    def fingerprint(self) -> dict[str, Any]:
        """Return whom it asks and every parameter of the body; no timeout, no key name."""
        return {
            "provider": self.name,
            "version": self.version,
            "base_url": self._endpoint,
            "api_version": self.api_version,
            "path": self.path,
            "body": self._body(ModelRequest("", 0)),
            "structured": self._profile.structured if self.params.structured == "auto" else "none",
            # These decide whether such a request becomes a row.
            "on_unknown": self.params.on_unknown,
            "refusal_retries": self.params.refusal_retries,
            "context_length": self.params.context_length,
        }

    def ledger_request(self, request: ModelRequest) -> LedgerRequest:
        """Return exactly what is sent for ``request``, and to whom."""
        return LedgerRequest(
            provider=self.name,
            base_url=self._endpoint,
            api_version=self.api_version,
            body=self._body(request),
            repeat=request.repeat,
        )

    def impossible(self, request: ModelRequest) -> str:
        """Return why a request cannot be answered and is not sent; empty where it may be.

        Text has at most about 30 bytes a token in the vocabularies in use, so bytes bound the
        tokens from below; only what is certainly too long is held back.
        """
        length = self.params.context_length
        least = _bytes(request) // _MOST_BYTES_A_TOKEN
        if length is None or least < length:
            return ""
        return f"the prompt has more than {least} tokens, the context only {length}"

    def token_bound(self, request: ModelRequest) -> int:
        """Return the most tokens a call can read and write together."""
        return self._read_bound(request) + self._most_new(request)

    def cost_bound(self, request: ModelRequest) -> int:
        """Return the most a call can cost, in pico-dollars; 0 without prices.

        A token stands for at least one byte of UTF-8, so bytes bound tokens; 64 tokens, and
        16 for each message, are added for what a server's chat template puts around them, and
        the bytes of a schema.
        """
        if self.price is None:
            return 0
        batch = self.params.execution == "batch"
        return self.price.bound(self._read_bound(request), self._most_new(request), batch=batch)

    def _read_bound(self, request: ModelRequest) -> int:
        schema = 0 if request.schema is None else len(canonical_json(request.schema).encode())
        return 64 + _bytes(request) + 16 * len(request.messages) + schema

    def _most_new(self, request: ModelRequest) -> int:
        return request.max_tokens or self.params.max_tokens

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        params = self.params
        optional = {
            "temperature": params.temperature,
            "top_p": params.top_p,
            # Otherwise repeats with a seed would be copies of one another.
            "seed": None if params.seed is None else params.seed + request.repeat,
            "stop": list(params.stop) or None,
        }
        body: dict[str, Any] = {"model": params.model, **self._question(request)}
        body[self._limit_name] = self._most_new(request)
        body |= {key: value for key, value in optional.items() if value is not None}
        body |= effort_keys(params.reasoning_effort, self._profile)
        if params.thinking == "off":
            body |= self._profile.thinking_off or {}
        if params.structured == "auto" and request.schema is not None:
            body |= schema_keys(request.schema, self._profile)
        return {**body, **params.extra_body}

    @property
    def _limit_name(self) -> str:
        # The older endpoint knows no other name.
        return "max_tokens" if self.params.endpoint == "completions" else self._profile.max_tokens

    def _question(self, request: ModelRequest) -> dict[str, Any]:
        if self.params.endpoint == "completions":
            return {"prompt": "\n\n".join(message.content for message in request.messages)}
        return {"messages": [{"role": m.role, "content": m.content} for m in request.messages]}


def _bytes(request: ModelRequest) -> int:
    return sum(len(m.content.encode("utf-8", "surrogatepass")) for m in request.messages)


def _check_numbers(params: OpenAICompatibleParams) -> None:
    if params.max_tokens < 1:
        raise UserError("max_tokens must be at least 1", hint="write how long an answer may be")
    if params.concurrency < 1 or params.timeout_s <= 0 or params.max_unknown_retries < 0:
        raise UserError(
            "concurrency must be at least 1, timeout_s above 0, max_unknown_retries at least 0",
            hint="leave them out for the defaults",
        )


def _check_extra(extra: Mapping[str, Any]) -> None:
    if taken := sorted(_OWN & set(extra)):
        raise UserError(
            f"extra_body repeats {', '.join(taken)}",
            hint="write them as parameters of the model, beside extra_body",
        )
    if refused := sorted(_REFUSED & set(extra)):
        raise UserError(
            f"extra_body may not hold {', '.join(refused)}: a reply of that shape is not read",
            hint="remove them; repeats are written as generate: {repeats: N}",
        )
