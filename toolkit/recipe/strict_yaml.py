"""Load YAML without its surprises, and remember where each value stands.

YAML 1.2 core scalars only: ``no`` and ``12:30:00`` are strings, ``1e-5`` is a number,
``0755`` and unquoted dates are refused with their line because no reading of them is safe.
Duplicate keys, tags, alias bombs, tabs, NaN, infinities and deep nesting are refused.
"""

from __future__ import annotations

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
    loader = _StrictLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return Document(None)
        document = Document(None)
        _mark(node, (), file, document, ())
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
    return int(text, 0)


def _construct_float(loader: _StrictLoader, node: ScalarNode) -> float:
    value = float(str(node.value).replace(".inf", "inf").replace(".nan", "nan").lower())
    if value != value or value in (float("inf"), float("-inf")):
        raise _error(node.start_mark, f"{node.value} is not a usable number")
    return value


def _construct_date(loader: _StrictLoader, node: ScalarNode) -> str:
    raise _error(
        node.start_mark, f'{node.value} looks like a date; write it in quotes: "{node.value}"'
    )


_StrictLoader.add_constructor("tag:yaml.org,2002:int", _construct_int)
_StrictLoader.add_constructor("tag:yaml.org,2002:float", _construct_float)
_StrictLoader.add_constructor("tag:yaml.org,2002:timestamp", _construct_date)


def _mark(node: Node, path: Path, file: str, document: Document, parents: tuple[int, ...]) -> None:
    if id(node) in parents:
        raise _error(node.start_mark, "an alias that contains itself")
    # The first place wins: what stands in the mapping itself, not what `<<` merges in.
    document.values.setdefault(path, _place(node, file))
    inner = (*parents, id(node))
    if isinstance(node, SequenceNode):
        for index, value in enumerate(node.value):
            _mark(value, (*path, index), file, document, inner)
    elif isinstance(node, MappingNode):
        merges = []
        for key, value in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                merges.append(value)
                continue
            document.keys.setdefault((*path, key.value), _place(key, file))
            _mark(value, (*path, key.value), file, document, inner)
        for value in merges:
            sources = value.value if isinstance(value, SequenceNode) else [value]
            for source in sources:
                _mark(source, path, file, document, inner)
    if len(document.values) > MAX_NODES:
        raise _error(node.start_mark, f"more than {MAX_NODES} values once aliases are expanded")


def _place(node: Node, file: str) -> Mark:
    return Mark(file, node.start_mark.line + 1, node.start_mark.column + 1)


def _shown(node: Node) -> str:
    return repr(node.value) if isinstance(node, ScalarNode) else "that is a list or mapping"


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
