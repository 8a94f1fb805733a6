"""Find a released version: a folder, or a dataset of the Hub at a tag."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolkit.errors import MissingError, UserError
from toolkit.gate.records import WITHDRAWN_FILE
from toolkit.gate.report import GATE_FILE, read_gate
from toolkit.release.history import HISTORY_FILE, read_history, version_key
from toolkit.release.rebuild_rules import REBUILD_FILE, SectionRules, read_rules
from toolkit.release.shard_facts import shards_of
from toolkit.release.withdrawn import read_withdrawn
from toolkit.report.text import printable
from toolkit.store.canonical import file_digest

__all__ = ["Released", "find_release"]

_SPEC: Final = re.compile(
    r"(?P<dataset>[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(?:@(?P<revision>[\w.][\w./-]*))?", re.ASCII
)
_OTHER: Final = (
    "take the items from the source that the card names, with the benchmark's recipe; "
    "`content_sha256` of each row tells whether an item is the one the benchmark was made from"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A released version, as a folder.

    Attributes:
        name: how it was named.
        folder: where its files lie.
        version: its version; empty when it has none.
        config: the configuration that holds the items.
        splits: its splits in order.
        level: ``ids_only``, ``metadata`` or ``full_text``.
        rules: what makes ``input`` and ``conclusion`` of a record.
        withdrawn: ids taken down since, with the reason.
    """

    name: str
    folder: Path
    version: str
    config: str
    splits: tuple[str, ...]
    level: str
    rules: SectionRules
    withdrawn: Mapping[str, str]

    def shards(self, split: str) -> list[Path]:
        """Return the shards of a split in order."""
        return shards_of(self.folder, self.config, split)


def find_release(spec: str, scratch: Path) -> Released:
    """Return a release by name.

    Args:
        spec: a folder, or ``org/dataset`` with ``@`` and a tag; without one the newest.
        scratch: an existing folder that may be filled with what is downloaded.

    Raises:
        UserError: there is no such release, its files are not those the gate let pass, its
            texts are no PubMed records, or none are missing.
        RunError: the Hub cannot be reached.
    """
    if Path(spec).is_dir():
        return _read(spec, Path(spec), {})
    found = _SPEC.fullmatch(spec)
    if found is None:
        raise UserError(
            f"'{spec}' is no folder and no dataset of the Hub",
            hint="write org/dataset@v1.0, or the folder of a release",
        )
    taken_down = _download(found["dataset"], found["revision"], scratch)
    release = _read(spec, scratch, taken_down)
    _check_version(found["revision"], release)
    return release


def _check_version(revision: str | None, release: Released) -> None:
    asked = re.fullmatch(r"v?\d+(?:\.\d+)*", revision or "")
    if asked and release.version and version_key(asked.group()) != version_key(release.version):
        raise UserError(
            f"{release.name} holds version {release.version}",
            hint="tell the maintainers; a tag names one version",
        )


def _read(name: str, folder: Path, taken_down: Mapping[str, str]) -> Released:
    gate_file, rules_file = folder / GATE_FILE, folder / REBUILD_FILE
    if not gate_file.is_file():
        raise UserError(
            f"{name} is no release of this program: it has no {GATE_FILE}",
            hint="name a release made with toolkit publish",
        )
    if not rules_file.is_file():
        raise UserError(f"{name} leaves no text out", hint="load it with datasets.load_dataset")
    gated = read_gate(gate_file.read_text(encoding="utf-8"))["files"]
    data, rules = read_rules(rules_file.read_text(encoding="utf-8"))
    if rules is None:
        raise UserError(
            f"the items of {name} are no PubMed records (their source: "
            f"{printable(str(data['source']))[:40]})",
            hint=_OTHER,
        )
    splits = tuple(str(split) for split in data["splits"])
    shards = [path for split in splits for path in shards_of(folder, data["config"], split)]
    notes = [folder / file for file in (REBUILD_FILE, HISTORY_FILE, WITHDRAWN_FILE)]
    _check_files(folder, [path for path in notes if path.is_file()] + shards, gated)
    _check_columns(name, shards)
    history = read_history(_text(folder / HISTORY_FILE))
    own = {item.item_id: item.reason for item in read_withdrawn(_text(folder / WITHDRAWN_FILE))}
    return Released(
        name=name,
        folder=folder,
        version=history[-1].version if history else "",
        config=data["config"],
        splits=splits,
        level=str(data["level"]),
        rules=rules,
        withdrawn={**own, **taken_down},
    )


def _check_files(folder: Path, paths: Sequence[Path], gated: Mapping[str, Any]) -> None:
    wrong = [
        path.relative_to(folder).as_posix()
        for path in paths
        if path.is_symlink() or gated.get(path.relative_to(folder).as_posix()) != file_digest(path)
    ]
    if wrong:
        raise UserError(
            f"files are not those that the release's gate let pass: {', '.join(wrong)}",
            hint="take the release from the Hub again; if it is so there, tell the maintainers",
        )


def _check_columns(name: str, shards: Sequence[Path]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for path in shards:
        try:
            schema = pq.read_schema(path)
        except (pa.ArrowException, OSError):
            schema = pa.schema([])
        for column in ("item_id", "input_sha256", "conclusion_sha256"):
            if column not in schema.names or schema.field(column).type != pa.string():
                raise UserError(
                    f"{name}: {path.name} has no column '{column}' of text",
                    hint="tell the maintainers: without it nothing can be rebuilt",
                )


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def _download(dataset: str, revision: str | None, scratch: Path) -> dict[str, str]:
    """Fetch what a rebuild reads; return what was taken down since, by id."""
    from toolkit.hub.failures import NotThere, translated

    try:
        import huggingface_hub
    except ImportError as error:
        raise MissingError(
            "reading from the Hub needs huggingface_hub",
            hint="pip install 'leaderboard-toolkit[hub]'",
        ) from error
    what = f"{dataset} at {revision}" if revision else dataset
    names = [GATE_FILE, REBUILD_FILE, HISTORY_FILE, WITHDRAWN_FILE, "*/*.parquet"]
    with translated(f"reading {what}"):
        huggingface_hub.snapshot_download(
            dataset,
            repo_type="dataset",
            revision=revision,
            local_dir=scratch,
            allow_patterns=names,
            ignore_patterns=["leaderboard/*", "results/*"],
        )
    # Whatever was asked for, what was taken down later is not brought back.
    newest = scratch / "newest"
    try:
        with translated(f"reading what was taken down of {dataset}"):
            path = huggingface_hub.hf_hub_download(
                dataset, WITHDRAWN_FILE, repo_type="dataset", local_dir=newest
            )
    except NotThere:
        return {}
    items = read_withdrawn(Path(path).read_text(encoding="utf-8"))
    return {item.item_id: item.reason for item in items}
