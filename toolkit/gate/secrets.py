"""Secrets in any byte that is to go out: those the recipe names, and those of a known shape."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolkit.gate.base import Finding, Policy
from toolkit.gate.outgoing import Chunk, Outgoing
from toolkit.gate.texts import matches
from toolkit.store.redact import looks_secret

__all__ = ["Secrets", "in_files"]

_QUICK: Final = (
    r"hf_[A-Za-z0-9]{16}|sk-[A-Za-z0-9_-]{16}|gsk_[A-Za-z0-9]{16}|gh[pousr]_[A-Za-z0-9]{20}"
    r"|github_pat_[A-Za-z0-9_]{20}|AIza[A-Za-z0-9_-]{20}|AKIA[A-Z0-9]{16}|xox[abpr]-[A-Za-z0-9-]{10}"
    r"|eyJ[A-Za-z0-9_-]{10}|[Bb]earer [A-Za-z0-9._~+/=-]{20}|://[^/\s:@]{1,64}:[^/\s@]{1,128}@"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
)
_TOKEN: Final = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]{1,9}[-_][A-Za-z0-9._-]{8,}|AIza\S+|AKIA\w+|eyJ\S+"
)
_OTHER: Final = re.compile(
    r"\bgsk_[A-Za-z0-9]{16,}|\b[Bb]earer +(?=[A-Za-z._~+/=-]*\d)[A-Za-z0-9._~+/=-]{20,}"
    r"|[a-z]://[^/\s:@]{1,64}:[^/\s@]{1,128}@|-----BEGIN [A-Z ]*PRIVATE KEY"
)
_RUN: Final = re.compile(r"[A-Za-z0-9]{16}")
_HINT: Final = "take it out, revoke it, and name an environment variable where it is needed"


class Secrets:
    """Refuses secrets in the values of Parquet files."""

    def __init__(self, outgoing: Outgoing, policy: Policy) -> None:
        known = [re.escape(secret) for secret in _known(policy)]
        self._quick = "|".join([*known, _QUICK])
        self._policy = policy
        self._found: dict[tuple[str, str], int] = {}

    def look(self, chunk: Chunk) -> None:
        """Search the texts of a row group."""
        for texts in chunk.texts:
            for row, text in matches(texts, self._quick):
                if _has_secret(text, self._policy):
                    self._found.setdefault((chunk.name, texts.column), chunk.start + row)

    def findings(self) -> Iterator[Finding]:
        """Yield the first row of each column; never the secret."""
        for (name, column), row in sorted(self._found.items()):
            yield Finding("secrets", name, f"a secret in row {row} of '{column}'", _HINT)


def in_files(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    """Refuse secrets in names, in files that are no tables, and in what Parquet footers say."""
    for name in outgoing.names:
        if _has_secret(name, policy):
            yield Finding("secrets", "", "the name of a file holds a secret", _HINT)
    for name in outgoing.regular:
        if name.endswith(".parquet"):
            continue
        text = outgoing.path(name).read_bytes().decode("utf-8", "replace")
        for number, line in enumerate(text.split("\n"), start=1):
            if _has_secret(line, policy):
                yield Finding("secrets", name, f"a secret in line {number}", _HINT)
                break
    for name in outgoing.parquet:
        if _has_secret(_footer(outgoing, name), policy):
            yield Finding("secrets", name, "a secret in the notes of its footer", _HINT)


def _footer(outgoing: Outgoing, name: str) -> str:
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(outgoing.path(name)).metadata or {}
    notes = {key: value for key, value in metadata.items() if key != b"ARROW:schema"}
    schema = str(outgoing.schemas[name])
    return "\n".join(
        [schema, *(str(part, "utf-8", "replace") for pair in notes.items() for part in pair)]
    )


def _known(policy: Policy) -> list[str]:
    return [secret for secret in policy.secrets if len(secret.strip()) >= 6]


def _has_secret(text: str, policy: Policy) -> bool:
    if any(secret in text for secret in _known(policy)):
        return True
    if _OTHER.search(text):
        return True
    return any(_is_token(found.group()) for found in _TOKEN.finditer(text))


def _is_token(text: str) -> bool:
    # `sk-br-3-cells` is a cell line: a key has a long run without a dash.
    return looks_secret(text) and (not text.startswith("sk-") or bool(_RUN.search(text)))
