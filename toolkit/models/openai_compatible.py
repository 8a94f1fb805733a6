"""A model behind an OpenAI-compatible chat endpoint: what to send, to whom, at what price.

Sending itself is done by ``toolkit.ask``, in the coordinating process.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Any, ClassVar, Final, Literal
from urllib.parse import SplitResult, urlsplit

from toolkit.errors import UserError
from toolkit.models.base import ModelKind, ModelRequest, Need, Price
from toolkit.models.profiles import PROFILES, profile_named
from toolkit.store.ledger_types import LedgerRequest
from toolkit.store.redact import looks_secret, redact

__all__ = ["OpenAICompatible", "OpenAICompatibleParams", "Prices", "is_loopback"]

_OPENAI: Final = "https://api.openai.com/v1"
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_OWN: Final = frozenset(
    {
        *("model", "messages", "temperature", "top_p", "seed", "stop", "reasoning_effort"),
        *(profile.max_tokens for profile in PROFILES.values()),
    }
)
"""Body keys that have a parameter of their own."""

_REFUSED: Final = frozenset({"stream", "stream_options", "n", "tools", "functions", "logit_bias"})
"""Body keys that would change the shape of a reply, so that it could not be checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What tokens cost."""

    input_per_million: float = field(
        metadata={"about": "USD for a million tokens read", "minimum": 0}
    )
    output_per_million: float = field(
        metadata={"about": "USD for a million tokens written, reasoning included", "minimum": 0}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAICompatibleParams:
    """Parameters of a model behind an OpenAI-compatible endpoint."""

    model: str = field(metadata={"about": "the name the server knows it by"})
    max_tokens: int = field(metadata={"about": "most new tokens, reasoning included", "minimum": 1})
    base_url: str = field(
        default=_OPENAI, metadata={"about": "address up to and without /chat/completions"}
    )
    api_key_env: str | None = field(
        default=None,
        metadata={"about": "NAME of the environment variable that holds the key, never the key"},
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
    extra_body: Mapping[str, Any] = field(
        default_factory=dict, metadata={"about": "further keys of the request body"}
    )
    prices: Prices | None = field(default=None, metadata={"about": "needed for a budget"})
    timeout_s: float = field(
        default=120.0,
        metadata={"about": "seconds until a call's outcome counts as unknown", "minimum": 0.05},
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
        _check_numbers(params)
        _check_key_name(params)
        _check_extra(params.extra_body)
        self.params = params
        self._endpoint = _clean_url(params.base_url)
        self._limit_name = profile_named(params.profile).max_tokens

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
        prices = self.params.prices
        if prices is None:
            return None
        return Price(_pico(prices.input_per_million), _pico(prices.output_per_million))

    def fingerprint(self) -> dict[str, Any]:
        """Return whom it asks and every parameter of the body; no timeout, no key name."""
        return {
            "provider": self.name,
            "version": self.version,
            "base_url": self._endpoint,
            "api_version": self.api_version,
            "body": self._body((), repeat=0),
            # It decides whether such a request becomes a row.
            "on_unknown": self.params.on_unknown,
        }

    def ledger_request(self, request: ModelRequest) -> LedgerRequest:
        """Return exactly what is sent for ``request``, and to whom."""
        messages = tuple({"role": m.role, "content": m.content} for m in request.messages)
        return LedgerRequest(
            provider=self.name,
            base_url=self._endpoint,
            api_version=self.api_version,
            body=self._body(messages, repeat=request.repeat),
            repeat=request.repeat,
        )

    def cost_bound(self, request: ModelRequest) -> int:
        """Return the most a call can cost, in pico-dollars; 0 without prices.

        A token stands for at least one byte of UTF-8, so bytes bound tokens; 64 tokens, and
        16 for each message, are added for what a server's chat template puts around them.
        """
        if self.price is None:
            return 0
        size = 64 + sum(
            len(message.content.encode("utf-8", "surrogatepass")) + 16
            for message in request.messages
        )
        return self.price.cost(size, self.params.max_tokens)

    def _body(self, messages: tuple[dict[str, str], ...], *, repeat: int) -> dict[str, Any]:
        params = self.params
        optional = {
            "temperature": params.temperature,
            "top_p": params.top_p,
            # Otherwise repeats with a seed would be copies of one another.
            "seed": None if params.seed is None else params.seed + repeat,
            "stop": list(params.stop) or None,
            "reasoning_effort": params.reasoning_effort,
        }
        return {
            "model": params.model,
            "messages": list(messages),
            self._limit_name: params.max_tokens,
            **{key: value for key, value in optional.items() if value is not None},
            **params.extra_body,
        }


def is_loopback(url: str) -> bool:
    """Say whether ``url`` leads to this very machine.

    Only ``localhost`` and loopback addresses count: a name that happens to resolve to
    127.0.0.1 today may resolve to another machine tomorrow.
    """
    try:
        host = urlsplit(url).hostname or ""
        if host == "localhost":
            return True
        address = ip_address(host)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped.is_loopback
    return address.is_loopback


def _clean_url(url: str) -> str:
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, usable = SplitResult("", "", "", "", ""), False
    shown = redact(url)
    if not usable:
        raise UserError(
            f"base_url '{shown}' is no http(s) address",
            hint="write it like https://api.example.org/v1",
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UserError(
            f"base_url '{shown}' holds more than an address",
            hint="keys belong into a variable named by api_key_env, versions into api_version",
        )
    path = parts.path.rstrip("/")
    if path.endswith("/chat/completions"):
        raise UserError(
            f"base_url '{shown}' ends with /chat/completions",
            hint=f"write {url.strip().rstrip('/').removesuffix('/chat/completions')}",
        )
    return f"{parts.scheme}://{parts.netloc.lower()}{path}"


def _check_numbers(params: OpenAICompatibleParams) -> None:
    if params.max_tokens < 1:
        raise UserError("max_tokens must be at least 1", hint="write how long an answer may be")
    if params.concurrency < 1 or params.timeout_s <= 0 or params.max_unknown_retries < 0:
        raise UserError(
            "concurrency must be at least 1, timeout_s above 0, max_unknown_retries at least 0",
            hint="leave them out for the defaults",
        )


def _check_key_name(params: OpenAICompatibleParams) -> None:
    name = params.api_key_env
    if name is None:
        if params.base_url.rstrip("/") == _OPENAI:
            raise UserError(
                "the OpenAI endpoint needs a key, and the recipe names no variable for it",
                hint="write api_key_env: OPENAI_API_KEY, or the base_url of your own server",
            )
        return
    if looks_secret(name) or not _VARIABLE.fullmatch(name):
        # The value is not repeated: it may be the key itself.
        raise UserError(
            "api_key_env holds something that is no name of an environment variable",
            hint="never write a key into a recipe; write api_key_env: MY_KEY and set MY_KEY",
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


def _pico(usd_per_million: float) -> int:
    return round(Decimal(str(usd_per_million)) * 10**6)
