"""The manifest of a bundle: what was answered, by whom, how; no score stands in it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any, Final

from toolkit.recipe.params import build, json_schema
from toolkit.report.text import printable, shorten
from toolkit.results.names import unseen
from toolkit.store.canonical import digest
from toolkit.store.redact import redact
from toolkit.submissions.fault_list import FaultList
from toolkit.submissions.outgoing import stopped_texts

__all__ = [
    "FORMAT",
    "BenchmarkRef",
    "FileRef",
    "Manifest",
    "ModelRef",
    "PromptRef",
    "Submitter",
    "manifest_faults",
    "manifest_text",
    "read_manifest",
]

FORMAT: Final = 1
"""Version of the format of bundles."""

# No line break, control or bidirectional override: names are printed in tables and messages. What
# else cannot be seen is refused by its category, which a pattern of JSON Schema cannot say.
_LINE: Final = r"^(?!\s)[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]{1,%d}(?<!\s)\Z"
_NAME: Final = _LINE % 120
_WORDS: Final = r"^[^\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]{0,2000}\Z"
_SHA256: Final = r"^[0-9a-f]{64}\Z"
_VERSION: Final = r"^v?[0-9]+(\.[0-9]+)*\Z"
_REPOSITORY: Final = r"^[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}\Z"


_ADDRESS: Final = re.compile(r"[^\s@]+@[^\s@]+\.[A-Za-z]{2,}")


def _key(about: str, **more: Any) -> dict[str, Any]:
    return {"about": about, **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkRef:
    """Which items were answered."""

    name: str = field(metadata=_key("name of the benchmark", pattern=_NAME))
    version: str = field(metadata=_key("its version", pattern=_VERSION))
    split: str = field(metadata=_key("split that was answered", pattern=r"^\w{1,100}\Z"))
    items: int = field(metadata=_key("items of the split", minimum=1))
    ids_digest: str = field(metadata=_key("sha256 of the set of ids", pattern=_SHA256))
    data_digest: str | None = field(
        default=None, metadata=_key("sha256 of the version's data, as released", pattern=_SHA256)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRef:
    """Who answered."""

    name: str = field(metadata=_key("what tables call it", pattern=_NAME))
    hub_id: str | None = field(
        default=None, metadata=_key("org/name of its repository on the Hub", pattern=_REPOSITORY)
    )
    revision: str | None = field(
        default=None, metadata=_key("commit of its weights, or its exact version", pattern=_NAME)
    )
    cutoff: str | None = field(
        default=None,
        metadata=_key("declared end of its training data, YYYY-MM", pattern=r"^\d{4}-\d{2}\Z"),
    )
    overlap: str = field(
        default="",
        metadata=_key("declared overlap of its training data with the benchmark", pattern=_WORDS),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRef:
    """The answers to one prompt."""

    answers: int = field(metadata=_key("lines of the prompt", minimum=1))
    failed: int = field(metadata=_key("of them without an output", minimum=0))
    text_sha256: str | None = field(
        default=None, metadata=_key("sha256 of the prompt's text", pattern=_SHA256)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitter:
    """Who hands the answers in."""

    name: str = field(metadata=_key("a name, or a name on the Hub", pattern=_NAME))
    contact: str = field(default="", metadata=_key("how to be reached", pattern=_WORDS))


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRef:
    """A file of the bundle."""

    sha256: str = field(metadata=_key("sha256 of its bytes", pattern=_SHA256))
    bytes: int = field(metadata=_key("its size", minimum=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Everything about a bundle but the answers."""

    format: int = field(metadata=_key("version of the format", minimum=1))
    toolkit: str = field(metadata=_key("version of the program that made it", pattern=_NAME))
    benchmark: BenchmarkRef = field(metadata=_key("which items were answered"))
    model: ModelRef = field(metadata=_key("who answered"))
    prompts: Mapping[str, PromptRef] = field(metadata=_key("prompt modes by name"))
    generation: Mapping[str, str | int | float | bool] = field(
        default_factory=dict, metadata=_key("settings of the answers, e.g. temperature")
    )
    submitter: Submitter = field(metadata=_key("who hands it in"))
    notes: str = field(default="", metadata=_key("a remark", pattern=_WORDS))
    files: Mapping[str, FileRef] = field(metadata=_key("the other files of the bundle"))

    @property
    def bundle_id(self) -> str:
        """The sha256 of all it says, so of the answers too (64 hex digits)."""
        return digest(asdict(self))


def manifest_text(manifest: Manifest) -> str:
    """Return the file: readable JSON with sorted keys."""
    text = json.dumps(
        asdict(manifest), sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False
    )
    return text + "\n"


def manifest_faults(manifest: Manifest) -> list[str]:
    """Return what is wrong with a manifest that was put together, e.g. a name of two lines."""
    return _schema_faults(json.loads(manifest_text(manifest)))


def read_manifest(text: str, faults: FaultList) -> Manifest | None:
    """Read a manifest.

    Args:
        text: the file.
        faults: receives every fault.

    Returns:
        The manifest; None where it has faults.
    """
    try:
        data = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        faults.add("manifest.json is not JSON", shorten(printable(str(error)), 200))
        return None
    newer = data.get("format") if isinstance(data, dict) else None
    if isinstance(newer, int) and newer > FORMAT:
        faults.add(
            f"the bundle has format {newer}, this program knows {FORMAT}",
            "upgrade leaderboard-toolkit",
        )
        return None
    found = _schema_faults(data)
    for fault in found:
        faults.add("manifest.json is none", fault)
    if found:
        return None
    manifest: Manifest = build(Manifest, data)
    if manifest_text(manifest) != text:
        faults.add(
            "manifest.json was edited by hand",
            "its keys or layout are not those that `toolkit submit` writes",
        )
        return None
    return manifest


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def _schema_faults(data: Any) -> list[str]:
    from jsonschema import Draft202012Validator

    found = [
        f"{'.'.join(map(str, error.absolute_path)) or 'the file'}: {_told(error.message)}"
        for error in Draft202012Validator(_schema()).iter_errors(data)
    ]
    if isinstance(data, dict):
        if data.get("prompts") == {}:
            found.append("prompts: none is named")
        settings = data.get("generation")
        numbers = settings.items() if isinstance(settings, dict) else ()
        found += [
            f"generation.{name}: not a finite number"
            for name, value in numbers
            if isinstance(value, float) and not math.isfinite(value)
        ]
        found += _published_faults(data)
    return sorted(found)


def _published_faults(data: Mapping[str, Any]) -> list[str]:
    """Return the words of a record that its publication would be refused for."""
    names, words = dict(_names(data)), dict(_words(data))
    found = []
    for path, text in names.items():
        signs = unseen(text)
        if signs:
            told = ", ".join(signs[:5])
            found.append(f"{path}: signs that nobody can see ({told}); names are told apart by eye")
        if _ADDRESS.search(text):
            found.append(f"{path}: an e-mail address, and it is published; it goes into contact")
    shown = {**names, **words}
    stopped = dict(stopped_texts(shown))
    for path, text in shown.items():
        if redact(text) != text:
            found.append(f"{path}: it has the form of a secret, and it is published")
        elif path in stopped:
            found.append(f"{path}: {stopped[path]}, and it is published")
    return found


def _names(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    keys = {
        "benchmark": ("name",),
        "model": ("name", "hub_id", "revision"),
        "submitter": ("name",),
        "generation": (),
    }
    for section, names in keys.items():
        values = data.get(section)
        for name, value in values.items() if isinstance(values, dict) else ():
            if not names and isinstance(value, str | int | float):
                # A setting's name is the submitter's, too.
                yield f"{section}.{name}", f"{name}={value}"
            elif name in names and isinstance(value, str):
                yield f"{section}.{name}", value


def _words(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    model = data.get("model")
    overlap = model.get("overlap") if isinstance(model, dict) else None
    for path, value in (("notes", data.get("notes")), ("model.overlap", overlap)):
        if isinstance(value, str):
            yield path, value


def _told(message: str) -> str:
    # The pattern says what is allowed in a language that few people read.
    value, broken, _ = message.partition(" does not match ")
    text = f"{value} is not of the form that is asked for" if broken else message
    return shorten(printable(text), 200)


@cache
def _schema() -> dict[str, Any]:
    schema = json_schema(Manifest)
    names = {"pattern": r"^\w{1,100}\Z"}
    schema["properties"]["prompts"] |= {"propertyNames": names, "maxProperties": 50}
    schema["properties"]["generation"] |= {
        "propertyNames": {"pattern": r"^[\w.-]{1,60}\Z"},
        "maxProperties": 50,
    }
    settings = schema["properties"]["generation"]["additionalProperties"]
    settings |= {"pattern": _LINE.replace("{1,", "{0,") % 200}
    return schema
