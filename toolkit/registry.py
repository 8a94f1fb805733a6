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
        "embedding_similarity": "toolkit.metrics.embedding_similarity:EmbeddingSimilarity",
        "keywords": "toolkit.metrics.keywords:Keywords",
        "linguistic": "toolkit.metrics.linguistic:Linguistic",
        "perplexity": "toolkit.metrics.perplexity:Perplexity",
        "readability": "toolkit.metrics.readability:Readability",
        "rouge": "toolkit.metrics.rouge:Rouge",
        "sentence_ratio": "toolkit.metrics.sentence_ratio:SentenceRatio",
        "tfidf_cosine": "toolkit.metrics.tfidf_cosine:TfidfCosine",
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
        "before_after_cutoff": "toolkit.analyses.before_after_cutoff:BeforeAfterCutoff",
        "breakdown": "toolkit.analyses.breakdown:Breakdown",
        "judge_agreement": "toolkit.analyses.judge_agreement:JudgeAgreement",
        "judge_audit": "toolkit.analyses.judge_audit:JudgeAudit",
        "means": "toolkit.analyses.means:Means",
        "mode_contrast": "toolkit.analyses.mode_contrast:ModeContrast",
        "rank_stability": "toolkit.analyses.rank_stability:RankStability",
        "ranking_dependence": "toolkit.analyses.ranking_dependence:RankingDependence",
        "statuses": "toolkit.analyses.statuses:Statuses",
        "training_overlap": "toolkit.analyses.training_overlap:TrainingOverlap",
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
        "edit_misses": "toolkit.recipe.vocabulary.metrics:EditMisses",
        "numeric_support": "toolkit.recipe.vocabulary.metrics:NumericSupport",
        "phrases": "toolkit.recipe.vocabulary.metrics:Phrases",
    },
    "judges": {},
    "analyses": {
        "anova": "toolkit.recipe.vocabulary.statistics:Anova",
        "category_radar": "toolkit.recipe.vocabulary.comparisons:CategoryRadar",
        "category_ranking": "toolkit.recipe.vocabulary.comparisons:CategoryRanking",
        "conflicting_scores": "toolkit.recipe.vocabulary.judging:ConflictingScores",
        "copeland": "toolkit.recipe.vocabulary.repeats:Copeland",
        "correlation": "toolkit.recipe.vocabulary.comparisons:Correlation",
        "deviation_from": "toolkit.recipe.vocabulary.repeats:DeviationFrom",
        "distribution": "toolkit.recipe.vocabulary.comparisons:Distribution",
        "edit_effect": "toolkit.recipe.vocabulary.judging:EditEffect",
        "edit_misses": "toolkit.recipe.vocabulary.judging:EditMissRates",
        "gee": "toolkit.recipe.vocabulary.statistics:Gee",
        "group_subjects": "toolkit.recipe.vocabulary.repeats:GroupSubjects",
        "hallucinations": "toolkit.recipe.vocabulary.judging:Hallucinations",
        "icc": "toolkit.recipe.vocabulary.statistics:Icc",
        "model_table": "toolkit.recipe.vocabulary.comparisons:ModelTable",
        "ordinal": "toolkit.recipe.vocabulary.statistics:Ordinal",
        "paired_t": "toolkit.recipe.vocabulary.statistics:PairedT",
        "paired_tests": "toolkit.recipe.vocabulary.comparisons:PairedTests",
        "permutation": "toolkit.recipe.vocabulary.statistics:Permutation",
        "prediction_powered": "toolkit.recipe.vocabulary.judging:PredictionPowered",
        "proportions": "toolkit.recipe.vocabulary.statistics:Proportions",
        "rank_ranges": "toolkit.recipe.vocabulary.comparisons:RankRanges",
        "regression": "toolkit.recipe.vocabulary.statistics:Regression",
        "score_by_count": "toolkit.recipe.vocabulary.comparisons:ScoreByCount",
        "score_shape": "toolkit.recipe.vocabulary.repeats:ScoreShape",
        "semantic_entropy": "toolkit.recipe.vocabulary.repeats:SemanticEntropy",
        "shrinkage": "toolkit.recipe.vocabulary.repeats:Shrinkage",
        "text_statistics": "toolkit.recipe.vocabulary.comparisons:TextStatistics",
        "two_sample": "toolkit.recipe.vocabulary.statistics:TwoSample",
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
