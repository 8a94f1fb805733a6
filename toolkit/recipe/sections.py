"""The sections of a recipe as frozen dataclasses.

Members (a source, a model, a judge, a metric, an analysis) carry their own parameters in
``params``: an instance of the dataclass of the member that ``source``, ``provider``, ``type``
or the name tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from toolkit.recipe.attestation import Attestation

__all__ = [
    "Access",
    "Analysis",
    "Corpus",
    "Execution",
    "Generate",
    "Join",
    "Journals",
    "Judge",
    "Measurements",
    "Metric",
    "Model",
    "Perturb",
    "Prompt",
    "Removal",
    "Shots",
    "Substitution",
    "Validation",
]

Access = Literal["open", "restricted", "credentialed"]


def _key(about: str, **more: Any) -> dict[str, Any]:
    return {"about": about, **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class Journals:
    """Journal metadata joined by ISSN, then by title."""

    sjr: tuple[str, ...] = field(
        metadata=_key("SCImago journal files, one a year", path=True, scalar=True)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """Columns of a second table, added to each item by a shared key."""

    file: str = field(metadata=_key("CSV, JSONL or Parquet file", path=True))
    on: str = field(metadata=_key("column that both tables have"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Where the items come from; the source's own keys stand beside these."""

    source: str = field(metadata=_key("kind of source"))
    access: Access = field(metadata=_key("who may see the texts; everything derived inherits it"))
    reference: str | None = field(
        default=None, metadata=_key("column that holds the reference text; a prompt may differ")
    )
    input: str = field(
        default="input",
        metadata=_key("column with what models are shown; some metrics read it"),
    )
    journals: Journals | None = field(default=None, metadata=_key("journal metadata to join"))
    join: tuple[Join, ...] = field(default=(), metadata=_key("further tables to join"))
    attested: tuple[Attestation, ...] = field(
        default=(),
        metadata=_key("servers that credentialed texts may be sent to, and who answers for it"),
    )
    params: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Substitution:
    """Replace terms by terms of a dictionary that change the meaning."""

    levels: Mapping[str, tuple[int, int]] = field(
        metadata=_key("categories and terms a category, by level")
    )
    balance: Literal["least_used", "random"] = field(
        default="least_used", metadata=_key("which eligible term and alternative is taken")
    )
    occurrences: Literal["all", "first"] = field(
        default="all", metadata=_key("which occurrences of a term are replaced")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """Remove the points that hold the most keywords; of a single point, sentences."""

    levels: Mapping[str, int] = field(metadata=_key("most points removed, by level"))
    keep: int = field(default=1, metadata=_key("points always kept", minimum=1))
    keywords: str | None = field(
        default=None,
        metadata=_key("table of keywords; the terms of the dictionary by default", path=True),
    )
    keywords_by: str | None = field(
        default=None, metadata=_key("column of items and keywords: each value has its own list")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurements:
    """How sizes in mm and cm are altered when their category is drawn."""

    probability: float = field(
        default=0.5, metadata=_key("share of sizes altered", minimum=0, maximum=1)
    )
    factor: tuple[float, float] = field(
        default=(0.3, 3.0), metadata=_key("range of the uniform factor on the value")
    )
    minimum_change: float = field(
        default=0.2, metadata=_key("smaller relative changes are drawn again", minimum=0, maximum=1)
    )
    unit_change: float = field(
        default=0.25, metadata=_key("share of them whose unit changes", minimum=0, maximum=1)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Perturb:
    """Edited variants of the items, every edit recorded."""

    column: str = field(metadata=_key("text column that is edited"))
    split: str = field(default="all", metadata=_key("split or view whose items are edited"))
    dictionary: str = field(metadata=_key("table of terms and alternatives", path=True))
    substitution: Substitution | None = field(default=None, metadata=_key("term substitution"))
    removal: Removal | None = field(default=None, metadata=_key("removal of points"))
    measurements: Measurements | None = field(
        default=None, metadata=_key("alter sizes in mm and cm too, as a category of their own")
    )

    @property
    def levels(self) -> tuple[str, ...]:
        """The names of all levels, sorted."""
        parts = (self.substitution, self.removal)
        return tuple(sorted(name for part in parts if part is not None for name in part.levels))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shots:
    """Worked examples before the question; never the item itself or its near-duplicates."""

    n: int = field(metadata=_key("number of examples", minimum=1, maximum=100))
    from_: str = field(default="train", metadata=_key("split they are drawn from"))
    seed: int = field(default=0, metadata=_key("seed of the draw"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One prompt mode: template files, what fills their slots, how the answer is read."""

    file: str | None = field(default=None, metadata=_key("template of the user message", path=True))
    system: str | None = field(
        default=None, metadata=_key("template of the system message", path=True)
    )
    user: str | None = field(
        default=None, metadata=_key("template of the user message, beside `system`", path=True)
    )
    slots: Mapping[str, str | int | float | bool] = field(
        default_factory=dict,
        metadata=_key(
            "slot: field:NAME, derive:EXPR, answer:STEP.PART, run:PROMPT.PART or a literal"
        ),
    )
    parser: str | Mapping[str, Any] = field(
        default="text", metadata=_key("how the answer is read: a name, or {name: parameters}")
    )
    reask: int | None = field(
        default=None,
        metadata=_key(
            "times a reply that the parser refuses is asked again, its fault named; "
            "0 by default, in a judge what the judge says",
            minimum=0,
            maximum=3,
        ),
    )
    retry_tokens: int | None = field(
        default=None,
        metadata=_key(
            "most new tokens of the one retry of a reply that was cut; no retry by default",
            minimum=1,
        ),
    )
    shots: Shots | None = field(default=None, metadata=_key("worked examples"))
    reference: str | None = field(
        default=None, metadata=_key("column answers are compared with, if not the corpus's")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model that answers; the provider's own keys stand beside these."""

    provider: str = field(metadata=_key("kind of model"))
    title: str | None = field(default=None, metadata=_key("name shown in tables"))
    group: str | None = field(
        default=None, metadata=_key("group in tables, e.g. reasoning, medical")
    )
    access: str | None = field(
        default=None, metadata=_key("how one gets at it, as tables show it, e.g. API, open weights")
    )
    scale: str | None = field(default=None, metadata=_key("size as published, e.g. 8B"))
    hub_id: str | None = field(
        default=None,
        metadata=_key(
            "org/name of the model's repository on the Hub",
            pattern=r"^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$",
            cosmetic=True,
        ),
    )
    cutoff: str | None = field(
        default=None, metadata=_key("knowledge cutoff YYYY-MM", pattern=r"^\d{4}-\d{2}$")
    )
    note: str | None = field(
        default=None, metadata=_key("sentence beside the leaderboard on how to read its numbers")
    )
    params: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Generate:
    """Which models answer which prompts on which items."""

    split: str = field(metadata=_key("split or view whose items are asked"))
    prompts: tuple[str, ...] = field(default=(), metadata=_key("names of prompts"))
    strategies: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict, metadata=_key("chains of prompts, by name")
    )
    models: tuple[str, ...] = field(metadata=_key("names of models"))
    over: tuple[Literal["items", "variants", "pairs"], ...] = field(
        default=("items",), metadata=_key("what is asked about", scalar=True)
    )
    repeats: int = field(
        default=1, metadata=_key("answers to each question", minimum=1, maximum=1000)
    )
    vote: Literal["none", "majority"] = field(
        default="none", metadata=_key("how repeats become one answer")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Something that emits scores on answers."""

    type: str = field(metadata=_key("kind of judge"))
    params: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric by name, with its parameters; ``local`` metrics are a user's own function.

    Without ``prompts`` it scores every answer; with them, the answers to these prompts alone.
    With a ``suffix`` its scores have names of their own, so that a metric may be used twice with
    different parameters.
    """

    name: str
    prompts: tuple[str, ...] = ()
    suffix: str = ""
    params: Any = None

    def named(self, name: str) -> str:
        """Return what the metric, or one of its scores, is called in this use."""
        return f"{name}.{self.suffix}" if self.suffix else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """An analysis by name, with its parameters."""

    name: str
    params: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """One expectation suite and what happens when it fails."""

    suite: str | None = field(
        default=None, metadata=_key("suite file; the shipped one by default", path=True)
    )
    on_failure: Literal["stop", "quarantine", "warn", "off"] = field(
        default="stop",
        metadata=_key("stop the run, take failing rows out, go on with a warning, or do not check"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """How the work is run; nothing here changes a result."""

    scheduler: str = field(
        default="local",
        metadata=_key(
            "local, or the address of a Dask scheduler", pattern=r"^(local|(tcp|tls)://[^\s/]+)$"
        ),
    )
    workers: int | None = field(
        default=None,
        metadata=_key("worker processes; the number of cores by default", minimum=1, maximum=1024),
    )
    concurrency: int | None = field(
        default=None,
        metadata=_key(
            "requests in flight to all servers together; each server keeps to what its "
            "models say besides",
            minimum=1,
            maximum=1024,
        ),
    )
    budget_usd: float | None = field(
        default=None, metadata=_key("most money the run may spend, over all its resumes", minimum=0)
    )
