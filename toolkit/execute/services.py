"""What exists once in a run: the ledger, the validation process, the secrets."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self

from toolkit.plan.step import Plan

if TYPE_CHECKING:
    from toolkit.store.ledger import Ledger
    from toolkit.validate.validator import Validator

__all__ = ["Services"]


class Services:
    """Opens the ledger and the validation process when they are first needed."""

    def __init__(self, plan: Plan, secrets: Mapping[str, str], stop: threading.Event) -> None:
        self._plan = plan
        self.secrets = secrets
        self.stop = stop
        self._calls: Counter[str] = Counter()
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._ledger: Ledger | None = None
        self._validator: Validator | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def ledger(self) -> Ledger:
        """Return the workspace's ledger."""
        from toolkit.store.ledger import Ledger

        with self._lock:
            if self._ledger is None:
                self._ledger = self._stack.enter_context(Ledger(self._plan.workspace.ledger))
            return self._ledger

    def validator(self) -> Validator:
        """Return the validation process."""
        from toolkit.validate.validator import Validator

        with self._lock:
            if self._validator is None:
                self._validator = self._stack.enter_context(Validator())
            return self._validator

    def count(self, calls: Mapping[str, int]) -> None:
        """Add what one asking did."""
        with self._lock:
            self._calls.update(calls)

    def calls(self) -> dict[str, int]:
        """Return requests to servers by outcome; empty when no server was asked."""
        with self._lock:
            return dict(sorted(self._calls.items()))
