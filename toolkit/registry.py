"""The tables of all members of each kind: one line a member, imported when used.

A member is named in a recipe; its class lives in one file with a frozen dataclass of
parameters. The schema's enums, ``toolkit list``, the reference pages and the contract tests
all read these tables. Packages of others add members through the entry-point groups
``toolkit.metrics``, ``toolkit.sources``, ``toolkit.models``, ``toolkit.judges`` and
``toolkit.analyses``.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final, Literal

from toolkit.errors import UserError, suggest

__all__ = ["BUILT_IN", "Kind", "member", "names", "target"]

Kind = Literal["analyses", "judges", "metrics", "models", "sources"]

BUILT_IN: Final[dict[Kind, dict[str, str]]] = {
    "sources": {
        "eutils": "toolkit.corpus.eutils:Eutils",
        "hub": "toolkit.corpus.hub:Hub",
        "jsonl": "toolkit.corpus.jsonl:Jsonl",
        "parquet": "toolkit.corpus.parquet:Parquet",
        "pubmed_xml": "toolkit.corpus.pubmed_xml:PubmedXml",
    },
    "models": {
        "baseline": "toolkit.models.baseline:Baseline",
        "llama_cpp": "toolkit.models.llama_cpp:LlamaCpp",
        "openai_compatible": "toolkit.models.openai_compatible:OpenAICompatible",
        "replay": "toolkit.models.replay:Replay",
    },
    "metrics": {
        "bleu": "toolkit.metrics.bleu:Bleu",
        "embedding_similarity": "toolkit.metrics.embedding_similarity:EmbeddingSimilarity",
        "rouge": "toolkit.metrics.rouge:Rouge",
        "sentence_ratio": "toolkit.metrics.sentence_ratio:SentenceRatio",
        "word_ratio": "toolkit.metrics.word_ratio:WordRatio",
    },
    "judges": {},
    "analyses": {
        "means": "toolkit.analyses.means:Means",
    },
}


@cache
def _table(kind: Kind) -> dict[str, str]:
    table = dict(BUILT_IN[kind])
    for point in entry_points(group=f"toolkit.{kind}"):
        if point.name in table:
            raise UserError(
                f"the plug-in '{point.value}' claims the {kind} name '{point.name}', "
                f"which is '{table[point.name]}' already",
                hint="uninstall one of the two packages, or have the plug-in renamed",
            )
        table[point.name] = point.value
    return table


def names(kind: Kind) -> list[str]:
    """Return the names of all members of ``kind``, built in and plugged in, sorted."""
    return sorted(_table(kind))


def target(kind: Kind, name: str) -> str:
    """Return the ``module:Class`` of a member without importing it.

    Raises:
        UserError: no member of this kind has that name.
    """
    table = _table(kind)
    if name not in table:
        raise UserError(f"unknown {kind} name '{name}'", hint=suggest(name, sorted(table)))
    return table[name]


def member(kind: Kind, name: str) -> Any:
    """Import and return the class of a member.

    Raises:
        UserError: no member of this kind has that name.
    """
    module, _, attribute = target(kind, name).partition(":")
    return getattr(import_module(module), attribute)
