"""Check that a folder is exactly the dataset repository its card describes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.errors import UserError
from toolkit.release.column_types import features
from toolkit.release.front_matter import faults, parse_card
from toolkit.release.shards import GROUP_ROWS

if TYPE_CHECKING:
    import pyarrow.parquet as pq

__all__ = ["check_folder", "folder_faults"]


def check_folder(folder: Path) -> list[str]:
    """Check a release folder by its card and the footers of its Parquet files.

    Args:
        folder: the folder; only names, ``README.md`` and footers are read.

    Returns:
        The relative POSIX names of its files, sorted.

    Raises:
        UserError: the folder is not what its card says; every fault is listed.
    """
    names = _names(folder)
    found = folder_faults(folder, names)
    if found:
        raise UserError(
            f"{folder} is not a dataset repository as its card describes it:\n"
            + "\n".join(f"  {fault}" for fault in found),
            hint="make the release again: toolkit run RECIPE",
        )
    return names


def folder_faults(folder: Path, names: Sequence[str]) -> list[str]:
    """Return what is wrong with a folder whose files are ``names``.

    Raises:
        UserError: the card has no front matter at all.
    """
    links = [f"{name}: a symbolic link" for name in names if (folder / name).is_symlink()]
    if "README.md" not in names:
        return [*links, "README.md is missing"]
    front = parse_card((folder / "README.md").read_text(encoding="utf-8"))
    found = links + [f"README.md: {fault}" for fault in faults(front)]
    if found:
        return found
    claimed = {"README.md"}
    for config, info in zip(front["configs"], front["dataset_info"], strict=True):
        claimed |= _config_faults(folder, names, config, info, found)
    found += [f"{name}: no configuration claims it" for name in names if name not in claimed]
    return found


def _names(folder: Path) -> list[str]:
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder", hint="name the folder of a release")
    files = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(path.relative_to(folder).as_posix() for path in files)


def _config_faults(
    folder: Path,
    names: Sequence[str],
    config: Mapping[str, Any],
    info: Mapping[str, Any],
    found: list[str],
) -> set[str]:
    """Add a configuration's faults to ``found``; return the names it claims."""
    claimed: set[str] = set()
    size = 0
    for entry, split in zip(config["data_files"], info["splits"], strict=True):
        mine = [name for name in names if fnmatchcase(name, entry["path"])]
        where = f"{config['config_name']}, split {split['name']}"
        if not mine:
            found.append(f"{where}: no file is called {entry['path']}")
        stem = f"{config['config_name']}/{split['name']}"
        expected = [f"{stem}-{i:05d}-of-{len(mine):05d}.parquet" for i in range(len(mine))]
        if mine != expected:
            found.append(f"{where}: the shards are not numbered 00000 to {len(mine) - 1:05d}")
        rows = sum(_file_rows(folder, name, info["features"], found) for name in mine)
        if rows != split["num_examples"]:
            found.append(f"{where}: {rows} rows, and the card says {split['num_examples']}")
        size += sum((folder / name).stat().st_size for name in mine)
        claimed |= set(mine)
    if size != info["download_size"]:
        found.append(
            f"{config['config_name']}: {size} bytes, and the card says {info['download_size']}"
        )
    return claimed


def _file_rows(
    folder: Path, name: str, columns: Sequence[Mapping[str, Any]], found: list[str]
) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(folder / name) as file:
            found += [f"{name}: {fault}" for fault in _file_faults(file, columns)]
            return int(file.metadata.num_rows)
    except (pa.ArrowException, OSError) as error:
        found.append(f"{name}: not a Parquet file: {error}")
        return 0


def _file_faults(file: pq.ParquetFile, columns: Sequence[Mapping[str, Any]]) -> list[str]:
    found = []
    metadata = file.metadata
    if metadata.num_rows == 0:
        found.append("no rows; such a file breaks the loading of its whole configuration")
    groups = [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)]
    if max(groups, default=0) > GROUP_ROWS:
        found.append(f"a row group of {max(groups)} rows; at most {GROUP_ROWS} can be browsed")
    mine = {feature["name"]: feature for feature in features(file.schema_arrow)}
    theirs = {column["name"]: column for column in columns}
    for column in sorted(mine.keys() | theirs.keys()):
        if column not in theirs:
            found.append(f"the column '{column}' is not in the card")
        elif column not in mine:
            found.append(f"the column '{column}' of the card is missing")
        elif mine[column] != theirs[column]:
            found.append(f"the column '{column}' has another type than the card says")
    return found
