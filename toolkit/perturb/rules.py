"""The rules of a recipe's ``perturb`` section, ready to edit texts."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.errors import UserError
from toolkit.perturb.alteration import Variant
from toolkit.perturb.base import seeded
from toolkit.perturb.dictionary import Dictionary, read_dictionary
from toolkit.perturb.point_removal import remove_points
from toolkit.perturb.standing_terms import StandingTerms
from toolkit.perturb.substitution import (
    Chosen,
    Occurrences,
    Planner,
    Sizes,
    find_occurrences,
    substitute,
)
from toolkit.perturb.term_finder import TermFinder

if TYPE_CHECKING:
    from toolkit.recipe.sections import Perturb

__all__ = ["Rules", "read_keywords"]

_KEYWORD: Final = "keyword"
"""The column of keywords in their table."""


@dataclass(frozen=True)
class Rules:
    """A ``perturb`` section and the seed of its recipe; files are read by the first use.

    Attributes:
        section: the section.
        seed: the recipe's seed.
    """

    section: Perturb
    seed: int

    @cached_property
    def dictionary(self) -> Dictionary:
        """The dictionary.

        Raises:
            UserError: its file has faults.
        """
        return read_dictionary(Path(self.section.dictionary))

    def planner(self) -> Planner:
        """Return a planner that has not used any term yet."""
        substitution = self.section.substitution
        assert substitution is not None
        return Planner(self.dictionary, self.seed, substitution.balance, self.sizes)

    @cached_property
    def sizes(self) -> Sizes | None:
        """How sizes are altered; None where they are left alone."""
        m = self.section.measurements
        if m is None:
            return None
        return Sizes(
            probability=m.probability,
            factor=m.factor,
            minimum_change=m.minimum_change,
            unit_change=m.unit_change,
        )

    def occurrences(self, text: str) -> Occurrences:
        """Return what of a text can be substituted."""
        substitution = self.section.substitution
        assert substitution is not None
        return find_occurrences(
            text,
            self._terms,
            self._alternatives,
            sizes=self.sizes is not None,
            occurrences=substitution.occurrences,
        )

    def substituted(self, text: str, name: str, level: str, plan: Sequence[Chosen]) -> Variant:
        """Return the variant of a text by substitution.

        Args:
            text: the text.
            name: id of its item.
            level: a level of the section.
            plan: what the planner chose for it.
        """
        substitution = self.section.substitution
        assert substitution is not None
        categories, each = substitution.levels[level]
        return substitute(
            text,
            plan,
            target=categories * each,
            seeds=(self.seed, level, name),
            sizes=self.sizes,
        )

    def removed(self, text: str, name: str, level: str, group: str) -> Variant:
        """Return the variant of a text by removal of points.

        Args:
            text: the text.
            name: id of its item.
            level: a level of the section.
            group: the item's value of ``keywords_by``; empty without it.
        """
        removal = self.section.removal
        assert removal is not None
        return remove_points(
            text,
            self._keywords.get(group, _NO_KEYWORDS),
            most=removal.levels[level],
            keep=removal.keep,
            rng=seeded(self.seed, "removal", level, name),
        )

    @cached_property
    def _terms(self) -> TermFinder:
        return TermFinder(entry.term for entry in self.dictionary.usable())

    @cached_property
    def _alternatives(self) -> StandingTerms:
        return StandingTerms(
            other for entry in self.dictionary.usable() for other in entry.alternatives
        )

    @cached_property
    def _keywords(self) -> Mapping[str, TermFinder]:
        removal = self.section.removal
        assert removal is not None
        if removal.keywords is None:
            return {"": self._terms}
        lists = read_keywords(Path(removal.keywords), removal.keywords_by)
        return {group: TermFinder(words) for group, words in lists.items()}


_NO_KEYWORDS: Final = TermFinder(())


def read_keywords(file: Path, by: str | None) -> dict[str, list[str]]:
    """Read lists of keywords.

    Args:
        file: CSV or, by its first line, tab-separated, in UTF-8, with the column ``keyword``.
        by: the column that tells the lists apart; None for one list, under the empty name.

    Raises:
        UserError: the file cannot be read, lacks a column, or holds no keyword.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"{file}: the keywords cannot be read: {error}", hint="save them as CSV in UTF-8"
        ) from error
    head = text.split("\n", 1)[0]
    reader = csv.DictReader(io.StringIO(text), delimiter="\t" if "\t" in head else ",")
    wanted = [_KEYWORD, *([by] if by else [])]
    lacking = [name for name in wanted if name not in (reader.fieldnames or ())]
    if lacking:
        raise UserError(
            f"{file}:1: the keywords have no column {', '.join(lacking)}",
            hint=f"name the columns {', '.join(wanted)}",
        )
    lists: dict[str, list[str]] = {}
    for row in reader:
        word = (row[_KEYWORD] or "").strip()
        if word:
            lists.setdefault(_value(row, by), []).append(word)
    if not lists:
        raise UserError(f"{file}: no keyword stands in it", hint="write one keyword a row")
    return lists


def _value(row: Mapping[str, Any], by: str | None) -> str:
    return (row[by] or "").strip() if by else ""
