"""What the gate is told, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from toolkit.recipe.publish_section import Rights

__all__ = ["Access", "Finding", "Level", "Policy"]

Access = Literal["open", "restricted", "credentialed"]
Level = Literal["ids_only", "metadata", "full_text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The terms under which files may go out.

    Attributes:
        access: the strictest access of the sources: open, restricted or credentialed.
        redistribution: ``ids_only``, ``metadata`` or ``full_text``.
        pubmed: the records come from PubMed, under NLM's terms.
        configs: the splits of each configuration, the default configuration first.
        rights: who answers for texts under other people's copyright; None for nobody.
        sjr_rights: SCImago values may be published.
        secrets: values of the secrets that the recipe names; looked for, never printed.
    """

    access: str
    redistribution: str
    pubmed: bool
    configs: Mapping[str, tuple[str, ...]]
    rights: Rights | None = None
    sjr_rights: bool = False
    secrets: tuple[str, ...] = field(default=(), repr=False)


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
