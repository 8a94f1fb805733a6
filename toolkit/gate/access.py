"""Taint: what was made from protected rows does not leave, at any level."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.gate.base import Finding, Policy
from toolkit.gate.outgoing import Outgoing

__all__ = ["CREDENTIALED", "CREDENTIALED_HINT", "check"]

CREDENTIALED = "the corpus is credentialed: nothing made from its rows may be released"
CREDENTIALED_HINT = (
    "remove `publish`; the leaderboard's means can still be reported. Where the data use agreement "
    "allows derived data, its own repository is the place (PhysioNet's, say)"
)


def check(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    """Refuse everything of a credentialed source, and texts of one that is not open.

    There is no override: a private or gated repository is a third party like any other
    (PhysioNet, "Responsible use of MIMIC data with online services like GPT", 2025).
    """
    if policy.access == "credentialed":
        yield Finding("access", "", CREDENTIALED, CREDENTIALED_HINT)
    elif policy.access not in ("open", "restricted"):
        yield Finding(
            "access",
            "",
            f"the access '{policy.access}' is none this program knows",
            "write corpus.access: open or restricted",
        )
    elif policy.access != "open" and policy.redistribution == "full_text":
        yield Finding(
            "access",
            "",
            f"full_text needs corpus.access: open, and it is '{policy.access}'",
            "write `redistribution: ids_only` or `metadata`",
        )
