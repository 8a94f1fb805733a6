"""How often one request was tried in vain, and whether to try again."""

from __future__ import annotations

from dataclasses import dataclass

from toolkit.ask.retry import ATTEMPTS, ATTEMPTS_IN_ALL, Verdict

__all__ = ["Tries"]


@dataclass(slots=True)
class Tries:
    """Calls of one request that brought no answer.

    Attributes:
        attempts: times in a row that the server may turn it away.
        turned_away: that the server certainly did not process.
        in_a_row: of these, how many since it last took a call from anybody.
        unknown: whose outcome nobody knows.
        last: what the last one meant.
    """

    attempts: int = ATTEMPTS
    turned_away: int = 0
    in_a_row: int = 0
    unknown: int = 0
    last: Verdict | None = None
    _accepted: int = -1

    def note(self, verdict: Verdict, accepted: int) -> None:
        """Count one more.

        Args:
            verdict: what it meant.
            accepted: calls that the server has taken so far, from anybody.
        """
        self.last = verdict
        self.unknown += verdict.kind == "unknown"
        if verdict.kind == "not_processed":
            self.turned_away += 1
            self.in_a_row = self.in_a_row + 1 if accepted == self._accepted else 1
            self._accepted = accepted

    @property
    def server_is_away(self) -> bool:
        """Whether the server has turned all away for long, this request and every other."""
        return self.in_a_row >= self.attempts

    def may_go_on(self, unknown_retries: int) -> bool:
        """Say whether it may be sent again.

        Args:
            unknown_retries: how often after a call of unknown outcome.
        """
        return (
            self.last is not None
            and self.last.kind != "stop"
            and not self.server_is_away
            and self.turned_away < ATTEMPTS_IN_ALL
            and self.unknown <= unknown_retries
        )
