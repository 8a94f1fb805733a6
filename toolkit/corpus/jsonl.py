"""Read any table of JSON lines: one object a line, plain or compressed with gzip."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.corpus.merge import merge_rows
from toolkit.corpus.source import ROW_GROUP, Part, PartResult, PartWriter, find_files
from toolkit.corpus.table import Columns, Row, RowWriter
from toolkit.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Jsonl"]

_INT64: Final = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Params:
    files: tuple[str, ...] = field(
        metadata={"about": "files or globs", "path": True, "scalar": True}
    )
    id: str = field(default="id", metadata={"about": "key that holds the id of the item"})
    fields: Mapping[str, str] | None = field(
        default=None, metadata={"about": "item column to key of the object; default all"}
    )
    on_bad_row: Literal["stop", "reject"] = field(
        default="stop", metadata={"about": "a bad line or a repeated id: stop, or reject it"}
    )


@dataclass(frozen=True, slots=True)
class _Line:
    position: int
    value: dict[str, Any] | None
    fault: str = ""


class Jsonl:
    """JSON lines. Types are inferred over all files before a row is written.

    A column holds text, whole numbers, numbers, booleans, or lists of text; null and absent
    are the same. Whole and other numbers together are numbers. Anything else that is mixed,
    and nested objects, are refused with file and line.
    """

    name: ClassVar[str] = "jsonl"
    version: ClassVar[int] = 1
    remote: ClassVar[bool] = False
    Params: ClassVar[type] = _Params

    def __init__(self, params: _Params, base: Path) -> None:
        self._params = params
        self._base = base
        self._columns = Columns(params.id, params.fields)

    def resolve(self, cache: Path, secrets: Mapping[str, str]) -> Jsonl:
        """Return the source itself: nothing depends on a network."""
        return self

    def facts(self) -> dict[str, Any]:
        """Return nothing: the files say it all."""
        return {}

    def inputs(self) -> tuple[Path, ...]:
        """Return nothing: the parts are all there is."""
        return ()

    def parts(self) -> tuple[Part, ...]:
        """Return one part a file, by name.

        Raises:
            SourceError: patterns that match nothing, all of them listed.
        """
        files = find_files(self._params.files, self._base)
        return tuple(Part(path.name, path) for path in sorted(files, key=lambda p: p.name))

    def schema(self) -> pa.Schema:
        """Read all files once and return the schema that fits every line.

        Raises:
            SourceError: a file is damaged, has no rows, or mixes types in a column.
        """
        import pyarrow as pa

        kinds: dict[str, tuple[str, str]] = {}
        fields = self._params.fields
        wanted = None if fields is None else {self._params.id, *fields.values()}
        for part in self.parts():
            for line in _lines(_path(part)):
                self._refuse(part.name, line)
                if line.value is not None:
                    where = f"{part.name}:{line.position + 1}"
                    for name in line.value:
                        kinds.setdefault(name, ("null", where))
                    cells = {k: v for k, v in line.value.items() if wanted is None or k in wanted}
                    _learn(kinds, cells, where, self._params.id)
        if not kinds:
            raise SourceError(
                f"no line of {', '.join(part.name for part in self.parts())} holds an object",
                hint='write one JSON object a line, e.g. {"id": "1", "question": "..."}',
            )
        chosen = self._columns.chosen(sorted(kinds), self.parts()[0].name)
        pairs = [(ours, _arrow(kinds[theirs][0])) for ours, theirs in chosen.items()]
        return pa.schema([("item_id", pa.string()), *pairs])

    def read(self, part: Part, out: Path, schema: pa.Schema) -> PartResult:
        """Stream one file into Parquet.

        Raises:
            SourceError: the file is damaged, or a line is bad and ``on_bad_row`` is ``stop``.
        """
        fields = self._params.fields or {}
        chosen = {ours: fields.get(ours, ours) for ours in schema.names[1:]}
        with PartWriter(part.name, out, schema) as writer:
            rows = RowWriter(writer, schema, part.name, stop=self._params.on_bad_row == "stop")
            pending: list[Row] = []
            for line in _lines(_path(part)):
                if line.value is None:
                    rows.reject(None, "malformed_line", line.fault, line.position)
                    continue
                pending.append(self._row(line.position, line.value, chosen, schema))
                if len(pending) == ROW_GROUP:
                    rows.write(pending)
                    pending = []
            rows.write(pending)
        return writer.result()

    def merge(self, results: Sequence[PartResult]) -> dict[str, pa.Table]:
        """Reject rows that repeat an id, the first one stays.

        Raises:
            SourceError: ids repeat and ``on_bad_row`` is ``stop``.
        """
        return merge_rows(results, on_duplicate=self._params.on_bad_row)

    def _refuse(self, file: str, line: _Line) -> None:
        if line.value is None and self._params.on_bad_row == "stop":
            raise SourceError(
                f"{file}:{line.position + 1}: {line.fault}",
                hint="correct the line, or set `on_bad_row: reject` to go on without it",
            )

    def _row(
        self, position: int, value: Mapping[str, Any], chosen: Mapping[str, str], schema: pa.Schema
    ) -> Row:
        identity = value.get(self._params.id)
        values = {ours: value.get(theirs) for ours, theirs in chosen.items()}
        for name, cell in values.items():
            if isinstance(cell, int) and schema.field(name).type == "double":
                values[name] = float(cell)
        return Row(None if identity is None else str(identity), values, position)


def _path(part: Part) -> Path:
    if part.path is None:
        raise ValueError(f"part {part.name} has no file")
    return part.path


def _lines(path: Path) -> Iterator[_Line]:
    """Read lines; blank ones are passed over, bad ones say what is wrong with them."""
    with path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path) if packed else path.open("rb") as handle:
            for position, line in enumerate(handle):
                text = line.removeprefix(b"\xef\xbb\xbf") if position == 0 else line
                if text.strip():
                    yield _parse(position, text)
    except (EOFError, zlib.error, OSError) as error:
        raise SourceError(
            f"{path}: the file cannot be read to its end: {error}",
            hint="fetch the file again; nothing of it was used",
        ) from error


def _parse(position: int, line: bytes) -> _Line:
    try:
        value = json.loads(
            line.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant
        )
    except UnicodeDecodeError as error:
        return _Line(position, None, f"not UTF-8: byte {error.start + 1} of the line")
    except (ValueError, RecursionError) as error:
        return _Line(position, None, f"not JSON: {error}")
    if not isinstance(value, dict):
        return _Line(position, None, "not a JSON object")
    return _Line(position, value)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key stands twice")
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _learn(
    kinds: dict[str, tuple[str, str]], value: Mapping[str, Any], where: str, id_key: str
) -> None:
    for name, cell in value.items():
        kind = _kind(cell, name, where)
        if name == id_key and kind not in ("string", "int64", "null"):
            raise SourceError(
                f"{where}: the id '{name}' is a {kind}", hint="ids are text or whole numbers"
            )
        known, first = kinds.get(name, ("null", where))
        if known == "null":
            kinds[name] = (kind, where)
        elif kind not in ("null", known):
            kinds[name] = (_join(name, (known, first), (kind, where), id_key), first)


def _join(name: str, known: tuple[str, str], new: tuple[str, str], id_key: str) -> str:
    pair = {known[0], new[0]}
    if pair == {"int64", "double"}:
        return "double"
    if pair == {"list<null>", "list<string>"}:
        return "list<string>"
    if name == id_key:
        return "string"
    raise SourceError(
        f"{new[1]}: '{name}' is a {new[0]}, but a {known[0]} at {known[1]}",
        hint=f"give '{name}' one type on every line, or leave it out with `fields`",
    )


def _kind(cell: Any, name: str, where: str) -> str:
    if cell is None:
        return "null"
    if isinstance(cell, bool):
        return "bool"
    if isinstance(cell, int) and cell in _INT64:
        return "int64"
    if isinstance(cell, float):
        return "double"
    if isinstance(cell, str):
        return "string"
    if isinstance(cell, list) and all(isinstance(part, str) for part in cell):
        return "list<string>" if cell else "list<null>"
    what = {int: "a number beyond 64 bits", dict: "an object"}.get(type(cell), "a mixed list")
    raise SourceError(
        f"{where}: '{name}' is {what}",
        hint="a value is text, a number, true or false, null, or a list of text",
    )


def _arrow(kind: str) -> pa.DataType:
    from toolkit.records import arrow_type

    names = {"null": "string", "list<null>": "list<string>"}
    return arrow_type(names.get(kind, kind))
