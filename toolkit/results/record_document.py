"""A record as the values of its JSON file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

from toolkit.results.record import JudgeUse, ModelUse, Result, ScoreResult, Tier, model_folder
from toolkit.store.canonical import canonical_json

__all__ = ["document"]

_RELATIONSHIP: Final[Mapping[Tier, str]] = {
    "self-reported": "first_party",
    "re-scored": "collaborative",
    "re-generated": "third_party",
}

_GENERATION_ARGS: Final = ("temperature", "top_p", "top_k", "max_tokens")


def document(result: Result) -> dict[str, Any]:
    """Return what :func:`toolkit.results.record_json.result_json` writes."""
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
    data: dict[str, Any] = {"dataset_name": result.benchmark, "source_type": "other"}
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
