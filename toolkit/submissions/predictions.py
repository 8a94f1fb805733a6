"""Read predictions: JSON Lines of ``item_id`` and ``output``, every fault at once."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from toolkit.store.canonical import canonical_json, text_digest
from toolkit.submissions.fault_list import FaultList, shown

__all__ = [
    "MAX_LINE",
    "Prediction",
    "by_prompt",
    "id_faults",
    "outputs_digest",
    "predictions_text",
    "read_predictions",
]

MAX_LINE: Final = 1 << 20
"""Most bytes of a line; longer ones are refused unread."""

_KEYS: Final = frozenset(("item_id", "output", "prompt", "reason"))
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_FOREIGN: Final = {
    b"\xff\xfe": "it is UTF-16; save it as UTF-8",
    b"\xfe\xff": "it is UTF-16; save it as UTF-8",
    b"\x1f\x8b": "it is compressed; unpack it first",
    b"PK": "it is a zip file, not JSON Lines",
}
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, order=True)
class Prediction:
    """What a model answered about an item.

    Attributes:
        prompt: the prompt mode.
        item_id: the item.
        output: the answer; None where there is none, which counts as failed.
        reason: why there is none; empty where there is one.
    """

    prompt: str
    item_id: str
    output: str | None
    reason: str = ""


def read_predictions(
    file: BinaryIO, prompts: Sequence[str], faults: FaultList, *, strict: bool = False
) -> list[Prediction]:
    """Read predictions.

    Args:
        file: JSON Lines in UTF-8: ``item_id``; ``output``, a text, or null beside a ``reason``;
            ``prompt`` where there are several prompts.
        prompts: the prompt modes; a line without one has the only one.
        faults: receives every fault.
        strict: other keys are faults; by default they are passed over.

    Returns:
        The good lines, sorted by prompt and item.
    """
    found: list[Prediction] = []
    lines: dict[tuple[str, str], int] = {}
    for number, line in _lines(file, faults):
        row = _row(line, number, faults, strict=strict)
        one = None if row is None else _prediction(row, number, prompts, faults)
        if one is None:
            continue
        first = lines.setdefault((one.prompt, one.item_id), number)
        if first != number:
            faults.add("duplicate ids", f"{shown(one.item_id)} in lines {first} and {number}")
            continue
        found.append(one)
    return sorted(found, key=lambda one: (one.prompt, one.item_id))


def _lines(file: BinaryIO, faults: FaultList) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        if number == 1:
            told = next((text for mark, text in _FOREIGN.items() if line.startswith(mark)), "")
            if told:
                faults.add("the file is no text in UTF-8", told)
                return
            line = line.removeprefix(_BOM)
        if len(line) > MAX_LINE:
            faults.add(f"lines of more than {MAX_LINE >> 20} MiB", f"line {number}")
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE)
            continue
        if line.strip():
            yield number, line


def _row(line: bytes, number: int, faults: FaultList, *, strict: bool) -> dict[str, Any] | None:
    try:
        row = json.loads(line.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        faults.add("lines that are not UTF-8", f"line {number}, byte {error.start + 1}")
        return None
    except (ValueError, RecursionError) as error:
        faults.add("lines that are not JSON", f"line {number}: {_brief(error)}")
        return None
    if not isinstance(row, dict):
        faults.add("lines that are not JSON objects", f"line {number}")
        return None
    extra = sorted(set(row) - _KEYS) if strict else []
    if extra:
        faults.add("lines with keys that no prediction has", f"line {number}: {shown(extra[0])}")
        return None
    return row


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        raise ValueError("a key stands twice")
    return row


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def _brief(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _prediction(
    row: Mapping[str, Any], number: int, prompts: Sequence[str], faults: FaultList
) -> Prediction | None:
    item_id = row.get("item_id")
    if isinstance(item_id, int) and not isinstance(item_id, bool):
        item_id = str(item_id)
    if not isinstance(item_id, str) or not item_id:
        faults.add("lines without an item_id", f"line {number}")
        return None
    prompt = row.get("prompt", prompts[0] if len(prompts) == 1 else None)
    if prompt not in prompts:
        kind = f"lines whose prompt is none of {', '.join(prompts)}"
        faults.add(kind, f"line {number}: {shown(str(prompt))}")
        return None
    output, reason = row.get("output"), row.get("reason", "")
    kind = _output_fault(row, output, reason)
    if kind:
        faults.add(kind, f"line {number}, item {shown(item_id)}")
        return None
    if _SURROGATE.search(f"{item_id}{output}{reason}"):
        faults.add("texts with half a character (a lone surrogate)", f"line {number}")
        return None
    return Prediction(prompt, item_id, output, reason)


def _output_fault(row: Mapping[str, Any], output: Any, reason: Any) -> str:
    if not isinstance(reason, str):
        return "reasons that are no text"
    if "output" not in row:
        return "lines without an output"
    if output is None:
        missing = not reason.strip()
        return "outputs of null without a reason (write why there is none)" if missing else ""
    if not isinstance(output, str):
        return "outputs that are no text"
    if not output.strip():
        return "empty outputs (write null and a reason; it then counts as failed)"
    return "reasons beside an output" if reason else ""


def by_prompt(predictions: Iterable[Prediction]) -> dict[str, list[Prediction]]:
    """Return the predictions of each prompt, in their order."""
    found: dict[str, list[Prediction]] = {}
    for one in predictions:
        found.setdefault(one.prompt, []).append(one)
    return found


def id_faults(
    predictions: Iterable[Prediction],
    prompts: Sequence[str],
    wanted: Collection[str],
    faults: FaultList,
) -> None:
    """Compare the ids of each prompt with those of the benchmark: each once, no other."""
    found = by_prompt(predictions)
    expected = set(wanted)
    for prompt in prompts:
        mine = {one.item_id for one in found.get(prompt, [])}
        of = f" of prompt {prompt}" if len(prompts) > 1 else ""
        for item in sorted(expected - mine):
            faults.add(f"missing ids{of}", shown(item))
        for item in sorted(mine - expected):
            faults.add(f"ids that the split does not have{of}", shown(item))


def predictions_text(predictions: Iterable[Prediction]) -> str:
    """Return predictions as the one text they have: canonical lines, by prompt and item."""
    rows = sorted(predictions, key=lambda one: (one.prompt, one.item_id))
    return "".join(canonical_json(_as_row(one)) + "\n" for one in rows)


def _as_row(one: Prediction) -> dict[str, Any]:
    row: dict[str, Any] = {"item_id": one.item_id, "output": one.output, "prompt": one.prompt}
    return {**row, "reason": one.reason} if one.reason else row


def outputs_digest(predictions: Iterable[Prediction]) -> str:
    """Return the sha256 of what was answered about which item, whatever the prompt is called."""
    return text_digest(
        canonical_json([one.item_id, one.output])
        for one in sorted(predictions, key=lambda one: one.item_id)
    )
