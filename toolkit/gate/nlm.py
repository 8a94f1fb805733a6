"""What NLM's terms want said wherever PubMed data are passed on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolkit.gate.base import Finding, Policy
from toolkit.gate.outgoing import CARD, Outgoing

__all__ = ["ACKNOWLEDGEMENT", "CURRENCY", "check"]

ACKNOWLEDGEMENT: Final = "courtesy of the U.S. National Library of Medicine"
CURRENCY: Final = "may not hold the most current or accurate data available from NLM"

_HINT: Final = "put the sentence back into the card's section on licence and terms"


def check(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    """Refuse a card of PubMed data without acknowledgement or statement of currency.

    NLM's terms and conditions ask for both where a copy is not kept up to date
    (nlm.nih.gov/databases/download/terms_and_conditions.html).
    """
    if not policy.pubmed or CARD not in outgoing.regular:
        return
    words = " ".join(outgoing.card.split())
    if ACKNOWLEDGEMENT not in words:
        yield Finding("nlm terms", CARD, f"it does not say '{ACKNOWLEDGEMENT}'", _HINT)
    if CURRENCY not in words:
        yield Finding("nlm terms", CARD, f"it does not say that the data {CURRENCY}", _HINT)
