"""A recipe that has been checked: frozen, complete, with absolute paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolkit.recipe import sections
from toolkit.recipe.human_section import Human
from toolkit.recipe.publish_section import Publish
from toolkit.recipe.splits_section import Splits

__all__ = ["Recipe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A whole recipe.

    Attributes:
        name: short name; run folders start with it.
        file: the YAML file.
        data: the resolved recipe as JSON (``extends`` and ``--set`` applied, paths as
            written), for the run's folder.
        limit: most items asked in each ``generate``, from ``--limit``; None for all.
        trust_local: functions of the user's own may be run, from ``--trust-local``.
        secret_names: environment variables that hold secrets.
        judge_items: items whose answers a judge looks at, by judge, set by a review: all of them
            where a judge is not named, and a judge of no items does not judge.
    """

    name: str
    file: Path
    title: str
    description: str = ""
    version: str = ""
    seed: int = 0
    corpus: sections.Corpus
    splits: Splits | None = None
    perturb: sections.Perturb | None = None
    prompts: Mapping[str, sections.Prompt] = field(default_factory=dict)
    models: Mapping[str, sections.Model] = field(default_factory=dict)
    generate: tuple[sections.Generate, ...] = ()
    judges: Mapping[str, sections.Judge] = field(default_factory=dict)
    metrics: tuple[sections.Metric, ...] = ()
    analyses: tuple[sections.Analysis, ...] = ()
    human: Human | None = None
    validation: Mapping[str, sections.Validation] = field(default_factory=dict)
    execution: sections.Execution = field(default_factory=sections.Execution)
    publish: Publish | None = None
    limit: int | None = None
    trust_local: bool = False
    secret_names: tuple[str, ...] = ()
    judge_items: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The folder the recipe stands in."""
        return self.file.parent

    @property
    def reference(self) -> str:
        """The column that holds reference texts."""
        if self.corpus.reference is not None:
            return self.corpus.reference
        # PubMed sources make this column; check refuses other sources without a reference.
        return "conclusion"
