"""Substitute terms of a dictionary: planned in one ordered pass, applied anywhere.

Which term is taken depends on how often every term was taken before, so the plan is made by one
process in the order of item and level. Applying a plan needs the text and the plan alone.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from toolkit.perturb.alteration import Alteration, Variant, variant
from toolkit.perturb.base import Edit, cased_like, seeded, with_article
from toolkit.perturb.dictionary import Dictionary
from toolkit.perturb.measurements import CATEGORY, altered_size, find_sizes
from toolkit.perturb.standing_terms import StandingTerms
from toolkit.perturb.term_finder import Found, TermFinder, term_key

__all__ = [
    "Chosen",
    "Occurrences",
    "Planner",
    "Sizes",
    "find_occurrences",
    "substitute",
    "usage_rows",
]


@dataclass(frozen=True, slots=True)
class Occurrences:
    """What of a text can be substituted.

    Attributes:
        terms: the terms in the order of their first occurrence, by their spans.
        hidden: terms that stand inside longer ones only, by their spans.
        sizes: spans of sizes in mm and cm.
        present: keys of the alternatives that stand in the text, alone or inside other terms.
    """

    terms: Mapping[str, tuple[tuple[int, int], ...]]
    hidden: Mapping[str, tuple[tuple[int, int], ...]]
    sizes: tuple[tuple[int, int], ...]
    present: frozenset[str]


@dataclass(frozen=True, slots=True)
class Chosen:
    """One substitution of a plan.

    Attributes:
        category: of the term, or ``measurements``.
        term: the term; empty for a size.
        alternative: what takes its place; empty for a size.
        spans: where; counted in the original text.
    """

    category: str
    term: str
    alternative: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How sizes are altered; see :func:`toolkit.perturb.measurements.altered_size`."""

    probability: float = 0.5
    factor: tuple[float, float] = (0.3, 3.0)
    minimum_change: float = 0.2
    unit_change: float = 0.25


def find_occurrences(
    text: str,
    finder: TermFinder,
    alternatives: StandingTerms,
    *,
    sizes: bool,
    occurrences: Literal["all", "first"],
) -> Occurrences:
    """Return what of a text can be substituted.

    Args:
        text: the text.
        finder: of the usable terms of the dictionary.
        alternatives: of all their alternatives.
        sizes: sizes can be altered, too.
        occurrences: ``first`` keeps the first occurrence of each term.
    """
    spans = tuple(find_sizes(text)) if sizes else ()
    terms: dict[str, list[tuple[int, int]]] = {}
    hidden: dict[str, list[tuple[int, int]]] = {}
    for found in finder.find(text):
        if any(found.start < end and start < found.end for start, end in spans):
            continue
        terms.setdefault(found.term, []).append((found.start, found.end))
        for inner in _inner(finder, text, found):
            hidden.setdefault(inner.term, []).append((inner.start, inner.end))
    for term in terms:
        hidden.pop(term, None)
    last = None if occurrences == "all" else 1
    return Occurrences(
        {term: tuple(places[:last]) for term, places in terms.items()},
        {term: tuple(places[:last]) for term, places in hidden.items()},
        spans,
        alternatives.keys(text),
    )


def _inner(finder: TermFinder, text: str, found: Found) -> Iterator[Found]:
    if " " in found.term:
        yield from finder.inside(text, found)


@dataclass(slots=True)
class Planner:
    """Chooses terms, the least used first, over all texts of a run.

    Attributes:
        dictionary: its usable entries are what may be chosen.
        seed: the recipe's seed.
        balance: ``least_used``, or ``random`` for a seeded draw.
        sizes: how many sizes are altered; None when sizes are no category.
        used: times each term was chosen, by term; a size counts as ``measurements``.
        offered: texts and levels that each term could have been chosen in.
    """

    dictionary: Dictionary
    seed: int
    balance: Literal["least_used", "random"] = "least_used"
    sizes: Sizes | None = None
    used: Counter[str] = field(default_factory=Counter)
    offered: Counter[str] = field(default_factory=Counter)
    _alternatives: Counter[tuple[str, str]] = field(default_factory=Counter)
    _category: dict[str, str] = field(default_factory=dict)
    _options: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for entry in self.dictionary.usable():
            self._category[entry.term] = entry.category
            self._options[entry.term] = [
                (option, term_key(option)) for option in entry.alternatives
            ]

    def plan(
        self, name: str, level: str, found: Occurrences, categories: int, each: int
    ) -> tuple[Chosen, ...]:
        """Choose the substitutions of one variant, and count them as used.

        Categories that have ``each`` terms in the text come first, those with the least used
        terms before others. When they do not fill the target, terms of any category follow,
        then terms inside longer ones that were not chosen. A term whose alternatives all stand
        in the text is not on offer: two terms that change places would change nothing.

        Args:
            name: the item's id; ties are broken by it, the level and the seed.
            level: name of the level.
            found: what the text offers.
            categories: categories of the level.
            each: terms of each category.

        Returns:
            Up to ``categories * each`` substitutions, none touching another.
        """
        rng = seeded(self.seed, "substitution", level, name)
        tie = {term: rng.random() for term in sorted({*found.terms, *found.hidden})}
        plan = _Plan([], [], set(found.present))
        free = [term for term in found.terms if self._left(term, plan)]
        self.offered.update(free)
        by_category = self._by_category(free, found, tie, rng)
        full = [name for name, terms in by_category.items() if len(terms) >= each]
        for category in full[:categories]:
            for term in by_category[category][:each]:
                self._take(plan, term, found, rng)
        target = categories * each
        rest = [term for terms in by_category.values() for term in terms]
        self._fill(plan, sorted(rest, key=lambda term: self._order(term, tie)), target, found, rng)
        if len(plan.chosen) < target:
            hidden = [
                term
                for term, spans in found.hidden.items()
                if self._left(term, plan) and not plan.touches(spans)
            ]
            self.offered.update(hidden)
            hidden.sort(key=lambda term: self._order(term, tie))
            self._fill(plan, hidden, target, found, rng)
        return tuple(plan.chosen)

    def _fill(
        self, plan: _Plan, terms: Iterable[str], target: int, found: Occurrences, rng: random.Random
    ) -> None:
        for term in terms:
            if len(plan.chosen) >= target:
                break
            self._take(plan, term, found, rng)

    def _order(self, term: str, tie: Mapping[str, float]) -> tuple[float, ...]:
        if self.balance == "random":
            return (tie.get(term, 0.0),)
        return self.used[CATEGORY if term.startswith(_SIZE) else term], tie.get(term, 0.0)

    def _by_category(
        self, free: Iterable[str], found: Occurrences, tie: dict[str, float], rng: random.Random
    ) -> dict[str, list[str]]:
        """Return the terms of each category, and the categories, the least used first."""
        groups: dict[str, list[str]] = {}
        for term in free:
            groups.setdefault(self._category[term], []).append(term)
        if self.sizes is not None:
            # Drawn for every size, so that a level's draws do not depend on what was used.
            drawn = [
                f"{_SIZE}{at}"
                for at in range(len(found.sizes))
                if rng.random() < self.sizes.probability
            ]
            if drawn:
                groups[CATEGORY] = drawn
                tie |= {term: rng.random() for term in drawn}
        ordered = {
            category: sorted(terms, key=lambda term: self._order(term, tie))
            for category, terms in groups.items()
        }
        return dict(sorted(ordered.items(), key=lambda group: self._order(group[1][0], tie)))

    def _take(self, plan: _Plan, term: str, found: Occurrences, rng: random.Random) -> None:
        size = term.startswith(_SIZE)
        if size:
            spans: tuple[tuple[int, int], ...] = (found.sizes[int(term[len(_SIZE) :])],)
        else:
            spans = found.terms.get(term) or found.hidden[term]
        if plan.touches(spans):
            return
        if size:
            new = Chosen(CATEGORY, "", "", spans)
        else:
            option = self._alternative(term, rng, plan)
            if option is None:
                return
            alternative, key = option
            plan.there.add(key)
            new = Chosen(self._category[term], term, alternative, spans)
        self.used[new.term or CATEGORY] += 1
        plan.taken.extend(spans)
        plan.chosen.append(new)

    def _left(self, term: str, plan: _Plan) -> list[tuple[str, str]]:
        return [option for option in self._options[term] if option[1] not in plan.there]

    def _alternative(self, term: str, rng: random.Random, plan: _Plan) -> tuple[str, str] | None:
        """Return the least used alternative that does not stand in the text, and its key."""
        tie = {option: rng.random() for option, _ in self._options[term]}
        left = self._left(term, plan)
        if not left:
            return None
        used = self._alternatives if self.balance == "least_used" else Counter[tuple[str, str]]()
        best = min(left, key=lambda option: (used[term, option[0]], tie[option[0]]))
        self._alternatives[term, best[0]] += 1
        return best


@dataclass(frozen=True, slots=True)
class _Plan:
    """What was chosen so far, the spans it takes, and the keys of alternatives there then."""

    chosen: list[Chosen]
    taken: list[tuple[int, int]]
    there: set[str]

    def touches(self, spans: Iterable[tuple[int, int]]) -> bool:
        """Return whether something was chosen there already."""
        return any(
            start < end and first < last for start, last in spans for first, end in self.taken
        )


_SIZE = "\0size "
"""Marks a size among the terms of a category; no term of a file can begin with it."""


def substitute(
    text: str,
    plan: Sequence[Chosen],
    *,
    target: int,
    seeds: tuple[int, str, str],
    sizes: Sizes | None = None,
) -> Variant:
    """Apply a plan.

    Case is kept, and an ``a`` or ``an`` before a term follows the new one. Text that was put in
    is never edited again.

    Args:
        text: the original text.
        plan: what :meth:`Planner.plan` returned for it.
        target: substitutions that the level asks for.
        seeds: the recipe's seed, the level and the item's id, for the sizes.
        sizes: how sizes are altered.

    Returns:
        The variant; sizes that no factor can alter are left out and said in the reason.
    """
    made: list[Alteration] = []
    lost = 0
    for at, chosen in enumerate(plan):
        if chosen.term:
            made.append(_term(text, chosen))
            continue
        rules = sizes or Sizes()
        rng = seeded(seeds[0], "size", *seeds[1:], str(at))
        size = altered_size(
            text,
            chosen.spans[0],
            rng,
            factor=rules.factor,
            minimum_change=rules.minimum_change,
            unit_change=rules.unit_change,
        )
        made += [] if size is None else [size]
        lost += size is None
    reasons = [f"{lost} sizes could not be altered"] if lost else []
    if len(plan) < target:
        reasons.append(f"the text offers {len(plan)} of {target}")
    return variant(text, made, target=target, reason="; ".join(reasons))


def _term(text: str, chosen: Chosen) -> Alteration:
    edits: list[Edit] = []
    for start, end in chosen.spans:
        old = text[start:end]
        # As written where the text has the term as written: MRI becomes radiography.
        same = " ".join(old.split()) == " ".join(chosen.term.split())
        new = chosen.alternative if same else cased_like(old, chosen.alternative)
        first, last, put = with_article(text, start, end, new)
        edits.append(Edit("term", first, last, text[first:last], put))
    return Alteration(
        kind="term",
        category=chosen.category,
        original=chosen.term,
        replacement=chosen.alternative,
        edits=tuple(edits),
    )


def usage_rows(planner: Planner) -> Iterable[tuple[str, str, int, int]]:
    """Yield (term, category, times chosen, times on offer) of every usable term."""
    for entry in planner.dictionary.usable():
        yield entry.term, entry.category, planner.used[entry.term], planner.offered[entry.term]
