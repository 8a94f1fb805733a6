"""Load YAML without its surprises, and remember where each value stands.

YAML 1.2 core scalars only: ``no`` and ``12:30:00`` are strings, ``1e-5`` is a number,
``0755`` and unquoted dates are refused with their line because no reading of them is safe.
Duplicate keys, tags, alias bombs, tabs, NaN, infinities and deep nesting are refused.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.constructor import ConstructorError
from yaml.events import AliasEvent
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from toolkit.errors import Fault, RecipeError

__all__ = ["Document", "Mark", "load_yaml", "parse_value"]

MAX_BYTES = 2 << 20
MAX_NODES = 50_000
MAX_ALIASES = 64
MAX_DEPTH = 40

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a value stands: the file as the user gave it, 1-based line and column."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Document:
    """A loaded YAML file.

    Attributes:
        data: dicts with string keys, lists, strings, ints, floats, bools and None.
        values: where each value stands, by its path.
        keys: where each mapping key stands, by the path of its value.
    """

    data: Any
    values: dict[Path, Mark] = field(default_factory=dict)
    keys: dict[Path, Mark] = field(default_factory=dict)


def load_yaml(text: str, file: str) -> Document:
    """Load one YAML document.

    Args:
        text: the YAML text.
        file: its name in messages.

    Raises:
        RecipeError: the text is not YAML, or uses what a recipe may not.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise _refused(file, 1, 1, f"the file is larger than {MAX_BYTES >> 20} MiB")
    _refuse_characters(text, file)
    loader = _StrictLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return Document(None)
        document = Document(None)
        _Marker(file, document).mark(node, ())
        return Document(loader.construct_document(node), document.values, document.keys)
    except yaml.YAMLError as error:
        raise _from_yaml(error, file) from None
    except RecursionError:
        raise _refused(file, 1, 1, "nested too deeply") from None
    finally:
        loader.dispose()


def parse_value(text: str, where: str) -> Any:
    """Parse the value of ``--set key=value`` by the same rules.

    Raises:
        RecipeError: the text is not a YAML value.
    """
    return load_yaml(text, where).data


def _refuse_characters(text: str, file: str) -> None:
    found = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if found is not None:
        before = text[: found.start()]
        line, column = before.count("\n") + 1, found.start() - (before.rfind("\n") + 1) + 1
        reason = f"the character U+{ord(found.group()):04X} is not allowed in YAML"
        raise _refused(file, line, column, reason)


class _StrictLoader(yaml.SafeLoader):
    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._nodes = 0
        self._aliases = 0
        self._depth = 0

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise _error(event.start_mark, f"more than {MAX_NODES} values")
        if isinstance(event, AliasEvent):
            self._aliases += 1
            if self._aliases > MAX_ALIASES:
                raise _error(event.start_mark, f"more than {MAX_ALIASES} aliases")
        elif getattr(event, "tag", None) is not None:
            raise _error(event.start_mark, f"tag {event.tag!r} is not allowed; write plain values")
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _error(event.start_mark, f"nested more than {MAX_DEPTH} levels deep")
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: dict[str, yaml.Mark] = {}
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                continue
            if not isinstance(key, ScalarNode) or key.tag != "tag:yaml.org,2002:str":
                raise _error(key.start_mark, f"key {_shown(key)} is not text; put it in quotes")
            if key.value in seen:
                first = seen[key.value].line + 1
                raise _error(
                    key.start_mark, f"duplicate key '{key.value}', first written in line {first}"
                )
            seen[key.value] = key.start_mark
        return super().construct_mapping(node, deep)


_StrictLoader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("int", r"^[-+]?(?:[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", list("-+0123456789")),
    (
        "float",
        r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$|^[-+]?\.(?:inf|Inf|INF)$"
        r"|^\.(?:nan|NaN|NAN)$",
        list("-+0123456789."),
    ),
    ("timestamp", r"^\d{4}-\d{1,2}-\d{1,2}(?:[Tt\s].*)?$", list("0123456789")),
    ("merge", r"^<<$", ["<"]),
):
    _StrictLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first)


def _construct_int(loader: _StrictLoader, node: ScalarNode) -> int:
    text = str(node.value)
    digits = text.lstrip("+-")
    if len(digits) > 1 and digits[0] == "0" and digits.isdigit():
        raise _error(
            node.start_mark,
            f"{text} has a leading zero; quote it if it is text, else drop the zero",
        )
    # Arrow, JSON readers and SQLite hold no longer ones; Python refuses to read very long ones.
    if len(digits) > 20 or not -(2**63) <= (value := int(text, 0)) < 2**63:
        raise _error(
            node.start_mark, f"{_cut(text)} needs more than 64 bits; quote it if it is text"
        )
    return value


def _construct_float(loader: _StrictLoader, node: ScalarNode) -> float:
    text = str(node.value).lower()
    value = float(text.replace(".inf", "inf").replace(".nan", "nan"))
    if not math.isfinite(value):
        raise _error(node.start_mark, f"{_cut(node.value)} is not a usable number")
    return value


def _construct_text(loader: _StrictLoader, node: ScalarNode) -> str:
    text = str(node.value)
    if "\0" in text:
        raise _error(node.start_mark, "a NUL character stands in this text")
    return text


def _construct_date(loader: _StrictLoader, node: ScalarNode) -> str:
    raise _error(
        node.start_mark, f'{node.value} looks like a date; write it in quotes: "{node.value}"'
    )


_StrictLoader.add_constructor("tag:yaml.org,2002:int", _construct_int)
_StrictLoader.add_constructor("tag:yaml.org,2002:float", _construct_float)
_StrictLoader.add_constructor("tag:yaml.org,2002:timestamp", _construct_date)
_StrictLoader.add_constructor("tag:yaml.org,2002:str", _construct_text)


class _Marker:
    """Notes where each value stands; counts visits, because aliases repeat what they name."""

    def __init__(self, file: str, document: Document) -> None:
        self._file = file
        self._document = document
        self._visits = 0

    def mark(self, node: Node, path: Path, parents: tuple[int, ...] = ()) -> None:
        self._visits += 1
        if self._visits > MAX_NODES:
            raise _error(node.start_mark, f"more than {MAX_NODES} values once aliases are expanded")
        if id(node) in parents:
            raise _error(node.start_mark, "an alias that contains itself")
        # The first place wins: what stands in the mapping itself, not what `<<` merges in.
        self._document.values.setdefault(path, _place(node, self._file))
        inner = (*parents, id(node))
        if isinstance(node, SequenceNode):
            for index, value in enumerate(node.value):
                self.mark(value, (*path, index), inner)
        elif isinstance(node, MappingNode):
            self._mark_mapping(node, path, inner)

    def _mark_mapping(self, node: MappingNode, path: Path, inner: tuple[int, ...]) -> None:
        merges: list[Node] = []
        for key, value in node.value:
            if not isinstance(key, ScalarNode):
                raise _error(key.start_mark, f"key {_shown(key)} is not text; put it in quotes")
            if key.tag == "tag:yaml.org,2002:merge":
                merges += value.value if isinstance(value, SequenceNode) else [value]
                continue
            self._document.keys.setdefault((*path, key.value), _place(key, self._file))
            self.mark(value, (*path, key.value), inner)
        for source in merges:
            self.mark(source, path, inner)


def _place(node: Node, file: str) -> Mark:
    return Mark(file, node.start_mark.line + 1, node.start_mark.column + 1)


def _shown(node: Node) -> str:
    return repr(node.value) if isinstance(node, ScalarNode) else "that is a list or mapping"


def _cut(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def _error(mark: Any, problem: str) -> ConstructorError:
    return ConstructorError(None, None, problem, mark)


def _from_yaml(error: yaml.YAMLError, file: str) -> RecipeError:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    if "'\\t'" in problem:
        problem = "a tab stands where YAML wants blanks; indent with blanks"
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    return _refused(file, line, column, problem)


def _refused(file: str, line: int, column: int, reason: str) -> RecipeError:
    return RecipeError([Fault(file, line, column, "", reason)])
