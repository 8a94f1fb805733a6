"""Words that state a direction, and words that a statement's outcome does not need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = [
    "ADVERBS",
    "AUXILIARIES",
    "BE",
    "CUES",
    "EXPOSURE",
    "GRAMMAR",
    "MODALS",
    "NEGATIONS",
    "PREPOSITIONS",
    "STOPS",
    "VAGUE",
    "Axis",
    "Cue",
]

Axis = Literal["amount", "quality", "rank", "speed"]
Grammar = Literal["adjective", "base", "degree", "gerund", "intransitive", "noun", "verb"]


@dataclass(frozen=True, slots=True)
class Cue:
    """What a word says.

    Attributes:
        axis: ``amount`` is up or down, ``quality`` better or worse, ``rank`` superior or inferior,
            ``speed`` faster or slower.
        sign: 1 up, -1 down, 0 unchanged.
        grammar: how it joins its outcome. ``base`` is noun or verb by its place; ``degree`` is
            *more* or *less*; ``gerund`` only tells of an exposure.
    """

    axis: Axis
    sign: int
    grammar: Grammar


def _cues(axis: Axis, sign: int, grammar: Grammar, words: tuple[str, ...]) -> dict[str, Cue]:
    return dict.fromkeys(words, Cue(axis, sign, grammar))


CUES: Final[dict[str, Cue]] = {
    **_cues("amount", 1, "adjective", ("higher", "greater", "larger", "longer", "bigger")),
    **_cues("amount", 1, "adjective", ("stronger",)),
    **_cues("amount", -1, "adjective", ("lower", "smaller", "shorter", "fewer")),
    **_cues("speed", 1, "adjective", ("faster", "quicker")),
    **_cues("speed", -1, "adjective", ("slower",)),
    **_cues("speed", 1, "verb", ("accelerated", "accelerates")),
    **_cues("amount", -1, "adjective", ("weaker",)),
    **_cues("amount", 1, "degree", ("more",)),
    **_cues("amount", -1, "degree", ("less",)),
    **_cues("amount", 1, "verb", ("increased", "increases", "raised", "raises", "heightened")),
    **_cues("amount", 1, "verb", ("elevated", "elevates", "enhanced", "enhances", "prolonged")),
    **_cues("amount", 1, "verb", ("prolongs", "lengthened", "upregulated", "augmented")),
    **_cues("amount", 1, "verb", ("upregulates",)),
    **_cues("amount", -1, "verb", ("decreased", "decreases", "reduced", "reduces", "cut")),
    **_cues("amount", -1, "verb", ("lowered", "lowers", "diminished")),
    **_cues("amount", 1, "gerund", ("increasing",)),
    **_cues("amount", -1, "gerund", ("decreasing", "reducing", "lowering")),
    **_cues("amount", -1, "verb", ("attenuated", "attenuates", "shortened", "shortens")),
    **_cues("amount", -1, "verb", ("downregulated", "downregulates", "lessened", "diminishes")),
    **_cues("amount", 1, "intransitive", ("rose", "risen", "rises", "rising", "climbed")),
    **_cues("amount", -1, "intransitive", ("fell", "fallen", "declined", "declines", "declining")),
    **_cues("amount", -1, "intransitive", ("dropped",)),
    **_cues("amount", 1, "base", ("increase", "rise", "raise", "enhance", "prolong", "elevate")),
    **_cues("amount", -1, "base", ("decrease", "decline", "drop", "reduce", "attenuate")),
    **_cues("amount", -1, "base", ("shorten", "diminish")),
    **_cues("amount", 1, "noun", ("elevation", "prolongation", "enhancement", "upregulation")),
    **_cues("amount", -1, "noun", ("reduction", "reductions", "shortening", "attenuation")),
    **_cues("amount", -1, "noun", ("downregulation",)),
    **_cues("quality", 1, "verb", ("improved", "improves", "ameliorated")),
    **_cues("quality", 1, "base", ("improve", "ameliorate")),
    **_cues("quality", 1, "noun", ("improvement", "improvements", "amelioration")),
    **_cues("quality", 1, "adjective", ("better",)),
    **_cues("quality", -1, "verb", ("worsened", "worsens", "deteriorated", "impaired", "impairs")),
    **_cues("quality", -1, "verb", ("aggravated", "deteriorates")),
    **_cues("quality", -1, "base", ("worsen", "impair", "aggravate")),
    **_cues("quality", -1, "noun", ("worsening", "deterioration")),
    **_cues("quality", -1, "adjective", ("worse", "poorer")),
    **_cues("rank", 1, "adjective", ("superior",)),
    **_cues("rank", -1, "adjective", ("inferior",)),
    **_cues("amount", 0, "adjective", ("unchanged", "unaffected", "unaltered", "similar")),
    **_cues("amount", 0, "adjective", ("comparable", "stable")),
}
"""What each word says; *lower* the verb and *increase* are told apart by their neighbours."""

EXPOSURE: Final = frozenset(("associated", "linked", "related", "correlated"))
"""Verbs that tie a direction of an exposure to a direction of an outcome."""

BE: Final = frozenset(
    (
        *("is", "are", "was", "were", "be", "been", "being", "remained", "remain", "remains"),
        *("became", "become", "becomes", "appeared", "seemed", "stayed", "tended"),
    )
)
NEGATIONS: Final = frozenset(
    ("not", "no", "never", "without", "neither", "nor", "cannot", "failed", "fails", "fail")
)
MODALS: Final = frozenset(
    ("did", "does", "do", "may", "can", "could", "will", "would", "might", "should", "must")
)
AUXILIARIES: Final = frozenset(("has", "have", "had", "it", "we", "they", "there")) | MODALS
PREPOSITIONS: Final = frozenset(
    (
        *("in", "with", "among", "for", "after", "at", "during", "on", "by", "from", "to"),
        *("over", "under", "when", "if", "between", "within", "following", "before", "as"),
        *("using", "across", "via", "through", "until", "upon", "against", "given", "into"),
        *("towards", "toward", "since", "because", "due", "without", "that", "which", "who"),
        *("than", "compared", "versus", "vs", "relative", "whereas", "while", "but"),
    )
)
STOPS: Final = frozenset((".", ";", ":", ",", "(", ")", "[", "]", "?", "!"))
ADVERBS: Final = frozenset(
    ("also", "even", "much", "still", "not", "thus", "then", "further", "too", "far", "often")
)

GRAMMAR: Final = frozenset(
    (
        *("a", "an", "the", "of", "and", "or", "both", "all", "this", "that", "these", "those"),
        *("its", "their", "his", "her", "our", "we", "it", "they", "there", "who", "which"),
        *("is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "do", "does"),
        *("did", "may", "can", "could", "will", "would", "might", "should", "not", "no", "any"),
        *("some", "such", "other", "each", "either", "same", "more", "most", "less", "than"),
        *("remained", "remain", "remains", "became", "also", "too", "only", "very", "much"),
        *("significantly", "statistically", "markedly", "slightly", "substantially", "clearly"),
        *("significant", "show", "showed", "shown", "lead", "led", "found", "associated"),
        *("linked", "related", "caused", "cause", "gave", "give", "followed", "seen", "observed"),
        *("reported", "resulted", "marks", "mark", "compared", "seems", "appears", "alone"),
    )
)
"""Words that name nothing."""

VAGUE: Final = frozenset(
    (
        # what says that something was measured
        *("rate", "level", "value", "score", "number", "frequency", "incidence", "risk"),
        *("degree", "amount", "length", "mean", "median", "average", "overall", "association"),
        *("study", "trial", "result", "finding", "evidence", "data", "analysis", "effect"),
        *("expression", "concentration", "likelihood", "odds", "probability", "prevalence"),
        *("use", "introduction", "introduced"),
        # who
        *("group", "arm", "patient", "participant", "subject", "control", "population", "people"),
        *("treatment", "intervention", "therapy", "treated", "year", "month", "week", "day"),
        *("time", "baseline", "significance", "method", "technique", "system", "condition"),
    )
)
"""Words that an outcome is not told apart by, where others stand beside them; as stems."""
