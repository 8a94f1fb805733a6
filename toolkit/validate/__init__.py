"""Validate tables against expectation suites; the only package that uses Great Expectations."""

from toolkit.validate.quarantine import failing_row_ids, passing_batches
from toolkit.validate.result import ExpectationResult, ValidationResult
from toolkit.validate.schema import suite_schema
from toolkit.validate.suite import Expectation, Suite, SuiteError, load_suite
from toolkit.validate.validator import Validator

__all__ = [
    "Expectation",
    "ExpectationResult",
    "Suite",
    "SuiteError",
    "ValidationResult",
    "Validator",
    "failing_row_ids",
    "load_suite",
    "passing_batches",
    "suite_schema",
]
