"""The YAML in front of a dataset card, built from the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from toolkit.gate.recipe import License
from toolkit.gate.vocabulary import size_category
from toolkit.report.text import printable

__all__ = ["ConfigInfo", "SplitInfo", "build_front_matter", "yaml_text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitInfo:
    """A released split.

    Attributes:
        name: its name.
        rows: number of rows.
        num_bytes: bytes of its rows as Arrow holds them.
        file_bytes: bytes of its Parquet files.
        files: number of its files.
    """

    name: str
    rows: int
    num_bytes: int
    file_bytes: int
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigInfo:
    """A configuration of the card.

    Attributes:
        name: its name; its shards lie in the folder of that name.
        features: its columns, as :func:`~toolkit.gate.column_types.features` gives them.
        splits: in the order in which they are shown.
    """

    name: str
    features: Sequence[Mapping[str, Any]]
    splits: Sequence[SplitInfo]


def build_front_matter(
    *,
    pretty_name: str,
    license: License,
    languages: Sequence[str],
    tags: Sequence[str],
    configs: Sequence[ConfigInfo],
) -> dict[str, Any]:
    """Return the front matter of a card.

    Args:
        pretty_name: title of the dataset.
        license: its licence.
        languages: ISO 639-1 codes.
        tags: free words.
        configs: its configurations, the default one first.
    """
    data: dict[str, Any] = {
        "pretty_name": " ".join(printable(pretty_name).split()),
        "license": license.id,
    }
    if license.name and license.link:
        data |= {"license_name": license.name, "license_link": license.link}
    return data | {
        "language": list(languages),
        "size_categories": [size_category(sum(split.rows for split in configs[0].splits))],
        "tags": list(tags),
        "configs": [
            {
                "config_name": config.name,
                **({"default": True} if config is configs[0] else {}),
                "data_files": [
                    {"split": split.name, "path": f"{config.name}/{split.name}-*.parquet"}
                    for split in config.splits
                ],
            }
            for config in configs
        ],
        "dataset_info": [_dataset_info(config) for config in configs],
    }


def _dataset_info(config: ConfigInfo) -> dict[str, Any]:
    return {
        "config_name": config.name,
        "features": [dict(feature) for feature in config.features],
        "splits": [
            {"name": split.name, "num_bytes": split.num_bytes, "num_examples": split.rows}
            for split in config.splits
        ],
        "download_size": sum(split.file_bytes for split in config.splits),
        "dataset_size": sum(split.num_bytes for split in config.splits),
    }


def yaml_text(data: Mapping[str, Any]) -> str:
    """Return the front matter with its fences."""
    text = yaml.safe_dump(dict(data), sort_keys=False, allow_unicode=True, width=100)
    return f"---\n{text}---\n"
