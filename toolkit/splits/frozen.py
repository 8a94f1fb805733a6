"""Ids of an earlier release: they keep their split, and new items must not leak into them."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolkit.errors import SourceError
from toolkit.recipe.splits_section import Splits
from toolkit.splits.groups import Duplicates, Links

__all__ = ["Frozen", "FrozenReport", "Settled", "load_frozen", "settle"]

_SHOWN: Final = 20
_NAME: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Frozen:
    """The released splits.

    Attributes:
        file: file name without folders.
        splits: split of each released id.
    """

    file: str
    splits: Mapping[str, str]


def load_frozen(path: Path) -> Frozen:
    """Read released ids from a table with the columns ``item_id`` and ``split``.

    Args:
        path: ``.parquet``, ``.csv`` or ``.jsonl``; other columns are passed over.

    Raises:
        SourceError: the file is missing, damaged, of another kind or empty, lacks a column or
            a value, or puts one id into two splits; the message names file and row.
    """
    readers = {".parquet": _parquet, ".csv": _csv, ".jsonl": _jsonl}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise SourceError(
            f"{path}: released ids cannot be read from a '{path.suffix}' file",
            hint="write splits.frozen as .parquet, .csv or .jsonl",
        )
    splits: dict[str, str] = {}
    try:
        for line, item, split in reader(path):
            _add(path, line, item, split, splits)
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(
            f"{path}: the released ids cannot be read ({error})",
            hint="check the path under splits.frozen in the recipe",
        ) from error
    if not splits:
        raise SourceError(
            f"{path}: the file holds no released id", hint="remove splits.frozen or name its file"
        )
    return Frozen(path.name, dict(sorted(splits.items())))


def _add(path: Path, line: int, item: object, split: object, splits: dict[str, str]) -> None:
    ok = isinstance(item, str | int) and not isinstance(item, bool) and item != ""
    if not ok or not isinstance(split, str) or not _NAME.fullmatch(split):
        raise SourceError(
            f"{path}:{line}: an item_id and the name of a split are needed, "
            f"found {str(item)[:40]!r} and {str(split)[:40]!r}",
            hint="every row needs both columns, filled",
        )
    if splits.setdefault(str(item), split) != split:
        raise SourceError(
            f"{path}:{line}: '{item}' stands in '{splits[str(item)]}' and in '{split}'",
            hint="a released item has one split",
        )


def _parquet(path: Path) -> Iterator[tuple[int, Any, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = pq.read_schema(path).names
        _need(path, names)
        table = pq.read_table(
            path, columns=["item_id", "split"], page_checksum_verification=True, partitioning=None
        )
    except pa.ArrowInvalid as error:
        raise SourceError(
            f"{path}: the released ids are no readable Parquet ({error})",
            hint="write the file again",
        ) from error
    columns = (table["item_id"].to_pylist(), table["split"].to_pylist())
    for line, (item, split) in enumerate(zip(*columns, strict=True), 1):
        yield line, item, split


def _csv(path: Path) -> Iterator[tuple[int, Any, Any]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream, strict=True)
        line = 1
        try:
            _need(path, list(reader.fieldnames or []))
            line = reader.line_num + 1
            for row in reader:
                yield line, row["item_id"], row["split"]
                line = reader.line_num + 1
        except csv.Error as error:
            raise SourceError(
                f"{path}:{line}: the row is no valid CSV ({error})",
                hint="look for an unclosed quotation mark",
            ) from error


def _jsonl(path: Path) -> Iterator[tuple[int, Any, Any]]:
    with path.open(encoding="utf-8") as stream:
        for line, text in enumerate(stream, 1):
            if not text.strip():
                continue
            try:
                row = json.loads(text)
            except ValueError as error:
                raise SourceError(
                    f"{path}:{line}: the line is no JSON ({error})", hint="write one object a line"
                ) from error
            if not isinstance(row, dict):
                raise SourceError(
                    f"{path}:{line}: the line is no JSON object", hint="write one object a line"
                )
            yield line, row.get("item_id"), row.get("split")


def _need(path: Path, names: Sequence[str]) -> None:
    missing = sorted({"item_id", "split"} - set(names))
    if missing:
        raise SourceError(
            f"{path}:1: released ids need the column{'s' * (len(missing) > 1)} "
            f"{' and '.join(missing)}; found {', '.join(names[:8]) or 'none'}",
            hint="export item_id and split of the released data set",
        )


@dataclass(frozen=True, slots=True)
class FrozenReport:
    """What became of the released ids and of the new items next to them.

    Attributes:
        file: file of the released ids.
        pinned: released items of each split that are still in the corpus.
        missing: released ids that the corpus no longer holds, sorted.
        rejected: new items rejected for their nearness, by reason.
        joined: new items that were put beside a released item.
    """

    file: str
    pinned: dict[str, int]
    missing: tuple[str, ...]
    rejected: dict[str, int]
    joined: int

    def to_dict(self) -> dict[str, object]:
        """Return the report for JSON, with the first 20 missing ids."""
        return {
            "file": self.file,
            "pinned": self.pinned,
            "missing": len(self.missing),
            "missing_examples": list(self.missing[:_SHOWN]),
            "rejected": self.rejected,
            "joined": self.joined,
        }


@dataclass(frozen=True, slots=True)
class Settled:
    """What the released items decide about new ones, by position.

    Attributes:
        joined: split of new items that must go to that split.
        rejected: reason and detail of new items that may go to none.
    """

    joined: dict[int, str]
    rejected: dict[int, tuple[str, str]]


def settle(
    item_ids: Sequence[str],
    labels: Sequence[tuple[str, ...]],
    duplicates: Duplicates,
    pins: Mapping[int, str],
    params: Splits,
) -> Settled:
    """Decide about the new items that are next to released ones.

    A new near-duplicate of a released item is rejected (``duplicate_of_released``) or joins
    its split, as ``new_duplicates`` says. A new item of a released group joins the group's
    split. What would link two splits is rejected (``links_released_splits``), together with
    the new items that would have to stay with it.

    Args:
        item_ids: all ids of the corpus.
        labels: labels of :func:`toolkit.splits.groups.base_labels`.
        duplicates: near-duplicates among all items.
        pins: split of each released item, by position.
        params: the recipe's section.
    """
    new = [at for at in range(len(item_ids)) if at not in pins]
    near = _near(new, duplicates, pins)
    rejected: dict[int, tuple[str, str]] = {}
    for at, pinned in near.items():
        splits = {pins[other] for other in pinned}
        if len(splits) > 1 or params.new_duplicates == "reject":
            reason = "links_released_splits" if len(splits) > 1 else "duplicate_of_released"
            example = min(item_ids[other] for other in pinned)
            rejected[at] = (reason, f"near-duplicate of {example}, {' and '.join(sorted(splits))}")
    open_ = [at for at in new if at not in rejected]
    joined: dict[int, str] = {}
    released = _released_labels(labels, pins)
    for members in _together(open_, labels, duplicates, params):
        found = {pins[other] for at in members for other in near.get(at, ())}
        found |= {s for at in members for label in labels[at] for s in released.get(label, ())}
        if len(found) > 1:
            detail = f"its group is in {' and '.join(sorted(found))}"
            rejected.update((at, ("links_released_splits", detail)) for at in members)
        elif found:
            joined.update((at, next(iter(found))) for at in members)
    return Settled(joined, rejected)


def _near(
    new: Iterable[int], duplicates: Duplicates, pins: Mapping[int, str]
) -> dict[int, list[int]]:
    by_class = duplicates.neighbours(pins)
    near = ((at, by_class.get(duplicates.classes.find(at))) for at in new)
    return {at: pinned for at, pinned in near if pinned}


def _released_labels(
    labels: Sequence[tuple[str, ...]], pins: Mapping[int, str]
) -> dict[str, set[str]]:
    released: dict[str, set[str]] = {}
    for at, split in pins.items():
        for label in labels[at]:
            released.setdefault(label, set()).add(split)
    return released


def _together(
    items: list[int],
    labels: Sequence[tuple[str, ...]],
    duplicates: Duplicates,
    params: Splits,
) -> list[list[int]]:
    links = Links(len(labels))
    links.join_equal(labels, items)
    if params.keep_together == "near_duplicates":
        duplicates.link(links, items)
    return links.sets(items)
