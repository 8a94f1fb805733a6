from __future__ import annotations

import json
import pickle

from toolkit.validate import Expectation, ExpectationResult, Suite, ValidationResult
from toolkit.validate.result import error_result


def result(status: str, severity: str = "critical", rows: int = 0) -> ExpectationResult:
    return ExpectationResult(
        f"{status}_{severity}",
        "toolkit_row_count",
        {"min_value": 1},
        severity,  # type: ignore[arg-type]
        "Because.",
        status,  # type: ignore[arg-type]
        "" if status == "passed" else "so it is",
        10,
        0,
        rows,
        tuple(str(n) for n in range(rows)),
    )


def test_only_critical_failures_and_errors_decide() -> None:
    def success(*results: ExpectationResult) -> bool:
        return ValidationResult("s", 10, results).success

    assert success(result("passed"), result("failed", "warning"))
    assert not success(result("passed"), result("failed"))
    assert not success(result("passed"), result("error", "warning"))
    assert not success()


def test_result_survives_pickle_and_json() -> None:
    whole = ValidationResult("s", 10, (result("passed"), result("failed", rows=3)))
    assert pickle.loads(pickle.dumps(whole)) == whole
    assert ValidationResult.from_json(json.loads(json.dumps(whole.to_json()))) == whole
    assert whole.to_json()["success"] is False


def test_description_names_problems_and_first_ids_only() -> None:
    text = ValidationResult("s", 10, (result("passed"), result("failed", rows=7))).describe()
    assert text.splitlines() == [
        "suite 's' failed: 1 of 2 expectations hold over 10 rows",
        "  failed [critical] failed_critical (7 rows) so it is: 0, 1, 2, 3, 4, ...",
    ]


def test_id_from_the_data_cannot_forge_a_line() -> None:
    bad = ExpectationResult(
        "e", "t", {}, "critical", "w", "failed", "r", 1, 0, 1, ("x\n  passed\x1b[2K",)
    )
    assert len(ValidationResult("s", 1, (bad,)).describe().splitlines()) == 2
    assert "\x1b" not in ValidationResult("s", 1, (bad,)).describe()


def test_suite_that_was_not_evaluated_is_all_errors() -> None:
    suite = Suite("s", "A test.", (Expectation("e", "toolkit_row_count", {}, "warning", "w"),))
    whole = error_result(suite, "it broke")
    assert not whole.success
    assert [(item.status, item.reason) for item in whole.results] == [("error", "it broke")]
    assert not whole.quarantinable
