"""The card and the files it describes: every count and column must be that of the files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from toolkit.errors import UserError
from toolkit.gate.base import Finding, Policy
from toolkit.gate.column_types import features
from toolkit.gate.front_matter import faults, parse_card
from toolkit.gate.outgoing import CARD, Outgoing

__all__ = ["check"]

_AGAIN = "make the card anew from the files: run the recipe again, then publish"


def check(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    """Compare the front matter with its schema, with the policy and with the files.

    Without ``configs``, ``datasets`` guesses splits from file names: two folders are merged, and
    ``eval.yaml`` is taken for a test split. Where features are stale, columns are filled with
    null in silence or not loaded at all; where counts are, nothing loads (datasets 5.2.0).
    """
    if not policy.configs or CARD not in outgoing.regular:
        return
    try:
        front = parse_card(outgoing.card)
    except UserError as error:
        yield Finding("card", CARD, error.message, error.hint or _AGAIN)
        return
    wrong = faults(front)
    yield from (Finding("card", CARD, fault, _AGAIN) for fault in wrong)
    if wrong:
        return
    stated = {
        config["config_name"]: tuple(files["split"] for files in config["data_files"])
        for config in front["configs"]
    }
    for name in sorted(stated.keys() | policy.configs.keys()):
        if stated.get(name) != policy.configs.get(name):
            message = (
                f"the card gives '{name}' the splits {_listed(stated.get(name))}, and the release "
                f"{_listed(policy.configs.get(name))}"
            )
            yield Finding("card", CARD, message, _AGAIN)
    for config, info in zip(front["configs"], front["dataset_info"], strict=True):
        yield from _config(outgoing, config, info)


def _listed(splits: Sequence[str] | None) -> str:
    return ", ".join(splits) if splits else "(none)"


def _config(
    outgoing: Outgoing, config: Mapping[str, Any], info: Mapping[str, Any]
) -> Iterator[Finding]:
    import pyarrow.parquet as pq

    size = 0
    for entry, split in zip(config["data_files"], info["splits"], strict=True):
        where = f"{config['config_name']}, split {split['name']}"
        mine = [name for name in outgoing.parquet if fnmatchcase(name, entry["path"])]
        if not mine:
            yield Finding("card", CARD, f"{where}: no file is called {entry['path']}", _AGAIN)
            continue
        rows = sum(pq.read_metadata(outgoing.path(name)).num_rows for name in mine)
        if rows != split["num_examples"]:
            message = f"{where}: {rows} rows, and the card says {split['num_examples']}"
            yield Finding("card", CARD, message, _AGAIN)
        size += sum(outgoing.path(name).stat().st_size for name in mine)
        for name in mine:
            yield from _columns(outgoing, name, info["features"])
    if size != info["download_size"]:
        message = f"{config['config_name']}: {size} bytes, and the card says "
        yield Finding("card", CARD, f"{message}{info['download_size']}", _AGAIN)


def _columns(
    outgoing: Outgoing, name: str, columns: Sequence[Mapping[str, Any]]
) -> Iterator[Finding]:
    mine = {feature["name"]: feature for feature in features(outgoing.schemas[name])}
    theirs = {column["name"]: column for column in columns}
    for column in sorted(mine.keys() | theirs.keys()):
        if column not in theirs:
            yield Finding("card", name, f"the column '{column}' is not in the card", _AGAIN)
        elif column not in mine:
            message = f"the column '{column}' of the card is missing"
            yield Finding("card", name, message, _AGAIN)
        elif mine[column] != theirs[column]:
            message = f"the column '{column}' has another type than the card says"
            yield Finding("card", name, message, _AGAIN)
