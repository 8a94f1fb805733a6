"""The YAML in front of a dataset card: read it, and check it against a schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import yaml

from toolkit.errors import UserError
from toolkit.gate.vocabulary import LANGUAGES, LICENSES, SIZES

__all__ = ["SCHEMA", "faults", "parse_card"]

_NAME: Final = {"type": "string", "pattern": r"^\w+\Z"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_PATH: Final = r"^[A-Za-z0-9_][\w.-]*(/[A-Za-z0-9_*][\w.*-]*)*\Z"

_REQUIRED: Final = (
    "pretty_name",
    "license",
    "language",
    "size_categories",
    "configs",
    "dataset_info",
)

SCHEMA: Final[Mapping[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": [*_REQUIRED],
    "additionalProperties": False,
    "properties": {
        "pretty_name": {"type": "string", "minLength": 1},
        "license": {"enum": list(LICENSES)},
        "license_name": {"type": "string", "minLength": 1},
        "license_link": {"type": "string", "pattern": "^https?://"},
        "language": {"type": "array", "minItems": 1, "items": {"enum": sorted(LANGUAGES)}},
        "size_categories": {"type": "array", "minItems": 1, "items": {"enum": list(SIZES)}},
        "task_categories": {"type": "array", "items": {"type": "string", "pattern": "^[a-z-]+$"}},
        "tags": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "configs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["config_name", "data_files"],
                "additionalProperties": False,
                "properties": {
                    "config_name": _NAME,
                    "default": {"const": True},
                    "data_files": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "required": ["split", "path"],
                            "additionalProperties": False,
                            "properties": {
                                "split": _NAME,
                                "path": {"type": "string", "pattern": _PATH},
                            },
                        },
                    },
                },
            },
        },
        "dataset_info": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["config_name", "features", "splits", "download_size", "dataset_size"],
                "additionalProperties": False,
                "properties": {
                    "config_name": _NAME,
                    "features": {
                        "type": "array",
                        "minItems": 1,
                        "items": {"type": "object", "required": ["name"]},
                    },
                    "splits": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "required": ["name", "num_bytes", "num_examples"],
                            "additionalProperties": False,
                            "properties": {
                                "name": _NAME,
                                "num_bytes": _COUNT,
                                # A split without rows breaks the loading of all the others.
                                "num_examples": {"type": "integer", "minimum": 1},
                            },
                        },
                    },
                    "download_size": _COUNT,
                    "dataset_size": _COUNT,
                },
            },
        },
    },
    "if": {"properties": {"license": {"const": "other"}}},
    "then": {"required": ["license_name", "license_link"]},
}
"""JSON Schema (2020-12) of the front matter that this version writes."""

_BLOCK: Final = re.compile(r"\A---\n(.*?\n)---\n", re.DOTALL)


def parse_card(text: str) -> dict[str, Any]:
    """Return the front matter of a card.

    Raises:
        UserError: there is none, or it is not YAML.
    """
    found = _BLOCK.match(text)
    try:
        data = yaml.safe_load(found.group(1)) if found else None
    except yaml.YAMLError as error:
        raise UserError(f"README.md: the front matter is not YAML: {error}") from error
    if not isinstance(data, dict):
        raise UserError(
            "README.md has no front matter",
            hint="it starts with a block of YAML between two lines of ---",
        )
    return data


def faults(data: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with a front matter, first by itself, then between its parts."""
    import jsonschema

    validator = jsonschema.Draft202012Validator(SCHEMA)
    found = [
        f"{'.'.join(str(part) for part in error.absolute_path) or 'front matter'}: {error.message}"
        for error in sorted(
            validator.iter_errors(dict(data)), key=lambda error: str(error.absolute_path)
        )
    ]
    return found or _between(data)


def _between(data: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    configs, infos = data["configs"], data["dataset_info"]
    names = [config["config_name"] for config in configs]
    if len(set(names)) != len(names):
        found.append("configs: a configuration stands twice")
    if sum(bool(config.get("default")) for config in configs) != 1:
        found.append("configs: exactly one configuration is the default")
    if names != [info["config_name"] for info in infos]:
        found.append("dataset_info: not the configurations of configs")
        return found
    for config, info in zip(configs, infos, strict=True):
        splits = [files["split"] for files in config["data_files"]]
        if splits != [split["name"] for split in info["splits"]]:
            found.append(f"{config['config_name']}: configs and dataset_info list other splits")
        if len(set(splits)) != len(splits):
            found.append(f"{config['config_name']}: a split stands twice")
        columns = [feature["name"] for feature in info["features"]]
        if len(set(columns)) != len(columns):
            found.append(f"{config['config_name']}: a column stands twice in features")
        if sum(split["num_bytes"] for split in info["splits"]) != info["dataset_size"]:
            found.append(f"{config['config_name']}: dataset_size is not the sum of num_bytes")
    return found
