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
from datetime import UTC, date, datetime
from typing import Any, Final

from toolkit.errors import UserError
from toolkit.report.text import printable
from toolkit.results.record import (
    JudgeUse,
    ModelUse,
    Result,
    ScoreResult,
    Tier,
    Withdrawal,
    model_folder,
)
from toolkit.results.shape import check_shape, parse
from toolkit.store.canonical import canonical_json

__all__ = ["read_result", "read_withdrawal", "result_json", "withdrawal_json"]

_RELATIONSHIP: Final[Mapping[Tier, str]] = {
    "self-reported": "first_party",
    "re-scored": "collaborative",
    "re-generated": "third_party",
}

_GENERATION_ARGS: Final = ("temperature", "top_p", "top_k", "max_tokens")


def result_json(result: Result) -> str:
    """Return the text of a record's file: sorted keys, one value a line.

    Raises:
        UserError: a value is not what a record may hold, e.g. a date that is none.
    """
    where = f"the record of '{printable(result.model.name)}'"
    data = json.loads(canonical_json(_document(result)))
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


def _document(result: Result) -> dict[str, Any]:
    numbers = [score for score in result.scores if score.value is not None]
    folder = model_folder(result.model.name)
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"{result.benchmark}@{result.version}/{folder}/{result.record_id}",
        "evaluation_timestamp": result.date,
        "retrieved_timestamp": _epoch(result.date),
        "source_metadata": _source(result),
        "eval_library": _library(result),
        "model_info": _model(result.model),
        "evaluation_results": [_number(result, score) for score in numbers],
    }


def _epoch(day: str) -> str:
    try:
        moment = datetime.fromisoformat(day).replace(tzinfo=UTC)
    except ValueError:
        # Refused with a message of its own once the shape was checked.
        return "0"
    return str(int(moment.timestamp()))


def _source(result: Result) -> dict[str, Any]:
    missing = [asdict(score) for score in result.scores if score.value is None]
    details = {
        "benchmark": result.benchmark,
        "benchmark_version": result.version,
        "dataset": result.dataset or "",
        "config": result.config,
        "split": result.split,
        "tier": result.tier,
        "submitter": result.submitter,
        "organization": result.organization,
        "items": str(result.items),
        "items_sha256": result.items_sha256,
        "withheld": result.withheld,
        "supersedes": result.supersedes,
        "scores": canonical_json([score.score for score in result.scores]),
        "scores_without_value": canonical_json(missing) if missing else "",
    }
    return {
        "source_name": result.title,
        "source_type": "evaluation_run",
        "source_organization_name": result.organization or result.submitter,
        "evaluator_relationship": _RELATIONSHIP.get(result.tier, "other"),
        "additional_details": {**_filled(details), "prompt_mode": result.prompt},
    }


def _filled(details: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in details.items() if value}


def _library(result: Result) -> dict[str, Any]:
    return {
        "name": "toolkit",
        "version": result.toolkit,
        "additional_details": {
            "recipe_fingerprint": result.recipe,
            "repeats": str(result.repeats),
            "prompts": canonical_json(dict(result.prompts)),
            "generation": canonical_json(dict(result.generation)),
            "statuses": canonical_json(dict(result.statuses)),
            "judges": canonical_json([asdict(judge) for judge in result.judges.values()]),
        },
    }


def _model(model: ModelUse) -> dict[str, Any]:
    facts = {name: value or "" for name, value in asdict(model).items() if name != "title"}
    remote = model.provider == "openai_compatible"
    here = model.provider in ("llama_cpp", "transformers")
    return {
        "name": model.title,
        "id": model.hub_id or model.name,
        "additional_details": {
            **_filled(facts),
            "deployment_type": "self_deployed" if here else "unknown",
            "model_availability": "open_weights"
            if here or (model.hub_id and not remote)
            else "unknown",
        },
    }


def _number(result: Result, score: ScoreResult) -> dict[str, Any]:
    data = {"dataset_name": result.benchmark, "source_type": "other"}
    if result.dataset is not None:
        data = {
            "dataset_name": result.benchmark,
            "source_type": "hf_dataset",
            "hf_repo": result.dataset,
            "hf_split": result.split,
            "samples_number": result.items,
        }
    return {
        "evaluation_result_id": f"{result.record_id}/{score.score}",
        "evaluation_name": score.score,
        "source_data": data,
        "metric_config": _metric(result, score),
        "score_details": _details(score),
        "generation_config": {
            "generation_args": {
                name: result.generation[name]
                for name in _GENERATION_ARGS
                if isinstance(result.generation.get(name), int | float)
            },
            "additional_details": {"prompt_mode": result.prompt},
        },
    }


def _metric(result: Result, score: ScoreResult) -> dict[str, Any]:
    facts = {
        "direction": score.direction,
        "target": "" if score.target is None else repr(score.target),
        "digits": str(score.digits),
        "signature": score.signature,
        "judges": canonical_json(list(score.judges)),
    }
    judges = [result.judges[name] for name in score.judges]
    asked = [judge for judge in judges if judge.model]
    scoring = {
        "judges": [_judge(judge) for judge in asked],
        "input_prompt": canonical_json({judge.name: dict(judge.prompts) for judge in asked}),
    }
    return {
        "metric_id": score.score,
        "metric_name": score.title,
        "metric_kind": score.metric,
        "lower_is_better": score.direction == "lower",
        "score_type": "continuous",
        "min_score": "-Infinity" if score.least is None else score.least,
        "max_score": "Infinity" if score.most is None else score.most,
        **({"llm_scoring": scoring} if asked else {}),
        "additional_details": {**_filled(facts), "signature": score.signature},
    }


def _judge(judge: JudgeUse) -> dict[str, Any]:
    temperature = judge.sampling.get("temperature")
    known = isinstance(temperature, int | float)
    model = ModelUse(name=judge.model, title=judge.model, hub_id=judge.hub_id)
    return {
        "model_info": _model(model),
        **({"temperature": temperature} if known else {}),
        "additional_details": {"judge": judge.name, "type": judge.type, "identity": judge.identity},
    }


def _details(score: ScoreResult) -> dict[str, Any]:
    uncertainty: dict[str, Any] = {"num_samples": score.n}
    if score.low is not None and score.high is not None:
        level = {} if score.level is None else {"confidence_level": score.level}
        uncertainty["confidence_interval"] = {
            "lower": score.low,
            "upper": score.high,
            "method": score.interval,
            **level,
        }
    return {
        "score": score.value,
        "uncertainty": uncertainty,
        "details": {"missing": str(score.missing), "reason": score.reason},
    }


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
