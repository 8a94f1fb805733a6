"""Names of configurations and splits that the Hub and ``datasets`` can use."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.errors import UserError
from toolkit.gate.base import BOARD_CONFIG, Finding, Policy
from toolkit.gate.outgoing import Outgoing
from toolkit.gate.recipe import check_names

__all__ = ["check"]


def check(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    """Refuse what :func:`~toolkit.gate.recipe.check_names` refuses, and a repeated split."""
    for config, splits in policy.configs.items():
        try:
            # The name that is reserved to the results is theirs.
            check_names("results" if config == BOARD_CONFIG else config, splits)
        except UserError as error:
            yield Finding("names", "", error.message, error.hint)
        if len(set(splits)) != len(splits):
            yield Finding("names", "", f"a split of '{config}' stands twice", "rename one")
        if not splits:
            yield Finding("names", "", f"the configuration '{config}' has no split", "leave it out")
