"""What the Hub looks at in a file before it takes a commit: cards and ``eval.yaml``."""

from __future__ import annotations

import re
from typing import Any

import yaml

SIZES = (
    "n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B",
    "1B<n<10B", "10B<n<100B", "100B<n<1T", "n>1T",
)  # fmt: skip
FRAMEWORKS = (
    "exgentic", "inspect-ai", "math-arena", "mteb", "olmocr-bench", "harbor", "archipelago",
    "apex-evals", "screenspot-pro", "swe-bench", "swe-bench-pro", "nemo-evaluator", "yc-bench",
    "open-asr-leaderboard", "mdpbench", "parsebench", "video-mme-v2", "claw-eval", "wildclawbench",
)  # fmt: skip
_FRONT = re.compile(r"\s*---\r?\n(.*?)\r?\n---", re.DOTALL)


def card_errors(text: str, kind: str) -> tuple[list[str], list[str]]:
    """Return the errors and the warnings of a README's front matter."""
    found = _FRONT.match(text)
    if found is None:
        return [], ["empty or missing yaml metadata in repo card"]
    try:
        data = yaml.safe_load(found[1])
    except yaml.YAMLError as error:
        return [f"YAML: {error}"], []
    if not isinstance(data, dict):
        return ["the front matter is no mapping"], []
    errors = []
    if "license" in data and not (
        isinstance(data["license"], str) and re.fullmatch(r"[a-z0-9.+-]{2,40}", data["license"])
    ):
        errors.append('"license" must be an id')
    if data.get("license") == "other" and not data.get("license_name"):
        errors.append('"license_name" is required when license is other')
    errors += _languages(data.get("language"))
    if kind == "dataset":
        errors += _dataset(data)
    if kind == "space" and data.get("sdk") not in ("static", "gradio", "docker"):
        errors.append('"sdk" must be one of [gradio, docker, static]')
    return errors, []


def _languages(given: Any) -> list[str]:
    codes = given if isinstance(given, list) else [] if given is None else [given]
    return [
        f'"language" must be ISO 639-1, not {code!r}'
        for code in codes
        if not (isinstance(code, str) and re.fullmatch(r"[a-z]{2,3}(-[A-Za-z]+)?|code", code))
    ]


def _dataset(data: dict[str, Any]) -> list[str]:
    errors = [
        f'"size_categories" must be one of {SIZES}'
        for size in data.get("size_categories", [])
        if size not in SIZES
    ]
    configs = data.get("configs", [])
    if not isinstance(configs, list) or not all(isinstance(c, dict) for c in configs):
        return [*errors, '"configs" must be an array of objects']
    errors += ['"configs.config_name" is required' for c in configs if not c.get("config_name")]
    if sum(bool(config.get("default")) for config in configs) > 1:
        errors.append('"configs" has several defaults')
    for config in configs:
        for entry in config.get("data_files") or []:
            if not isinstance(entry, dict) or not entry.get("split") or not entry.get("path"):
                errors.append('"configs.data_files" needs split and path')
    return errors


def eval_errors(text: str) -> list[str]:
    """Return the errors of an ``eval.yaml`` at the root of a dataset."""
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        return [f"YAML: {error}"]
    if not isinstance(data, dict):
        return ["eval.yaml is no mapping"]
    errors = [
        f"unknown key {key}"
        for key in data
        if key not in ("name", "description", "evaluation_framework", "tasks")
    ]
    if not isinstance(data.get("name"), str):
        errors.append("name is required")
    if data.get("evaluation_framework", "inspect-ai") not in FRAMEWORKS:
        errors.append("Invalid input -> at evaluation_framework")
    tasks = data.get("tasks")
    if not isinstance(tasks, list) or not tasks:
        return [*errors, "tasks is required"]
    for task in tasks:
        if not isinstance(task, dict) or not isinstance(task.get("id"), str):
            errors.append("tasks.id is required")
            continue
        known = ("id", "config", "split", "field_spec", "solvers", "scorers", "name", "epochs")
        errors += [f"unknown key tasks.{key}" for key in task if key not in known]
    return errors
