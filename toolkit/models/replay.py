"""Answers made elsewhere, read from a JSON Lines file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

from toolkit.errors import SourceError, UserError
from toolkit.models.base import Answer, ModelKind, ModelRequest, Need, cap_text
from toolkit.store.canonical import file_digest

__all__ = ["Replay", "ReplayParams"]

_Key = tuple[str, str | None, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayParams:
    """Parameters of a replayed file."""

    file: str = field(
        metadata={
            "about": "JSON Lines: item_id, text (or answer), and optionally prompt, repeat, "
            "reasoning, finish_reason, prompt_tokens, completion_tokens, reasoning_tokens, "
            "served_model",
            "path": True,
        }
    )


class Replay:
    """Looks answers up by item, prompt and repeat."""

    name: ClassVar[str] = "replay"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = ReplayParams
    where: ClassVar[Literal["worker", "server"]] = "worker"

    def __init__(self, params: ReplayParams, base: Path) -> None:
        """Keep where the file is; relative paths are relative to ``base``."""
        self.params = params
        self.path = base / params.file

    @property
    def kind(self) -> ModelKind:
        """A replayed file competes like the model that wrote it."""
        return "model"

    @property
    def needs(self) -> frozenset[Need]:
        """Nothing: the ids and names of the request are enough."""
        return frozenset()

    @property
    def reusable(self) -> bool:
        """Its answers cost nothing."""
        return False

    def fingerprint(self) -> dict[str, Any]:
        """Return the sha256 of the file.

        Raises:
            SourceError: the file cannot be read.
        """
        return {
            "provider": self.name,
            "version": self.version,
            "sha256": _digest(self.path, *_stamp(self.path)),
        }

    def answer(self, requests: Sequence[ModelRequest]) -> list[Answer]:
        """Look requests up; one that is not in the file has status ``error``.

        Raises:
            SourceError: the file is damaged; the message names the line.
            UserError: two lines answer the same request.
        """
        table = _read(self.path, *_stamp(self.path))
        return [self._answer(table, request) for request in requests]

    def _answer(self, table: Mapping[_Key, Answer], request: ModelRequest) -> Answer:
        for prompt in (request.prompt, None):
            found = table.get((request.item_id, prompt, request.repeat))
            if found is not None:
                return found
        return Answer(
            "error",
            reason=f"{self.path.name} has no answer for item {request.item_id}, "
            f"prompt {request.prompt or '(none)'}, repeat {request.repeat}",
        )


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise SourceError(
            f"{path}: {error.strerror}", hint="name an existing JSON Lines file"
        ) from error
    return status.st_size, status.st_mtime_ns


# Size and time stand in the keys so that a file changed during a session is read again.
@lru_cache(maxsize=16)
def _digest(path: Path, size: int, mtime_ns: int) -> str:
    return file_digest(path)


@lru_cache(maxsize=4)
def _read(path: Path, size: int, mtime_ns: int) -> dict[_Key, Answer]:
    table: dict[_Key, Answer] = {}
    lines: dict[_Key, int] = {}
    with path.open("rb") as handle:
        for number, line in enumerate(handle, 1):
            if not line.strip():
                continue
            key, answer = _parse(line, f"{path.name}:{number}")
            if key in table:
                raise UserError(
                    f"{path.name}: lines {lines[key]} and {number} both answer item {key[0]}"
                    + (f", prompt {key[1]}" if key[1] is not None else "")
                    + f", repeat {key[2]}",
                    hint="keep one of the two, or give them different 'repeat' numbers",
                )
            table[key], lines[key] = answer, number
    return table


def _parse(line: bytes, where: str) -> tuple[_Key, Answer]:
    try:
        row = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise SourceError(
            f"{where}: not a line of JSON in UTF-8: {error}", hint="write one JSON object a line"
        ) from error
    if not isinstance(row, dict):
        raise SourceError(f"{where}: not a JSON object", hint="write one JSON object a line")
    item_id = row.get("item_id")
    if isinstance(item_id, bool) or not isinstance(item_id, str | int) or item_id == "":
        raise SourceError(f"{where}: 'item_id' is missing or is no text", hint="add the item's id")
    prompt = _text(row, "prompt", where)
    repeat = _count(row, "repeat", where) or 0
    return (str(item_id), prompt, repeat), _answer_of(row, where)


def _answer_of(row: Mapping[str, Any], where: str) -> Answer:
    if ("text" in row) == ("answer" in row):
        raise SourceError(
            f"{where}: exactly one of 'text' and 'answer' is needed",
            hint="keep the one that holds what the model wrote",
        )
    text = _text(row, "text" if "text" in row else "answer", where)
    finish = _text(row, "finish_reason", where)
    cut = finish == "length"
    reason = "the file holds no text for it" if text is None else "length" if cut else ""
    status = "error" if text is None else "truncated" if cut else "ok"
    return Answer(
        cast(Literal["ok", "truncated", "error"], status),
        reason=reason,
        answer=text,
        raw=cap_text(text or ""),
        reasoning=_text(row, "reasoning", where),
        finish_reason=finish,
        prompt_tokens=_count(row, "prompt_tokens", where),
        completion_tokens=_count(row, "completion_tokens", where),
        reasoning_tokens=_count(row, "reasoning_tokens", where),
        served_model=_text(row, "served_model", where),
    )


def _text(row: Mapping[str, Any], key: str, where: str) -> str | None:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise SourceError(f"{where}: '{key}' is no text", hint="write it in quotes")
    return value


def _count(row: Mapping[str, Any], key: str, where: str) -> int | None:
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise SourceError(f"{where}: '{key}' is no whole number from 0", hint="correct the line")
    return value
