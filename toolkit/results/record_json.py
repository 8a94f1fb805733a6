"""Records as JSON in the shape of Every Eval Ever, schema 0.3.0.

What that shape has no place for stands in its ``additional_details``, whose values are text:
numbers as digits, lists and mappings as canonical JSON. A score without a value has no place
in it either, because ``score`` must be a number; such scores stand under
``scores_without_value`` with their reason, never as a zero.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

from toolkit.errors import UserError
from toolkit.report.text import printable
from toolkit.results.record import (
    JudgeUse,
    ModelUse,
    Result,
    ScoreResult,
    Withdrawal,
)
from toolkit.results.record_document import document
from toolkit.results.shape import check_shape, parse
from toolkit.store.canonical import canonical_json

__all__ = ["read_result", "read_withdrawal", "result_json", "withdrawal_json"]


def result_json(result: Result) -> str:
    """Return the text of a record's file: sorted keys, one value a line.

    Raises:
        UserError: a value is not what a record may hold, e.g. a date that is none.
    """
    where = f"the record of '{printable(result.model.name)}'"
    data = json.loads(canonical_json(document(result)))
    check_shape("record", data, where)
    _check_day(result.date, where)
    return _written(data, where)


def read_result(text: str, where: str) -> Result:
    """Read a record.

    Args:
        text: of the file.
        where: name of the file, for the message.

    Raises:
        UserError: it is not of the shape, or it was changed after it was written.
    """
    data = parse(text, where)
    check_shape("record", data, where)
    try:
        result = _result(data)
        again = result_json(result)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"{where}: not a record of this program: {error!r}", hint="records are never edited"
        ) from error
    if again != text:
        raise UserError(
            f"{where}: its content is not that of the record {result.record_id}",
            hint="records are never edited: bring back the file as it was, or withdraw it",
        )
    return result


def withdrawal_json(withdrawal: Withdrawal) -> str:
    """Return the text of a withdrawal's file.

    Raises:
        UserError: the date is none, or a word is empty.
    """
    data = asdict(withdrawal)
    where = f"the withdrawal of {withdrawal.record}"
    check_shape("withdrawal", data, where)
    _check_day(withdrawal.date, where)
    return _written(data, where)


def read_withdrawal(text: str, where: str) -> Withdrawal:
    """Read a withdrawal.

    Raises:
        UserError: it is not of the shape.
    """
    data = parse(text, where)
    check_shape("withdrawal", data, where)
    return Withdrawal(**data)


def _written(data: Any, where: str) -> str:
    text = json.dumps(data, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    if not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text):
        raise UserError(f"{where}: half a character stands in it", hint="write names in UTF-8")
    return text


def _check_day(day: str, where: str) -> None:
    try:
        date.fromisoformat(day)
    except ValueError as error:
        raise UserError(f"{where}: '{day}' is no day", hint="write YYYY-MM-DD") from error


def _result(data: Mapping[str, Any]) -> Result:
    source, library = data["source_metadata"], data["eval_library"]
    about, made = source["additional_details"], library["additional_details"]
    found = {part["evaluation_name"]: _score(part) for part in data["evaluation_results"]}
    for missing in json.loads(about.get("scores_without_value", "[]")):
        score = ScoreResult(**{**missing, "judges": tuple(missing["judges"])})
        found[score.score] = score
    return Result(
        benchmark=about["benchmark"],
        title=source["source_name"],
        version=about["benchmark_version"],
        dataset=about.get("dataset"),
        config=about["config"],
        split=about["split"],
        model=_model_use(data["model_info"]),
        prompt=about["prompt_mode"],
        prompts=json.loads(made["prompts"]),
        generation=json.loads(made["generation"]),
        repeats=int(made["repeats"]),
        statuses=json.loads(made["statuses"]),
        scores=tuple(found[name] for name in json.loads(about["scores"])),
        judges={judge["name"]: JudgeUse(**judge) for judge in json.loads(made["judges"])},
        recipe=made["recipe_fingerprint"],
        toolkit=library["version"],
        tier=about["tier"],
        submitter=about["submitter"],
        organization=about.get("organization", ""),
        items=int(about["items"]),
        items_sha256=about.get("items_sha256", ""),
        withheld=about.get("withheld", ""),
        date=data["evaluation_timestamp"],
        supersedes=about.get("supersedes", ""),
    )


def _model_use(data: Mapping[str, Any]) -> ModelUse:
    derived = ("deployment_type", "model_availability")
    facts = {name: v for name, v in data["additional_details"].items() if name not in derived}
    return ModelUse(title=data["name"], **facts)


def _score(data: Mapping[str, Any]) -> ScoreResult:
    metric, details = data["metric_config"], data["score_details"]
    about = metric["additional_details"]
    interval = details["uncertainty"].get("confidence_interval", {})
    target = about.get("target")
    return ScoreResult(
        score=data["evaluation_name"],
        title=metric["metric_name"],
        metric=metric["metric_kind"],
        direction=about["direction"],
        target=None if target is None else float(target),
        least=_bound(metric["min_score"]),
        most=_bound(metric["max_score"]),
        digits=int(about["digits"]),
        value=details["score"],
        low=interval.get("lower"),
        high=interval.get("upper"),
        level=interval.get("confidence_level"),
        interval=interval.get("method", ""),
        n=details["uncertainty"]["num_samples"],
        missing=int(details["details"]["missing"]),
        reason=details["details"]["reason"],
        signature=about["signature"],
        judges=tuple(json.loads(about["judges"])),
    )


def _bound(value: float | str) -> float | None:
    return None if isinstance(value, str) else value
