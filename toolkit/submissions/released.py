"""The items of a release: its folder holds the ids, and says which version they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from toolkit.errors import UserError, suggest
from toolkit.release.history import (
    HISTORY_FILE,
    Version,
    ids_digest,
    read_history,
    version_key,
)
from toolkit.store.parquet import read_parquet
from toolkit.submissions.benchmark import Benchmark

__all__ = ["released_benchmark", "split_pattern", "version_of"]


def released_benchmark(
    folder: Path, split: str, *, name: str = "", version: str | None = None
) -> Benchmark:
    """Return a split of a release.

    Args:
        folder: a dataset repository as a folder.
        split: name of the split.
        name: name of the benchmark; the title of its card by default.
        version: the version that was asked for; the newest by default.

    Raises:
        UserError: the folder is no release, has no such version or split, or its ids are not
            those that its history names.
    """
    card = _text(folder, "README.md")
    released = version_of(_text(folder, HISTORY_FILE), version, str(folder))
    pattern = split_pattern(card, split, str(folder))
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.parquet"))
    ids = _ids(folder, [name for name in names if fnmatchcase(name, pattern)])
    stated = released.splits.get(split)
    if stated is None or (stated.rows, stated.ids_digest) != (len(ids), ids_digest(ids)):
        raise UserError(
            f"{folder}: the ids of '{split}' are not those of version {released.version} in "
            f"{HISTORY_FILE}",
            hint="download the release again, at the tag of one version",
        )
    return Benchmark(
        name=name or str(_front(card, str(folder)).get("pretty_name", folder.name)),
        version=released.version,
        split=split,
        item_ids=tuple(ids),
        data_digest=released.data_digest,
    )


def version_of(history: str, version: str | None, where: str) -> Version:
    """Return a version of ``releases.json``, the newest by default.

    Raises:
        UserError: there is no such version, or none at all.
    """
    versions = read_history(history)
    if not versions:
        raise UserError(
            f"{where}: {HISTORY_FILE} names no version", hint="name a published release"
        )
    if version is None:
        return versions[-1]
    found = versions[-1]
    # The data beside the history are those of its newest version.
    if version_key(found.version) != version_key(version):
        raise UserError(
            f"{where}: it holds version {versions[-1].version}, not {version}",
            hint=suggest(version, [one.version for one in versions]),
        )
    return found


def split_pattern(card: str, split: str, where: str) -> str:
    """Return the pattern of the files of a split, from the front matter of a card.

    Raises:
        UserError: the card names no such split.
    """
    splits: dict[str, str] = {}
    for config in _front(card, where).get("configs") or []:
        if not isinstance(config, dict) or config.get("config_name") == "leaderboard":
            continue
        for entry in config.get("data_files") or []:
            if isinstance(entry, dict) and isinstance(entry.get("path"), str):
                splits.setdefault(str(entry.get("split")), entry["path"])
    if split not in splits:
        raise UserError(f"{where}: no split '{split}'", hint=suggest(split, sorted(splits)))
    return splits[split]


def _front(card: str, where: str) -> Mapping[str, Any]:
    from toolkit.gate.front_matter import parse_card

    try:
        front: Mapping[str, Any] = parse_card(card)
    except UserError as error:
        raise UserError(
            f"{where}: its README.md has no front matter that can be read: {error.message}",
            hint="name the folder of a release",
        ) from error
    return front


def _text(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"{folder} is no published release: {name} cannot be read",
            hint="name a recipe, the folder of a release, or org/dataset@v1.0",
        ) from error


def _ids(folder: Path, names: Sequence[str]) -> list[str]:
    import pyarrow as pa

    found: list[str] = []
    for name in names:
        try:
            found += read_parquet(folder / name, ["item_id"])["item_id"].to_pylist()
        except (pa.ArrowException, OSError, KeyError) as error:
            raise UserError(
                f"{folder / name}: the ids cannot be read: {error}",
                hint="download the release again",
            ) from error
    return found
