"""What the gate is told, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from toolkit.recipe.publish_section import Rights

__all__ = ["BOARD_CONFIG", "GATE_FILE", "Finding", "Level", "Policy"]

Level = Literal["ids_only", "metadata", "full_text"]

BOARD_CONFIG: Final = "leaderboard"
"""The configuration that holds results, and no items."""

GATE_FILE: Final = "publish_gate.json"
"""Name of the gate's own file in a repository; the one file it cannot list itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The terms under which files may go out.

    Attributes:
        access: the strictest access of the sources: open, restricted or credentialed.
        redistribution: ``ids_only``, ``metadata`` or ``full_text``.
        pubmed: the records come from PubMed, under NLM's terms.
        configs: the splits of each configuration, the default configuration first; empty for a
            repository that is no dataset (a Space), where nothing of cards and Parquet is asked.
        rights: who answers for texts under other people's copyright and for what looks like
            personal data; None for nobody.
        sjr_rights: SCImago values may be published.
        hidden: split whose references must not go out; None for none.
        input: column with what models are shown, the only text of the hidden split.
        withdrawn: ids of items that were taken down; of a dataset ``withdrawn.json`` names them.
        secrets: values of the secrets that the recipe names; looked for, never printed.
    """

    access: str
    redistribution: str
    pubmed: bool
    configs: Mapping[str, tuple[str, ...]]
    rights: Rights | None = None
    sjr_rights: bool = False
    hidden: str | None = None
    input: str = "input"
    withdrawn: frozenset[str] = frozenset()
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def data(self) -> tuple[str, ...]:
        """The configurations that hold items."""
        return tuple(name for name in self.configs if name != BOARD_CONFIG)


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One reason why files may not go out.

    Attributes:
        check: name of the check that found it.
        path: the file, as it is called in the repository; empty for all of them.
        message: what is wrong, with the row and column where there is one.
        hint: what to do about it.
    """

    check: str
    path: str
    message: str
    hint: str

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return f"{where}{self.message}; {self.hint} [{self.check}]"
