"""Check a file against its JSON Schema, with every fault at once."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from toolkit.errors import UserError

__all__ = ["check_shape", "parse"]

_MOST_FAULTS: Final = 10
_MOST_BYTES: Final = 5_000_000


def parse(text: str, where: str) -> Any:
    """Parse strict JSON: no NaN, no key twice.

    Raises:
        UserError: it is none.
    """
    if len(text) > _MOST_BYTES:
        raise UserError(
            f"{where}: {len(text):,} characters are no record", hint="see docs/board.md"
        )
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where}: not JSON: {error}", hint="records are never edited") from error


def check_shape(kind: str, data: Any, where: str) -> None:
    """Check a value against ``<kind>.schema.json`` beside this module.

    Raises:
        UserError: it does not fit; all faults are listed.
    """
    faults = sorted(
        f"{'.'.join(map(str, error.absolute_path)) or 'the whole'}: {error.message[:200]}"
        for error in _validator(kind).iter_errors(data)
    )
    if faults:
        more = [f"and {len(faults) - _MOST_FAULTS} more"] if len(faults) > _MOST_FAULTS else []
        raise UserError(
            "\n  ".join([f"{where}: not a {kind}", *faults[:_MOST_FAULTS], *more]),
            hint=f"the shape is toolkit/results/{kind}.schema.json",
        )


@cache
def _validator(kind: str) -> Any:
    from jsonschema import Draft202012Validator

    file = Path(__file__).with_name(f"{kind}.schema.json")
    return Draft202012Validator(json.loads(file.read_text(encoding="utf-8")))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
