"""A bundle: predictions and their manifest, written and read back."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from toolkit.submissions.archive import (
    MANIFEST,
    PREDICTIONS,
    UNREADABLE,
    open_member,
    read_member,
    write_members,
)
from toolkit.submissions.fault_list import FaultList
from toolkit.submissions.manifest import FileRef, Manifest, manifest_text, read_manifest
from toolkit.submissions.predictions import (
    Prediction,
    by_prompt,
    predictions_text,
    read_predictions,
)

__all__ = ["Bundle", "file_ref", "read_bundle", "write_bundle"]


@dataclass(frozen=True, slots=True)
class Bundle:
    """What somebody handed in.

    Attributes:
        manifest: everything but the answers.
        predictions: the answers, by prompt and item.
    """

    manifest: Manifest
    predictions: tuple[Prediction, ...]

    @property
    def bundle_id(self) -> str:
        """The sha256 of all it says (64 hex digits)."""
        return self.manifest.bundle_id


def file_ref(text: str) -> FileRef:
    """Return what a manifest says of a file."""
    data = text.encode("utf-8")
    return FileRef(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))


def write_bundle(bundle: Bundle, out: Path) -> None:
    """Write a bundle as a zip file or a folder.

    Raises:
        UserError: something that is no bundle is there already.
    """
    members = {
        MANIFEST: manifest_text(bundle.manifest),
        PREDICTIONS: predictions_text(bundle.predictions),
    }
    write_members(out, members)


def read_bundle(path: Path) -> tuple[Bundle | None, list[str]]:
    """Read a bundle that anybody may have made.

    Returns:
        The bundle, None where it has faults; and every fault.
    """
    faults = FaultList()
    text = read_member(path, MANIFEST, faults)
    if text is None:
        return None, faults.lines()
    try:
        manifest = read_manifest(text.decode("utf-8"), faults)
    except UnicodeDecodeError:
        faults.add("manifest.json is not UTF-8")
        return None, faults.lines()
    if manifest is None:
        return None, faults.lines()
    predictions = _predictions(path, manifest, faults)
    if faults:
        return None, faults.lines()
    return Bundle(manifest, tuple(predictions)), []


def _predictions(path: Path, manifest: Manifest, faults: FaultList) -> list[Prediction]:
    found: list[Prediction] = []
    stated = manifest.files.get(PREDICTIONS)
    if stated is None or len(manifest.files) != 1:
        faults.add(f"manifest.json does not list {PREDICTIONS} alone")
        return found
    digest = hashlib.sha256()
    try:
        with open_member(path, PREDICTIONS, faults) as file:
            if file is None:
                return found
            hashed = cast(BinaryIO, _Hashed(file, digest))
            found = read_predictions(hashed, list(manifest.prompts), faults, strict=True)
    except (*UNREADABLE, OSError) as error:
        faults.add(f"{PREDICTIONS} cannot be read", str(error))
        return found
    if faults:
        return found
    if digest.hexdigest() != stated.sha256:
        faults.add(f"{PREDICTIONS} is not the file that the manifest names: its sha256 differs")
    elif file_ref(predictions_text(found)) != stated:
        faults.add(f"{PREDICTIONS} was not written by `toolkit submit`: its order or form differs")
    _count_faults(found, manifest, faults)
    return found


def _count_faults(found: list[Prediction], manifest: Manifest, faults: FaultList) -> None:
    mine = by_prompt(found)
    for prompt, stated in sorted(manifest.prompts.items()):
        rows = mine.get(prompt, [])
        failed = sum(one.output is None for one in rows)
        if (len(rows), failed) != (stated.answers, stated.failed):
            faults.add(
                "counts of the manifest that are not those of the answers",
                f"prompt {prompt}: {stated.answers} answers, {stated.failed} failed, and there are "
                f"{len(rows)} and {failed}",
            )


class _Hashed:
    """A file that is hashed as it is read."""

    def __init__(self, file: IO[bytes], digest: hashlib._Hash) -> None:
        self._file = file
        self._digest = digest

    def readline(self, size: int = -1) -> bytes:
        """Read a line, or ``size`` bytes of it."""
        line = self._file.readline(size)
        self._digest.update(line)
        return line
