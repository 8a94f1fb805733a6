"""Parameters of analyses that are not built yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = [
    "Agreement",
    "Anova",
    "CategoryRanking",
    "Copeland",
    "Correlation",
    "DeviationFrom",
    "EditMissRates",
    "Gee",
    "GroupSubjects",
    "Hallucinations",
    "JudgeAgreement",
    "ModeContrast",
    "Ordinal",
    "PairedT",
    "Permutation",
    "Proportions",
    "ScoreShape",
    "Shrinkage",
]


def _about(text: str, **more: Any) -> dict[str, Any]:
    return {"about": text, **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeContrast:
    """Differences between prompt modes, paired by item."""

    pairs: tuple[tuple[str, str], ...] = field(metadata=_about("pairs of prompts"))
    by: str | None = field(default=None, metadata=_about("column for subgroups"))


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """Shift, rank correlation and flips between judges."""

    judges: tuple[str, ...] = field(metadata=_about("names of judges"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """Correlation of scores with a column."""

    with_: str = field(metadata=_about("numeric column"))
    level: str | None = field(default=None, metadata=_about("column whose groups are averaged"))
    methods: tuple[Literal["pearson", "spearman", "kendall"], ...] = field(
        default=("pearson", "spearman"), metadata=_about("coefficients")
    )
    minimum: int = field(default=1, metadata=_about("fewest items in a group", minimum=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryRanking:
    """Categories with the highest and lowest scores."""

    top: int = field(default=5, metadata=_about("categories from the top", minimum=0))
    bottom: int = field(default=5, metadata=_about("categories from the bottom", minimum=0))
    by: tuple[str, ...] = field(metadata=_about("scores that rank", scalar=True))
    minimum: int = field(default=30, metadata=_about("fewest items in a category", minimum=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedT:
    """Paired t tests of outputs against references."""

    by: str | None = field(default=None, metadata=_about("column for subgroups"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Anova:
    """One-way analysis of variance."""

    by: str = field(metadata=_about("column that groups"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Copeland:
    """Copeland scores of pairwise answers and the error rate that explains their ties."""

    prompt: str = field(metadata=_about("prompt that compares two items"))
    within: str | None = field(default=None, metadata=_about("column whose groups are ranked"))
    subsets: int = field(default=500, metadata=_about("random subsets", minimum=1))
    fit: Literal["epsilon", "none"] = field(default="epsilon", metadata=_about("error model"))
    formula: Literal["exact", "paper"] = field(
        default="exact", metadata=_about("probability of the true score")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreShape:
    """Mean, median, mode, spread, skewness and kurtosis of numeric answers."""

    prompt: str = field(metadata=_about("prompt that gives a number"))
    by: str | None = field(default=None, metadata=_about("column for subgroups"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrinkage:
    """How far answers shrink towards the middle of their scale."""

    prompt: str = field(metadata=_about("prompt that gives a number"))
    step: float = field(default=0.1, metadata=_about("smallest difference of answers", minimum=0))
    average: tuple[float, float] = field(default=(8.0, 9.0), metadata=_about("true mean, from-to"))
    lowest: tuple[float, float] = field(
        default=(5.0, 7.0), metadata=_about("true minimum, from-to")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviationFrom:
    """Percentage deviation of variants of a prompt from their base."""

    base: tuple[str, ...] = field(metadata=_about("base prompts", scalar=True))
    split: str | None = field(default=None, metadata=_about("split or view compared"))


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSubjects:
    """Groups the subjects of critiques by an editable synonym map."""

    prompt: str = field(metadata=_about("prompt that gives bullets"))
    synonyms: str = field(metadata=_about("table of groups and synonyms", path=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportions:
    """Proportions with Wilson intervals."""

    by: tuple[str, ...] = field(
        default=("model", "prompt"), metadata=_about("columns", scalar=True)
    )
    ci: Literal["wilson"] = field(default="wilson", metadata=_about("interval"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Permutation:
    """Permutation tests between the levels of a factor."""

    factor: str = field(metadata=_about("column with two levels"))
    n: int = field(default=20000, metadata=_about("permutations", minimum=100))
    paired: bool = field(default=True, metadata=_about("pair by item"))


@dataclass(frozen=True, slots=True, kw_only=True)
class EditMissRates:
    """Share of edits that the judge missed."""

    by: tuple[Literal["category", "term"], ...] = field(
        default=("category", "term"), metadata=_about("grouping", scalar=True)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement of raters on the same cases."""

    raters: tuple[str, ...] = field(metadata=_about("names of judges"))
    statistic: Literal["macro_f1", "kappa", "alpha"] = field(
        default="macro_f1", metadata=_about("coefficient")
    )
    bootstrap: int = field(default=800, metadata=_about("resamples", minimum=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Gee:
    """Logistic GEE with exchangeable correlation and Type III Wald tests."""

    outcomes: tuple[str, ...] = field(metadata=_about("binary scores", scalar=True))
    factors: tuple[str, ...] = field(metadata=_about("columns"))
    cluster: str = field(default="item_id", metadata=_about("column of clusters"))
    interactions: int = field(default=2, metadata=_about("highest order", minimum=1, maximum=3))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordinal:
    """Proportional odds with clustered covariance and threshold odds ratios."""

    outcomes: tuple[str, ...] = field(metadata=_about("ordered scores", scalar=True))
    factors: tuple[str, ...] = field(metadata=_about("columns"))
    cluster: str = field(default="item_id", metadata=_about("column of clusters"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hallucinations:
    """Types of hallucination among flagged answers."""

    judge: str = field(metadata=_about("judge that flags them"))
