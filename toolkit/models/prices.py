"""What tokens cost: the recipe's prices as exact integers."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from toolkit.models.base import Price

__all__ = ["Prices", "price_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What tokens cost, in USD for a million."""

    input_per_million: float = field(
        metadata={"about": "USD for a million tokens read", "minimum": 0}
    )
    output_per_million: float = field(
        metadata={"about": "USD for a million tokens written", "minimum": 0}
    )
    cached_input_per_million: float | None = field(
        default=None,
        metadata={
            "about": "the same for tokens read from a cache; the input price by default",
            "minimum": 0,
        },
    )
    reasoning_per_million: float | None = field(
        default=None,
        metadata={
            "about": "the same for tokens of reasoning; the output price by default",
            "minimum": 0,
        },
    )
    batch_discount: float = field(
        default=0.5,
        metadata={"about": "share of the price that batch mode saves", "minimum": 0, "maximum": 1},
    )


def price_of(prices: Prices) -> Price:
    """Return prices in pico-dollars a token, so that sums stay exact."""
    cached, reasoning = prices.cached_input_per_million, prices.reasoning_per_million
    return Price(
        input_pico_usd=_pico(prices.input_per_million),
        output_pico_usd=_pico(prices.output_per_million),
        cached_pico_usd=None if cached is None else _pico(cached),
        reasoning_pico_usd=None if reasoning is None else _pico(reasoning),
        batch_permille=1000 - round(1000 * prices.batch_discount),
    )


def _pico(usd_per_million: float) -> int:
    return round(Decimal(str(usd_per_million)) * 10**6)
