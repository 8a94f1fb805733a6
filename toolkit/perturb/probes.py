"""What a judge is tried on: a reference as it is, edited, written otherwise, and made longer."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from toolkit.perturb.base import Edit, Edited, applied, seeded
from toolkit.perturb.kinds import EDITS, edit
from toolkit.sentences import n_words
from toolkit.store.canonical import text_digest

__all__ = [
    "FILLERS",
    "Probe",
    "ProbeName",
    "drawn",
    "most_questions",
    "padded",
    "probes",
    "questions",
]

ProbeName = Literal["copy", "edit", "rewrite", "padded", "swapped"]

FILLERS: Final = (
    "The lines above give the conclusion of this work.",
    "What has been stated here is stated as the conclusion.",
    "This closes the summary of what was concluded.",
    "The statement given before this sentence stands as it was written.",
    "It is put here once, and in these words.",
    "Nothing further is claimed in this place.",
    "With this the account of the conclusion comes to its end.",
    "The preceding text is the whole of the conclusion.",
)
"""Sentences that make a conclusion longer and claim nothing, in our own words."""

_LONGER: Final = 0.5
"""Words put after a text, as a share of its own, at least."""

_UNLIKE: Final = ("removal",)
"""Edits after which the two texts differ in more than what stands where: never swapped."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A text that a judge is shown beside the reference.

    Attributes:
        name: ``copy`` is the reference itself, ``edit`` changes its meaning, ``rewrite`` keeps
            it, ``padded`` only makes it longer, and ``swapped`` is an edited text that takes the
            place of the reference while the reference takes its own.
        kind: of the edit or rewrite; empty for a copy and for ``padded``.
        text: what is judged; None where the kind does not apply.
        edits: what was changed; of ``swapped`` those of its edited text.
        reason: why there is no text; empty where there is one.
        repeats: times that it is judged.
    """

    name: ProbeName
    kind: str
    text: str | None
    edits: tuple[Edit, ...] = ()
    reason: str = ""
    repeats: int = 1


def probes(
    reference: str,
    item: str,
    *,
    kinds: Sequence[str],
    repeats: int,
    swap: bool,
    seed: int,
) -> tuple[Probe, ...]:
    """Return every probe of a reference, those that do not apply with their reason.

    Copies are judged ``repeats`` times, and so is one edited text, because a judge may waver
    where it has something to weigh and not at a copy. That text is swapped as well.

    Args:
        reference: the text.
        item: id of its item.
        kinds: kinds of edits and rewrites, in order.
        repeats: judgements for the retest spread, from 1.
        swap: whether the judge is shown both texts, so that they can change places.
        seed: the recipe's seed.
    """
    made: list[Probe] = []
    for kind in kinds:
        changed = edit(reference, kind, seed=seed, name=item)
        name: ProbeName = "edit" if kind in EDITS else "rewrite"
        if isinstance(changed, Edited):
            made.append(Probe(name, kind, changed.text, changed.edits))
        else:
            made.append(Probe(name, kind, None, reason=changed.reason))
    able = [p for p in made if p.name == "edit" and p.text is not None and p.kind not in _UNLIKE]
    chosen = seeded(seed, "swapped", item).choice(able) if able else None
    found = [
        Probe(p.name, p.kind, p.text, p.edits, p.reason, repeats if p is chosen else 1)
        for p in made
    ]
    found.append(_padded(reference, item, seed))
    if swap and chosen is not None:
        found.append(Probe("swapped", chosen.kind, chosen.text, chosen.edits))
    elif swap:
        found.append(Probe("swapped", "", None, reason="no edited text that could be swapped"))
    return (Probe("copy", "", reference, repeats=repeats), *found)


def questions(made: Iterable[Probe]) -> int:
    """Return how many judgements the probes of one reference take."""
    return sum(probe.repeats for probe in made if probe.text is not None)


def most_questions(kinds: Sequence[str], repeats: int, *, swap: bool) -> int:
    """Return how many judgements a reference takes at most, where every kind applies."""
    edits = any(kind in EDITS and kind not in _UNLIKE for kind in kinds)
    return len(kinds) + repeats + 1 + (repeats - 1 + swap if edits else 0)


def padded(text: str, fillers: Iterable[str]) -> Edited:
    """Return a text with sentences after it."""
    more = "".join(f" {sentence}" for sentence in fillers)
    added = Edit("padded", len(text), len(text), "", more)
    return Edited(applied(text, [added]), (added,))


def drawn(ids: Iterable[tuple[int, str]], count: int, seed: int) -> list[int]:
    """Return the rows of a sample of items that nothing but the seed and their ids decides.

    Args:
        ids: (row, item id) of every item.
        count: items wanted.
        seed: the recipe's seed.

    Returns:
        At most ``count`` rows, ascending.
    """
    first = heapq.nsmallest(
        count, ids, key=lambda pair: (text_digest([str(seed), "audit", pair[1]]), pair[0])
    )
    return sorted(row for row, _ in first)


def _padded(reference: str, item: str, seed: int) -> Probe:
    order = list(FILLERS)
    seeded(seed, "padded", item).shuffle(order)
    wanted = _LONGER * n_words(reference)
    said: list[str] = []
    while order and (len(said) < 2 or n_words(" ".join(said)) < wanted):
        said.append(order.pop())
    longer = padded(reference, said)
    return Probe("padded", "", longer.text, longer.edits)
