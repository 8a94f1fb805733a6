"""What came of a validation: plain values that pickle, print as JSON and never hold a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from toolkit.validate.suite import Severity, Suite

__all__ = ["SHOWN_IDS", "ExpectationResult", "Status", "ValidationResult", "error_result"]

SHOWN_IDS: Final = 100
"""Failing ids that a result names; the rejects file holds all of them."""

Status = Literal["passed", "failed", "error"]
"""``error``: it could not be evaluated, which is never a pass."""


@dataclass(frozen=True, slots=True)
class ExpectationResult:
    """What came of one expectation, over all shards.

    Attributes:
        id: the expectation's id in its suite.
        type: its type.
        kwargs: its arguments, parameters filled in.
        severity: ``critical`` or ``warning``.
        why: why the suite holds it.
        status: ``passed``, ``failed`` or ``error``.
        reason: why it failed or could not be evaluated; empty when it passed.
        element_count: rows it looked at (rows that meet ``row_condition`` when it has one).
        missing_count: rows among them that it skipped because the value is null.
        unexpected_count: rows that broke it. An expectation that passes may have some, when
            ``mostly`` allows it. 0 for one that is about no row, such as a mean.
        failing_ids: ids of the first 100 of these rows, in the order of the shards.
        observed: the number or names found, where the type is about such; else None.
    """

    id: str
    type: str
    kwargs: Mapping[str, Any]
    severity: Severity
    why: str
    status: Status
    reason: str = ""
    element_count: int = 0
    missing_count: int = 0
    unexpected_count: int = 0
    failing_ids: tuple[str, ...] = ()
    observed: Any = None


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """What came of one suite over one table.

    Attributes:
        suite: name of the suite.
        rows: rows of all shards.
        results: one for each expectation, in the order of the suite.
    """

    suite: str
    rows: int
    results: tuple[ExpectationResult, ...]

    @property
    def success(self) -> bool:
        """Whether every critical expectation passed and none, of any severity, is an error."""
        return bool(self.results) and not any(
            item.status == "error" or (item.status == "failed" and item.severity == "critical")
            for item in self.results
        )

    @property
    def problems(self) -> tuple[ExpectationResult, ...]:
        """The results that are not passed, in the order of the suite."""
        return tuple(item for item in self.results if item.status != "passed")

    @property
    def quarantinable(self) -> bool:
        """Whether leaving out the failing rows can mend it: every critical failure names rows.

        An error, a wrong mean or a missing group cannot be mended by leaving rows out.
        """
        return not any(
            item.status == "error" or (item.severity == "critical" and not item.unexpected_count)
            for item in self.problems
        )

    def critical_failures(self) -> tuple[str, ...]:
        """Return the ids of the critical expectations that failed, in the order of the suite."""
        return tuple(
            item.id
            for item in self.results
            if item.status == "failed" and item.severity == "critical"
        )

    def describe(self) -> str:
        """Return a few lines for a log or an error message: the verdict and each problem."""
        passed = len(self.results) - len(self.problems)
        verdict = "passed" if self.success else "failed"
        lines = [
            f"suite '{self.suite}' {verdict}: {passed} of {len(self.results)} expectations hold "
            f"over {self.rows} rows"
        ]
        for item in self.problems:
            rows = f" ({item.unexpected_count} rows)" if item.unexpected_count else ""
            ids = f": {', '.join(item.failing_ids[:5])}" if item.failing_ids else ""
            more = ", ..." if item.unexpected_count > 5 and ids else ""
            said = _printable(f"{item.id}{rows} {item.reason}{ids}{more}")
            lines.append(f"  {item.status} [{item.severity}] {said}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values, the same for the same table and suite."""
        return {
            "suite": self.suite,
            "success": self.success,
            "rows": self.rows,
            "results": [
                {**asdict(item), "kwargs": dict(item.kwargs), "failing_ids": [*item.failing_ids]}
                for item in self.results
            ],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ValidationResult:
        """Rebuild a result from :meth:`to_json`."""
        results = tuple(
            ExpectationResult(**{**item, "failing_ids": tuple(item["failing_ids"])})
            for item in value["results"]
        )
        return cls(str(value["suite"]), int(value["rows"]), results)


def _printable(text: str) -> str:
    # Ids come from the data; one with a line break or an escape code must not forge a line.
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def error_result(suite: Suite, reason: str) -> ValidationResult:
    """Return the result of a suite that could not be evaluated at all."""
    return ValidationResult(
        suite.name,
        0,
        tuple(
            ExpectationResult(
                item.id,
                item.type,
                dict(item.kwargs),
                item.severity,
                item.why,
                "error",
                reason,
            )
            for item in suite.expectations
        ),
    )
