"""``croissant.json``: the dataset for programs, as Croissant 1.0 with responsible-AI fields.

Written by hand rather than with mlcroissant, which brings a graph database along; a test has
mlcroissant validate it and read the records of our files through it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.release import card_texts as texts
from toolkit.release.shard_facts import ConfigFacts, shards_of
from toolkit.report.text import printable
from toolkit.store.canonical import file_digest

if TYPE_CHECKING:
    import pyarrow as pa

    from toolkit.release.card import CardInputs

__all__ = ["CROISSANT_FILE", "croissant_text"]

CROISSANT_FILE: Final = "croissant.json"

_CONTEXT: Final = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context that the Croissant 1.0 specification gives."""

_LICENSES: Final = {
    "cc0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "cc-by-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "cc-by-sa-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "cc-by-nc-4.0": "https://creativecommons.org/licenses/by-nc/4.0/",
    "cc-by-nc-sa-4.0": "https://creativecommons.org/licenses/by-nc-sa/4.0/",
    "mit": "https://opensource.org/licenses/MIT",
    "apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
}


def croissant_text(
    inputs: CardInputs, folder: Path, data: ConfigFacts, extra: ConfigFacts | None
) -> str:
    """Return ``croissant.json``: plain text only, nothing in it is Markdown.

    Args:
        inputs: what the card says.
        folder: where the shards lie.
        data: the configuration that holds the items.
        extra: a further one; None for none.
    """
    configs = [data, *([extra] if extra else [])]
    about = {column.name: column.about for column in inputs.columns}
    files = [entry for config in configs for entry in _files(folder, config)]
    record_sets = [
        _records(config, split.name, about if config is data else {})
        for config in configs
        for split in config.splits
    ]
    value = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.0",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": _line(inputs.pretty_name),
        "description": _line(inputs.description or inputs.title),
        **({"version": _version(inputs.version)} if inputs.version else {}),
        "license": _license(inputs),
        **({"url": f"https://huggingface.co/datasets/{inputs.dataset}"} if inputs.dataset else {}),
        "citeAs": _line(inputs.citation or f"{inputs.title}. Data set."),
        "inLanguage": list(inputs.languages),
        "isLiveDataset": False,
        **_responsible(inputs),
        "distribution": files,
        "recordSet": record_sets,
    }
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _line(text: str) -> str:
    return " ".join(printable(text).split())


def _version(version: str) -> str:
    # Croissant asks for three numbers.
    parts = version.removeprefix("v").split(".")
    return ".".join([*parts, "0", "0"][:3]) if all(part.isdigit() for part in parts) else version


def _license(inputs: CardInputs) -> str:
    return inputs.license.link or _LICENSES.get(inputs.license.id) or inputs.license.id


def _responsible(inputs: CardInputs) -> dict[str, Any]:
    """Return the fields of Croissant RAI 1.0 that this program can speak to."""
    level, pubmed = inputs.level, inputs.pubmed
    steps = [f"{line.rule}: {line.meaning}, {line.removed} rows removed" for line in inputs.funnel]
    collection = texts.SOURCES.get(inputs.source, inputs.source)
    return {
        "rai:dataCollection": _line(f"{collection[:1].upper()}{collection[1:]}."),
        "rai:dataPreprocessingProtocol": [_line(step) for step in steps],
        "rai:dataLimitations": [_line(limit) for limit in texts.limits(level, pubmed=pubmed)],
        "rai:dataBiases": [_line(bias) for bias in texts.biases(pubmed=pubmed)],
        "rai:personalSensitiveInformation": [_line(texts.personal(level, pubmed=pubmed))],
        "rai:dataUseCases": ["evaluation of text systems; no clinical use"],
        "rai:dataReleaseMaintenancePlan": _line(
            "Every version is tagged and never changes; items that have to go are listed in "
            "withdrawn.json, and corrections make a new version, listed in releases.json."
        ),
    }


def _files(folder: Path, config: ConfigFacts) -> Iterator[dict[str, Any]]:
    for split in config.splits:
        paths = shards_of(folder, config.name, split.name)
        for path in paths:
            name = f"{config.name}/{path.name}"
            yield {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "contentUrl": name,
                "contentSize": f"{path.stat().st_size} B",
                "encodingFormat": "application/x-parquet",
                "sha256": file_digest(path),
            }
        if len(paths) > 1:
            yield {
                "@type": "cr:FileSet",
                "@id": _source(config.name, split.name),
                "name": _source(config.name, split.name),
                "containedIn": [{"@id": f"{config.name}/{path.name}"} for path in paths],
                "encodingFormat": "application/x-parquet",
                "includes": f"{config.name}/{split.name}-*.parquet",
            }


def _source(config: str, split: str) -> str:
    return f"files/{config}/{split}"


def _records(config: ConfigFacts, split: str, about: dict[str, str]) -> dict[str, Any]:
    name = f"{config.name}/{split}"
    info = next(info for info in config.splits if info.name == split)
    if info.files > 1:
        source: dict[str, Any] = {"fileSet": {"@id": _source(config.name, split)}}
    else:
        shard = f"{config.name}/{split}-00000-of-00001.parquet"
        source = {"fileObject": {"@id": shard}}
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"{info.rows} rows",
        "field": [
            field
            for column in config.schema
            for field in _fields(name, column, about.get(column.name, ""), source)
        ],
    }


def _fields(
    record: str, column: pa.Field, about: str, source: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the field of a column.

    Of a struct, or a list of structs, the plain parts are given as sub-fields. A list inside
    cannot be said in Croissant 1.0 as mlcroissant reads it, and is left to the card.
    """
    import pyarrow as pa

    repeated = pa.types.is_list(column.type) or pa.types.is_fixed_size_list(column.type)
    kind = column.type.value_type if repeated else column.type
    extract = {**source, "extract": {"column": column.name}}
    head = {
        "@type": "cr:Field",
        "@id": f"{record}/{column.name}",
        "name": f"{record}/{column.name}",
        **({"description": _line(about)} if about else {}),
        **({"repeated": True} if repeated else {}),
    }
    if pa.types.is_struct(kind):
        parts = [part for part in kind if not pa.types.is_nested(part.type)]
        if parts:
            yield {**head, "subField": [_part(head, part, extract) for part in parts]}
    elif not pa.types.is_nested(kind):
        yield {**head, "dataType": _data_type(kind), "source": extract}


def _part(head: dict[str, Any], part: pa.Field, extract: dict[str, Any]) -> dict[str, Any]:
    name = f"{head['@id']}/{part.name}"
    return {
        "@type": "cr:Field",
        "@id": name,
        "name": name,
        "dataType": _data_type(part.type),
        **({"repeated": True} if "repeated" in head else {}),
        "source": {**extract, "transform": {"jsonPath": f"'{part.name}'"}},
    }


def _data_type(kind: pa.DataType) -> str:
    import pyarrow as pa

    types = pa.types
    if types.is_boolean(kind):
        return "sc:Boolean"
    if types.is_integer(kind):
        return "sc:Integer"
    if types.is_floating(kind) or types.is_decimal(kind):
        return "sc:Float"
    if types.is_date(kind) or types.is_timestamp(kind):
        return "sc:Date"
    return "sc:Text"
