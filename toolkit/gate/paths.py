"""Names that are safe on any machine, and nothing but plain files of kinds we make."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from toolkit.gate.base import GATE_FILE, Finding, Policy
from toolkit.gate.outgoing import Outgoing
from toolkit.report.text import printable

__all__ = ["check"]

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
_LONGEST: Final = 200
_DATASET: Final = re.compile(
    r"README\.md|card\.json|croissant\.json|eval\.yaml|rebuild\.json|releases\.json|withdrawn\.json"
    r"|results/[^/]+/[^/]+/[^/]+\.(?:json|jsonl)|\w+/[^/]+\.parquet"
)
_SPACE: Final = re.compile(r".*\.(?:css|html|js|json|jsonl|md|png|svg|txt)")
_TWICE: Final = "rename one: disks that ignore case keep one of the two only"


def check(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    """Refuse names that mean something elsewhere, links, and files this program does not make.

    The Hub's client itself lets backslashes, doubled slashes and right-to-left marks through,
    and follows symbolic links (huggingface_hub 2.4.0).
    """
    folded = Counter(name.casefold() for name in outgoing.names)
    for name in outgoing.names:
        shown = printable(name)
        found = _name_fault(name) or _file_fault(outgoing, name) or _kind_fault(name, policy)
        if found:
            yield Finding("paths", shown, *found)
        elif folded[name.casefold()] > 1:
            yield Finding("paths", shown, "another file has this name but for its case", _TWICE)
    if policy.configs and "README.md" not in outgoing.names:
        yield Finding("paths", "README.md", "the card is missing", "make the release again")


def _name_fault(name: str) -> tuple[str, str] | None:
    if name == GATE_FILE:
        return "the gate's own file", "leave it out of what is checked"
    if any(part.startswith(".") for part in name.split("/")):
        return "a hidden file, or a way out of the folder", "take it out; it may hold secrets"
    if not _NAME.fullmatch(name):
        hint = "rename it: A-Z, a-z, 0-9, dot, dash and underscore, with / between folders"
        return "a name that is not safe on every machine", hint
    if len(name) > _LONGEST:
        return f"a name of {len(name)} characters; {_LONGEST} are safe", "shorten it"
    return None


def _file_fault(outgoing: Outgoing, name: str) -> tuple[str, str] | None:
    path = outgoing.path(name)
    parts = name.split("/")
    steps = (outgoing.folder.joinpath(*parts[: end + 1]) for end in range(len(parts)))
    if any(step.is_symlink() for step in steps):
        return "a symbolic link, which can bring in any file", "put the file itself there"
    if not path.exists():
        return "the file is not there", "make the release again"
    if not path.is_file():
        return "no plain file", "take it out"
    return None


def _kind_fault(name: str, policy: Policy) -> tuple[str, str] | None:
    if policy.configs:
        if _DATASET.fullmatch(name):
            return None
        return "no file that a release is made of", "take it out of what is published"
    if _SPACE.fullmatch(name):
        return None
    return "no kind of file that a Space is made of", "take it out of what is published"
