"""Records as JSON in the shape of Every Eval Ever, schema 0.3.0."""

from __future__ import annotations

from toolkit.results.record import Result, Withdrawal

__all__ = ["read_result", "read_withdrawal", "result_json", "withdrawal_json"]


def result_json(result: Result) -> str:
    """Return the text of a record's file."""
    raise NotImplementedError


def read_result(text: str, where: str) -> Result:
    """Read a record.

    Raises:
        UserError: it is not of the shape, or its id is not that of its content.
    """
    raise NotImplementedError


def withdrawal_json(withdrawal: Withdrawal) -> str:
    """Return the text of a withdrawal's file."""
    raise NotImplementedError


def read_withdrawal(text: str, where: str) -> Withdrawal:
    """Read a withdrawal.

    Raises:
        UserError: it is not of the shape.
    """
    raise NotImplementedError
