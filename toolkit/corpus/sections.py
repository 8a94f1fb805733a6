"""Divide a structured abstract into what models see and the conclusion they are asked for.

A section's part is decided by its label first and by NLM's category second, because NLM
leaves every fifth conclusion without a category, and gives the category of a conclusion to
sections that are none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from toolkit.corpus.article import Section
from toolkit.data import data_dir
from toolkit.errors import SourceError

__all__ = [
    "CATEGORIES",
    "MAX_LABEL",
    "Division",
    "Vocabulary",
    "divide",
    "fold_label",
    "load_vocabulary",
    "looks_like_conclusion",
    "normalise_text",
    "undouble",
    "vocabulary_files",
]

CATEGORIES: Final = ("BACKGROUND", "OBJECTIVE", "METHODS", "RESULTS", "CONCLUSIONS")
"""The categories that NLM assigns; UNASSIGNED and none are the absence of one."""

MAX_LABEL: Final = 80
"""Longest label in characters. Longer ones are titles of translated abstracts and the like,
whose text repeats the whole abstract in another language, its conclusion included."""

_VERBATIM: Final = 30  # shorter texts ("See text.") repeat by chance
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("’‘ʼ′`´＇", "'"))
_MERGED_SPLIT: Final = re.compile(r"\s*(?:[/&,+;]|\bAND\b)\s*")
_MERGED_WITH: Final = re.compile(
    r"(?:\w+ )?(?:RESULTS?(?:\(S\))?|FINDINGS?|METHODS?|OUTCOMES?|OBSERVATIONS?)"
)
# NFKC would fuse 2½ into 21⁄2, and would turn a spacing accent that stands for an
# apostrophe or a tilde into a blank and a combining mark.
_VULGAR: Final = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞↉])")
_SPACING: Final = str.maketrans({"´": "'", "˜": "~"})


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What labels mean.

    Attributes:
        conclusions: folded labels of sections that are the conclusion.
        categories: folded label to one of :data:`CATEGORIES`.
    """

    conclusions: frozenset[str]
    categories: Mapping[str, str]

    def is_conclusion(self, label: str | None) -> bool:
        """Say whether a section of this label is the conclusion."""
        return label is not None and fold_label(label) in self.conclusions

    def is_merged(self, label: str | None) -> bool:
        """Say whether a label names a conclusion and results in one, e.g. RESULTS AND CONCLUSION.

        Such a text cannot be divided: left in the input it gives the answer away. A label
        that the list of conclusion labels holds is a conclusion and never merged.
        """
        if label is None or self.is_conclusion(label):
            return False
        parts = _MERGED_SPLIT.split(fold_label(label))
        return any("CONCLU" in part for part in parts) and any(
            _MERGED_WITH.fullmatch(part) for part in parts
        )

    def category(self, label: str | None, nlm_category: str | None) -> str | None:
        """Return a section's category: by the label table first, NLM's second, else None."""
        found = self.categories.get(fold_label(label)) if label else None
        return found or (nlm_category if nlm_category in CATEGORIES else None)


@dataclass(frozen=True, slots=True)
class Division:
    """An abstract divided.

    Attributes:
        input: ``LABEL: text`` blocks joined by line feeds, in order, without conclusions.
        conclusion: the conclusion sections' text, joined by a blank.
        conclusion_labels: labels of the sections in ``conclusion``.
        leak_labels: labels of other sections that restate conclusions, in order.
        leak_causes: why: ``nlm_category``, ``label`` or ``verbatim``, sorted.
        leak_risk: such a section stands in ``input``.
        malformed: sections left out of ``input`` for their label.
        conclusion_sections: sections with text whose label is a conclusion's.
    """

    input: str
    conclusion: str
    conclusion_labels: tuple[str, ...]
    leak_labels: tuple[str, ...]
    leak_causes: tuple[str, ...]
    leak_risk: bool
    malformed: int
    conclusion_sections: int


def fold_label(label: str) -> str:
    """Return the form in which labels are compared: upper case, plain blanks and apostrophes."""
    return " ".join(label.translate(_APOSTROPHES).upper().split())


def looks_like_conclusion(label: str | None) -> bool:
    """Say whether a label speaks of a conclusion, misspellings of its end included."""
    return label is not None and "CONCLU" in fold_label(label)


def normalise_text(text: str) -> str:
    """Return the NFKC form of a text without fusing or splitting words.

    A blank is put between a digit and a vulgar fraction, and the spacing acute accent and
    small tilde become apostrophe and tilde, before NFKC; blanks are collapsed after it.
    """
    if text.isascii():
        return " ".join(text.split())
    spaced = _VULGAR.sub(" ", text.translate(_SPACING))
    return " ".join(unicodedata.normalize("NFKC", spaced).split())


def undouble(sections: Sequence[Section]) -> tuple[Section, ...]:
    """Keep one half of an abstract that stands in the record twice in a row.

    Returns:
        The first half when the second repeats its labels and texts, else all sections.
    """
    half, odd = divmod(len(sections), 2)
    if half and not odd:
        first, second = (
            [(fold_label(s.label or ""), " ".join(s.text.split())) for s in part]
            for part in (sections[:half], sections[half:])
        )
        if first == second:
            return tuple(sections[:half])
    return tuple(sections)


def divide(
    sections: Sequence[Section],
    vocabulary: Vocabulary,
    *,
    conclusions: Literal["join", "first"] = "join",
    leak_risk: Literal["keep", "drop", "reject"] = "keep",
) -> Division:
    """Divide an abstract into input and conclusion.

    Conclusion sections are taken wherever they stand. A section restates conclusions when NLM
    gave it that category, when its label stands for one in the label table or speaks of one,
    or when the conclusion, or a section of it, stands in it word for word.

    Args:
        sections: the abstract's sections in order.
        vocabulary: what labels mean.
        conclusions: join several conclusion sections in order (a repeated one once), or take
            the first; the others are never part of the input.
        leak_risk: ``drop`` takes sections that restate conclusions out of the input.
    """
    full = [section for section in sections if section.text.strip()]
    chosen: list[Section] = []
    others: list[Section] = []
    for section in full:
        (chosen if vocabulary.is_conclusion(section.label) else others).append(section)
    found = len(chosen)
    if conclusions == "first":
        chosen = chosen[:1]
    texts = list(dict.fromkeys(normalise_text(section.text) for section in chosen))
    conclusion = " ".join(texts)
    blocks: list[str] = []
    labels: list[str] = []
    causes: set[str] = set()
    malformed = 0
    for section in others:
        if _malformed(section.label):
            malformed += 1
            continue
        text = normalise_text(section.text)
        cause = _leak_cause(section, text, vocabulary, (conclusion, *texts))
        if cause:
            labels.append(_shown(section.label))
            causes.add(cause)
            if leak_risk == "drop":
                continue
        label = _shown(section.label)
        blocks.append(f"{label}: {text}" if label else text)
    return Division(
        input="\n".join(blocks),
        conclusion=conclusion,
        conclusion_labels=tuple(_shown(section.label) for section in chosen),
        leak_labels=tuple(labels),
        leak_causes=tuple(sorted(causes)),
        leak_risk=bool(labels) and leak_risk != "drop",
        malformed=malformed,
        conclusion_sections=found,
    )


def _shown(label: str | None) -> str:
    return normalise_text(fold_label(label or "").rstrip(":. "))


def _malformed(label: str | None) -> bool:
    return label is not None and len(label) > MAX_LABEL


def _leak_cause(
    section: Section, text: str, vocabulary: Vocabulary, conclusions: Sequence[str]
) -> str:
    if section.category == "CONCLUSIONS":
        return "nlm_category"
    restates = vocabulary.category(section.label, None) == "CONCLUSIONS"
    if restates or looks_like_conclusion(section.label):
        return "label"
    if any(len(part) >= _VERBATIM and part in text for part in conclusions):
        return "verbatim"
    return "verbatim" if len(text) >= _VERBATIM and text in conclusions[0] else ""


def vocabulary_files(conclusion_labels: Path | None) -> tuple[Path, Path]:
    """Return the two files that :func:`load_vocabulary` reads.

    Args:
        conclusion_labels: a list of one's own, None for the shipped one.
    """
    shipped = data_dir("recipes") / "labels"
    return conclusion_labels or shipped / "conclusion.txt", shipped / "sections.tsv"


def load_vocabulary(conclusion_labels: Path | None = None) -> Vocabulary:
    """Load the list of conclusion labels and the shipped table of labels.

    Args:
        conclusion_labels: one label a line, ``#`` starts a comment; None for the shipped list
            (the 21 labels of arXiv 2604.06505, appendix G).

    Raises:
        SourceError: a file cannot be read, is not UTF-8, is empty, or has a malformed line.
    """
    labels_file, table_file = vocabulary_files(conclusion_labels)
    labels = frozenset(fold_label(line) for _, line in _lines(labels_file))
    if not labels:
        raise SourceError(
            f"{labels_file}: the list of conclusion labels is empty",
            hint="write one label a line, e.g. CONCLUSION",
        )
    table: dict[str, str] = {}
    for number, line in _lines(table_file):
        label, tab, category = line.partition("\t")
        if not tab or category.strip() not in CATEGORIES:
            raise SourceError(
                f"{table_file}:{number}: not a label, a tab and a category",
                hint=f"the categories are {', '.join(CATEGORIES)}",
            )
        table[fold_label(label)] = category.strip()
    return Vocabulary(labels, table)


def _lines(path: Path) -> list[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(
            f"{path}: the list of labels cannot be read: {error}",
            hint="name an existing UTF-8 text file",
        ) from error
    lines = enumerate(text.splitlines(), start=1)
    return [(n, line.rstrip()) for n, line in lines if line.strip() and line.strip()[0] != "#"]
