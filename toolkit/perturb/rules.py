"""The rules of a recipe's ``perturb`` section, ready to edit texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.perturb.alteration import Variant
from toolkit.perturb.base import seeded
from toolkit.perturb.csv_rows import faulty, read_csv_rows
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
            group: of the item; see :meth:`group`.

        Raises:
            KeyError: the group has no keywords.
        """
        removal = self.section.removal
        assert removal is not None
        return remove_points(
            text,
            self._keywords[group],
            most=removal.levels[level],
            keep=removal.keep,
            rng=seeded(self.seed, "removal", level, name),
        )

    def group(self, item: Mapping[str, Any]) -> str:
        """Return which list of keywords an item has; empty where all have the same."""
        removal = self.section.removal
        assert removal is not None
        value = item[removal.keywords_by] if removal.keywords_by else None
        return "" if value is None else str(value).strip()

    @property
    def groups(self) -> Set[str]:
        """The groups that have a list of keywords.

        Raises:
            UserError: their file has faults.
        """
        return self._keywords.keys()

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


def read_keywords(file: Path, by: str | None) -> dict[str, list[str]]:
    """Read lists of keywords.

    Args:
        file: CSV or, by its first line, tab-separated, in UTF-8, with the column ``keyword``.
        by: the column that tells the lists apart; None for one list, under the empty name.

    Raises:
        UserError: the file cannot be read, is no CSV, lacks a column, holds no keyword, or rows
            are wrong; all wrong rows are named with their line.
    """
    wanted = [_KEYWORD, *([by] if by else [])]
    rows = read_csv_rows(file, "the keywords", wanted, f"name the columns {', '.join(wanted)}")
    lists: dict[str, list[str]] = {}
    faults: list[str] = []
    for row in rows:
        word, group = row.values[_KEYWORD], row.values[by] if by else ""
        wrong = list(row.faults())
        if word and by and not group:
            wrong.append(f"the keyword '{word}' has no {by}")
        faults += [f"{file}:{row.line}: {fault}" for fault in wrong]
        if word:
            lists.setdefault(group, []).append(word)
    if not faults and not lists:
        faults.append(f"{file}: no keyword stands in it")
    if faults:
        raise faulty(faults, "write one keyword a row")
    return lists
