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

__all__ = ["BUILT_IN", "KINDS", "UNBUILT", "Kind", "is_built", "member", "names", "params_class"]

Kind = Literal["analyses", "judges", "metrics", "models", "sources"]

KINDS: Final[tuple[Kind, ...]] = ("analyses", "judges", "metrics", "models", "sources")

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
        "transformers": "toolkit.models.transformers:Transformers",
    },
    "metrics": {
        "bleu": "toolkit.metrics.bleu:Bleu",
        "edit_misses": "toolkit.metrics.edit_misses:EditMisses",
        "embedding_similarity": "toolkit.metrics.embedding_similarity:EmbeddingSimilarity",
        "keywords": "toolkit.metrics.keywords:Keywords",
        "linguistic": "toolkit.metrics.linguistic:Linguistic",
        "numeric_support": "toolkit.metrics.numeric_support:NumericSupport",
        "perplexity": "toolkit.metrics.perplexity:Perplexity",
        "readability": "toolkit.metrics.readability:Readability",
        "rouge": "toolkit.metrics.rouge:Rouge",
        "sentence_ratio": "toolkit.metrics.sentence_ratio:SentenceRatio",
        "tfidf_cosine": "toolkit.metrics.tfidf_cosine:TfidfCosine",
        "token_similarity": "toolkit.metrics.token_similarity:TokenSimilarity",
        "word_ratio": "toolkit.metrics.word_ratio:WordRatio",
    },
    "judges": {
        "human": "toolkit.judges.human:Human",
        "llm": "toolkit.judges.llm:Llm",
        "nli": "toolkit.judges.nli:Nli",
        "pairwise": "toolkit.judges.pairwise:Pairwise",
        "panel": "toolkit.judges.panel:Panel",
    },
    "analyses": {
        "agreement": "toolkit.analyses.agreement:Agreement",
        "anova": "toolkit.analyses.anova:Anova",
        "before_after_cutoff": "toolkit.analyses.before_after_cutoff:BeforeAfterCutoff",
        "breakdown": "toolkit.analyses.breakdown:Breakdown",
        "category_radar": "toolkit.analyses.category_radar:CategoryRadar",
        "category_ranking": "toolkit.analyses.category_ranking:CategoryRanking",
        "conflicting_scores": "toolkit.analyses.conflicting_scores:ConflictingScores",
        "correlation": "toolkit.analyses.correlation:Correlation",
        "distribution": "toolkit.analyses.distribution:Distribution",
        "edits_made": "toolkit.analyses.edits_made:EditsMade",
        "edit_effect": "toolkit.analyses.edit_effect:EditEffect",
        "edit_misses": "toolkit.analyses.edit_misses:EditMisses",
        "gee": "toolkit.analyses.gee:Gee",
        "hallucinations": "toolkit.analyses.hallucinations:Hallucinations",
        "icc": "toolkit.analyses.icc:Icc",
        "judge_agreement": "toolkit.analyses.judge_agreement:JudgeAgreement",
        "judge_audit": "toolkit.analyses.judge_audit:JudgeAudit",
        "means": "toolkit.analyses.means:Means",
        "mode_contrast": "toolkit.analyses.mode_contrast:ModeContrast",
        "model_table": "toolkit.analyses.model_table:ModelTable",
        "ordinal": "toolkit.analyses.ordinal:Ordinal",
        "paired_t": "toolkit.analyses.paired_t:PairedT",
        "paired_tests": "toolkit.analyses.paired_tests:PairedTests",
        "permutation": "toolkit.analyses.permutation:Permutation",
        "power": "toolkit.analyses.power:Power",
        "prediction_powered": "toolkit.analyses.prediction_powered:PredictionPowered",
        "proportions": "toolkit.analyses.proportions:Proportions",
        "rank_ranges": "toolkit.analyses.rank_ranges:RankRanges",
        "rank_stability": "toolkit.analyses.rank_stability:RankStability",
        "ranking_dependence": "toolkit.analyses.ranking_dependence:RankingDependence",
        "score_by_count": "toolkit.analyses.score_by_count:ScoreByCount",
        "score_table": "toolkit.analyses.score_table:ScoreTable",
        "statuses": "toolkit.analyses.statuses:Statuses",
        "text_statistics": "toolkit.analyses.text_statistics:TextStatistics",
        "training_overlap": "toolkit.analyses.training_overlap:TrainingOverlap",
        "two_sample": "toolkit.analyses.two_sample:TwoSample",
        "without_flagged": "toolkit.analyses.without_flagged:WithoutFlagged",
    },
}


UNBUILT: Final[dict[Kind, dict[str, str]]] = {
    "sources": {},
    "models": {},
    "metrics": {
        "attribution": "toolkit.recipe.vocabulary.metrics:Attribution",
        "citations": "toolkit.recipe.vocabulary.metrics:Citations",
        "claims": "toolkit.recipe.vocabulary.metrics:Claims",
        "compliance": "toolkit.recipe.vocabulary.metrics:Compliance",
        "phrases": "toolkit.recipe.vocabulary.metrics:Phrases",
    },
    "judges": {},
    "analyses": {
        "copeland": "toolkit.recipe.vocabulary.repeats:Copeland",
        "deviation_from": "toolkit.recipe.vocabulary.repeats:DeviationFrom",
        "group_subjects": "toolkit.recipe.vocabulary.repeats:GroupSubjects",
        "regression": "toolkit.recipe.vocabulary.statistics:Regression",
        "score_shape": "toolkit.recipe.vocabulary.repeats:ScoreShape",
        "semantic_entropy": "toolkit.recipe.vocabulary.repeats:SemanticEntropy",
        "shrinkage": "toolkit.recipe.vocabulary.repeats:Shrinkage",
        "word_use": "toolkit.recipe.vocabulary.repeats:WordUse",
    },
}
"""Words of the language whose parameters are known and whose stages are not built yet."""


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
    """Return the names of all members of ``kind`` that a recipe may use, sorted."""
    return sorted({*_table(kind), *UNBUILT[kind]})


def is_built(kind: Kind, name: str) -> bool:
    """Return whether this version can run the member, rather than only check its parameters."""
    return name in _table(kind)


def params_class(kind: Kind, name: str) -> type:
    """Import and return the parameters dataclass of a member.

    Raises:
        UserError: no member of this kind has that name.
    """
    if name in UNBUILT[kind]:
        found: type = _load(UNBUILT[kind][name])
        return found
    params: type = member(kind, name).Params
    return params


def member(kind: Kind, name: str) -> Any:
    """Import and return the class of a member.

    Raises:
        UserError: no member of this kind has that name, or it is not built yet.
    """
    table = _table(kind)
    if name not in table:
        raise UserError(f"unknown {kind} name '{name}'", hint=suggest(name, sorted(table)))
    return _load(table[name])


def _load(target: str) -> Any:
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)
